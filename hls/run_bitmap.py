# SPDX-License-Identifier: Apache-2.0
"""run_bitmap: the bitmap that a chunk's known runs stand for, all its words.

A token takes a cycle: its class and its extra bits become a number, and a cycle later that many
bits of the word at hand are set or cleared, or all that are left of it. A span that goes on in
words behind takes a cycle for each. Whatever the tokens say, as many bits are set as values are
zero: a span that would pass what is left of its kind is at fault, as all behind it, and what is
left comes in their place.

Role         between chunk_parse, lane_dec and zero_flags
Golden       read_runs and join_runs of swmodel/reference/zeros.py
Format       swmodel/FORMAT.md section 4.2, known runs, of up to 1024 pairs
Parameters   width: tokens of a group
Not done     words of bitmaps that chunks have are passed on
"""

from __future__ import annotations

from myhdl import (
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    concat,
    enum,
    instances,
    intbv,
    modbv,
)

from hls.choose import choose, either
from hls.chunk_parse import INDEX, PAIRS
from hls.fifo import cut
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=0, interval=1)  # of the words of bitmaps

MOST_CLASS = 12  # of a number up to 4096
WORD = 32
COUNT = INDEX + 1
EXTRA = MOST_CLASS - 1  # bits of a token, at most
PAIRS_AT = 16  # in the first word of runs
END_AT, EXTRA_AT = INDEX, WORD - 8  # in the second


def cycles(tokens: int, count: int) -> int:
    """Cycles of a chunk with so many tokens, of so many values."""
    return tokens + count // WORD + 12


def ports(width=1):
    return {
        "s_words": AxiStream(WORD, user=1),
        "s_tokens": AxiStream(8 * width, last=False),
        "m_axis": AxiStream(WORD, user=1, last=False),
    }


@block
def run_bitmap(clk, rst, s_words, s_tokens, m_axis, width):
    """Write the words of bitmaps.

    s_words   in   words of bitmaps; or, with tuser, of runs {number of pairs - 1, 0 to 15: number
                   of values that are not zero}, then {the first extra byte, 12 to 13: number of
                   the word's byte that is the last extra one or, if there is none, lies before it,
                   number of values - 1}, then the other extra bytes; tlast = the last of runs
    s_tokens  in   tokens in groups of `width`, the first lowest: a class or, from 128 up, 255 less
                   it; only a chunk's last group may have fewer
    m_axis    out  words of bitmaps; tuser, of runs' last word: they were at fault
    rst       in   synchronous, active high
    """
    step = enum(
        "PASS",
        "BEGIN",
        "TOKENS",
        "MEASURE",
        "PAD",
        "JUDGE",
        "DRAIN",
        "REST",
        "OTHERS",
        "SETTLE",
        "LAST",
    )
    state = Signal(step.PASS)

    # the token at hand, and where its extra bits are
    octet = Signal(intbv(0)[8:])
    turn = Signal(modbv(0)[(width - 1).bit_length() :])  # its place in the group
    left_tokens = Signal(modbv(0)[PAIRS + 1 :])  # behind it
    more = Signal(bool(0))  # it is one of this chunk's
    pick = Signal(bool(0))
    picked = Signal(bool(0))  # one has been

    # that token
    opening = Signal(bool(0))  # it is the first
    kind = Signal(intbv(0)[4:])  # its class
    strange = Signal(bool(0))  # it is more than four bits can say
    impossible = Signal(bool(0))
    some = Signal(bool(0))  # it is not 0
    size = Signal(intbv(0)[4:])  # of its extra bits
    mask = Signal(intbv(0)[EXTRA:])
    top = Signal(intbv(0)[MOST_CLASS:])
    window = Signal(intbv(0)[WORD + EXTRA - 1 :])
    extra = Signal(intbv(0)[EXTRA:])
    held = Signal(intbv(0)[WORD:])  # the word with the next extra bit
    held_last = Signal(bool(0))
    passed = Signal(bool(0))  # that bit is behind the last word
    offset = Signal(intbv(0)[5:])  # of it in its word
    after = Signal(intbv(0)[6:])  # of the bit behind the token's
    crosses = Signal(bool(0))
    rest_size = Signal(intbv(0)[4:])  # of what is left of the byte
    end_byte = Signal(intbv(0)[2:])  # in the last word
    due = Signal(intbv(0)[3:])  # the byte of that bit, had the last byte just been read
    unpadded = Signal(bool(0))  # the extra bits do not end as they must
    able = Signal(bool(0))  # it may be read
    read = Signal(bool(0))

    # a token that has been read
    ready = Signal(bool(0))
    less = Signal(intbv(0)[MOST_CLASS:])  # its number, less one
    inverse = Signal(intbv(0)[MOST_CLASS:])
    first = Signal(bool(0))  # and that is what it says
    wrong = Signal(bool(0))

    # values of the next span's kind that are left, and of the other kind
    left = Signal(modbv(0)[COUNT:])
    others = Signal(modbv(0)[COUNT:])
    span = Signal(intbv(0)[COUNT:])
    one_more = Signal(bool(0))
    reach = Signal(modbv(0)[COUNT:])
    rest = Signal(modbv(0)[COUNT + 1 :])  # of those left
    exceeds = Signal(bool(0))
    closing = Signal(bool(0))  # all that is left
    fault = Signal(bool(0))

    # the word at hand
    word = Signal(intbv(0)[WORD:])
    low = Signal(intbv(0)[WORD - 1 :])  # the bits that the span at hand leaves as they are
    half = Signal(intbv(0)[WORD // 2 - 1 :])  # of its half of the word
    zero = Signal(bool(0))  # its kind
    start = Signal(intbv(0)[5:])
    stop = Signal(modbv(0)[COUNT:])  # from the start of the word
    words_less = Signal(modbv(0)[COUNT - 5 :])  # words to there, less one
    full = Signal(bool(0))  # the word, and all before `start` is in words behind it
    offered = Signal(bool(0))
    goes_on = Signal(bool(0))  # the span does, in the next word
    settled = Signal(bool(0))  # it does not
    take = Signal(bool(0))
    load = Signal(bool(0))

    octets = [Signal(intbv(0)[8:]) for _ in range(width)]
    cuts = [cut(s_tokens.tdata, part, 8 * (i + 1)) for i, part in enumerate(octets)]
    pick_token = choose(octets, turn, octet)
    last_turn = width - 1
    lows = tuple((1 << bit) - 1 for bit in range(WORD // 2))
    start_low = start(4, 0)
    rest_sizes = (0, 7, 6, 5, 4, 3, 2, 1)
    offset_low = offset(3, 0)
    shifts, shifted = [], window
    for bit in reversed(range(5)):
        size_left, by = EXTRA + (1 << bit) - 1, 1 << bit
        before, shifted = shifted, Signal(intbv(0)[size_left:])
        shifts.append(
            either(offset(bit), before(size_left + by, by), before(size_left, 0), shifted)
        )

    # What the token says.

    @always_comb
    def see_rest():
        rest_size.next = rest_sizes[int(offset_low)]

    @always_comb
    def find_class():
        kind.next = octet[4:]
        if octet[7]:
            kind.next = ~octet[4:]

    @always(clk.posedge)
    def know_class():
        if state == step.MEASURE:
            size.next = rest_size
        elif pick:
            some.next = kind != 0
            size.next = 0
            if kind != 0:
                size.next = kind - 1
            strange.next = octet[8:4] != 0 and octet[8:4] != 15

    @always_comb
    def know_number():
        top.next = intbv(1)[MOST_CLASS:] << size
        mask.next = ~(intbv(2**EXTRA - 1)[EXTRA:] << size)

    @always_comb
    def doubt():
        impossible.next = strange or size > EXTRA

    @always_comb
    def see():
        window.next = concat(s_words.tdata[EXTRA - 1 :], held)

    @always_comb
    def cut_extra():
        extra.next = shifted & mask

    @always_comb
    def find_next():
        after.next = concat(False, offset) + concat(intbv(0)[2:], size)

    @always_comb
    def look_behind():
        crosses.next = after[5]
        due.next = concat(False, end_byte)
        if offset[3:] == 0:
            due.next = concat(False, end_byte) + 1

    @always_comb
    def flow():
        able.next = picked and (take or not ready)
        read.next = picked and (take or not ready) and (s_words.tvalid or not crosses or held_last)

    @always_comb
    def go():
        pick.next = s_tokens.tvalid and more and (read or not picked)

    @always_comb
    def accept():
        s_tokens.tready.next = (
            more and (read or not picked) and (turn == last_turn or left_tokens == 0)
        )
        s_words.tready.next = (
            (state == step.PASS and (s_words.tuser[0] or m_axis.tready))
            or state == step.BEGIN
            or state == step.DRAIN
            or (able and crosses and not held_last)
        )

    @always(clk.posedge)
    def keep_token():
        if read:
            less.next = concat(False, extra)
            if some:
                less.next = top | concat(False, extra)
            first.next = opening
            wrong.next = impossible or (passed and size != 0)

    @always(clk.posedge)
    def keep_word():
        if state == step.BEGIN or (read and crosses):
            held.next = s_words.tdata
        if state == step.BEGIN:
            offset.next = EXTRA_AT
            end_byte.next = s_words.tdata[END_AT + 2 : END_AT]
            passed.next = False
            held_last.next = s_words.tlast
            opening.next = True
        elif read:
            offset.next = after[5:]
            opening.next = False
            if crosses:
                if held_last:
                    passed.next = True
                else:
                    held_last.next = s_words.tlast

    # What is left.

    @always_comb
    def choose_span():
        span.next = concat(False, less)
        one_more.next = not first
        if closing:
            span.next = left
            one_more.next = False

    @always_comb
    def add():
        reach.next = (
            span + concat(intbv(0)[COUNT - 5 :], stop[5:]) + concat(intbv(0)[COUNT - 1 :], one_more)
        )

    @always_comb
    def invert():
        inverse.next = ~less

    @always_comb
    def subtract():
        rest.next = (
            concat(False, left) + concat(intbv(3)[2:], inverse) + concat(intbv(0)[COUNT:], first)
        )

    @always_comb
    def compare():
        exceeds.next = rest[COUNT] or wrong or fault

    @always_comb
    def close():
        closing.next = (state == step.REST or state == step.OTHERS) and not ready

    @always_comb
    def go_on():
        take.next = ready and settled
        load.next = settled and (closing or (ready and not exceeds))

    # Bits of words.

    @always_comb
    def measure():
        goes_on.next = stop[COUNT:5] != 0
        words_less.next = stop[COUNT:5] - 1
        offered.next = full and stop != 0

    @always_comb
    def settle():
        settled.next = not goes_on and (not offered or m_axis.tready)

    @always_comb
    def find_low():
        half.next = lows[int(start_low)]

    @always_comb
    def join_halves():
        low.next = concat(intbv(0)[WORD // 2 :], half)
        if start[4]:
            low.next = concat(half, intbv(2 ** (WORD // 2) - 1)[WORD // 2 :])

    @always(clk.posedge)
    def fill():
        if (offered and m_axis.tready) or (not full and state != step.LAST):
            if zero:
                word.next = word | ~concat(False, low)
            else:
                word.next = word & concat(False, low)

    @always_seq(clk.posedge, reset=rst)
    def move():
        if state == step.BEGIN:
            stop.next = 0
            zero.next = True
        elif load:
            stop.next = reach
            zero.next = not zero
        elif goes_on and (not offered or m_axis.tready):
            stop.next = concat(words_less, stop[5:])
        if state == step.BEGIN:
            full.next = False
            start.next = 0
        elif not offered or m_axis.tready:
            if goes_on:
                full.next = True
                start.next = 0
            elif stop != 0:
                full.next = False
                start.next = stop[5:]

    @always(clk.posedge)
    def share():
        if state == step.PASS:
            left.next = s_words.tdata[COUNT:]
        elif state == step.BEGIN:
            others.next = concat(False, s_words.tdata[INDEX:]) - left + 1
        elif load:
            left.next = others
            others.next = rest[COUNT:]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if read:
            ready.next = True
        elif take:
            ready.next = False
        if pick:
            picked.next = True
            turn.next = turn + 1
            left_tokens.next = left_tokens - 1
            if left_tokens == 0:
                more.next = False
        elif read:
            picked.next = False
        if state == step.PASS:
            left_tokens.next = concat(s_words.tdata[PAIRS_AT + PAIRS : PAIRS_AT], True)
            if s_words.tvalid and s_words.tuser[0]:
                state.next = step.BEGIN
        elif state == step.BEGIN:
            fault.next = False
            turn.next = 0
            if s_words.tvalid:
                more.next = True
                state.next = step.TOKENS
        elif state == step.TOKENS:
            if not more and not picked and not ready and settled:
                state.next = step.MEASURE
        elif state == step.MEASURE:
            state.next = step.PAD
        elif state == step.PAD:
            unpadded.next = extra != 0 or not held_last or due != concat(passed, offset[5:3])
            state.next = step.JUDGE
        elif state == step.JUDGE:
            state.next = step.DRAIN
            if held_last:
                state.next = step.REST
        elif state == step.DRAIN:
            if s_words.tvalid and s_words.tlast:
                state.next = step.REST
        elif state == step.REST:
            if load and closing:
                state.next = step.OTHERS
        elif state == step.OTHERS:
            if load:
                state.next = step.SETTLE
        elif state == step.SETTLE:
            if settled:
                state.next = step.LAST
        elif m_axis.tready:
            state.next = step.PASS

        if (
            (take and exceeds)
            or (state == step.JUDGE and unpadded)
            or (state == step.REST and load and closing and others != 0)
        ):
            fault.next = True

    @always_comb
    def offer():
        m_axis.tvalid.next = offered or state == step.LAST
        m_axis.tdata.next = word
        m_axis.tuser.next = state == step.LAST and fault
        if state == step.PASS:
            m_axis.tvalid.next = s_words.tvalid and not s_words.tuser[0]
            m_axis.tdata.next = s_words.tdata

    return instances()
