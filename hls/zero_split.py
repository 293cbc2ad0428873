# SPDX-License-Identifier: Apache-2.0
"""zero_split: cut a frame into chunks, and each chunk into zeros, non-zeros and totals.

Role         first stage of the encoder
Golden       what encode_chunk of swmodel/reference/encode.py makes of a chunk's values
Format       swmodel/FORMAT.md sections 2 (values), 4 (chunk), 5.1 (last raw bytes), 7 (check)
Parameters   fmt: the number format, its raw part a whole number of bytes; width: W, values a cycle;
             trailing: whether to find the bytes of zeros that all raw parts, of three bytes, end in
Not done     all-zero chunks have no word on m_axis: only m_chunk tells of them

The non-zeros of a group go to the slots behind those that are held. When they are more than W, W
leave and the others are held. So a full group waits, too, until the next non-zero or the chunk's
end shows whether it is the last.

A slot keeps its item until the next comes, also when it has left. So at a chunk's end the last W
non-zeros are there, and the last raw bytes are gathered from them, a value a cycle.
"""

from __future__ import annotations

from myhdl import (
    ConcatSignal,
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
    modbv,
)

from hls import crc32
from hls.choose import pick
from hls.compact import compact
from hls.point import POINT, NumberFormat
from hls.popcount import popcount
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, item_bits

INDEX = (POINT.chunk - 1).bit_length()  # bits of n - 1
COUNT = POINT.chunk.bit_length()  # bits of nnz
TAIL = 8 * POINT.tail
CHECK = crc32.WIDTH
TRAILING = 2  # bits of the number of bytes that raw parts end in, and are 0 in all

CONTRACT = Contract(latency=2, interval=1)  # of m_axis, when the next values are not zero either
FLAG_LATENCY = 2  # from a group to its flags


def turns(fmt: NumberFormat, width: int = 1, trailing: bool = False) -> int:
    """Values that the last raw bytes are gathered from: after a chunk, so many cycles go by."""
    values = POINT.tail if trailing else -(-TAIL // fmt.raw)
    return max(width, values)


def chunk_latency(
    fmt: NumberFormat, width: int = 1, trailing: bool = False, lacking: int = 0
) -> int:
    """Cycles from a chunk's last group, which lacks some of its values, to m_chunk."""
    return 2 + turns(fmt, width, trailing) + lacking * fmt.width // 8


def ports(fmt, width=1, trailing=False):
    number = item_bits(width)
    totals = TAIL + CHECK + COUNT + INDEX
    return {
        "s_axis": AxiStream(width * fmt.width, keep=width > 1),
        "m_axis": AxiStream(width * fmt.width, user=number),
        "m_flag": AxiStream(width),
        "m_chunk": AxiStream(totals + TRAILING * trailing),
    }


@block
def zero_split(clk, rst, s_axis, m_axis, m_flag, m_chunk, fmt, width=1, trailing=False):
    """Split W values a cycle; after a chunk one group enters, the next waits for the turns.

    s_axis   in   tdata = W values; tlast ends the frame. Only there a word may have fewer, from the
                  lowest up, as tkeep says by the byte. A chunk ends there and after 4096 values
    m_axis   out  the non-zeros in groups of W, of which only the chunk's last may have fewer, each
                  {raw part, exponent}; tuser = their number, less one; tlast = the chunk's last
    m_flag   out  a group for each word: tdata = value j is zero, in bit j; tlast = the chunk's last
    m_chunk  out  a word a chunk, tdata = {last 4 raw bytes, CRC-32, nnz, n - 1}; tlast = the
                  frame's last chunk. With trailing, on top of these the number of low bytes, up to
                  two, that are 0 in all raw parts, and are left out of the last raw bytes
    rst      in   synchronous, active high; drops everything in flight
    """
    if fmt.raw % 8:
        raise ValueError(f"the raw part of {fmt.name} is not a whole number of bytes")
    bits, mantissa, sign = fmt.width, fmt.mantissa, fmt.width - 1
    number_bits = item_bits(width)
    index_bits = INDEX - number_bits
    last_index = POINT.chunk // width - 1
    level_bits = width.bit_length()
    last_turn = turns(fmt, width, trailing) - 1

    # the group that has entered, and where it stands
    values = [Signal(intbv(0)[bits:]) for _ in range(width)]
    nonzero = [Signal(bool(0)) for _ in range(width)]
    present = [Signal(bool(0)) for _ in range(width)]
    zero = [Signal(bool(0)) for _ in range(width)]
    number = Signal(intbv(0)[number_bits:]) if width > 1 else None  # of its values, less one
    entered = Signal(intbv(0)[width * bits :])
    some = Signal(intbv(0)[width:])
    flags = Signal(intbv(0)[width:])
    filled = Signal(bool(0))
    frame_end = Signal(bool(0))  # the frame's last
    index = Signal(modbv(0)[index_bits:])
    ending = Signal(bool(0))  # the chunk's last
    opening = Signal(bool(1))  # the chunk's first
    arriving = [Signal(bool(0)) for _ in range(width)]
    entering = Signal(intbv(0)[level_bits:]) if width > 1 else None  # non-zeros, of the next group
    arrivals = Signal(intbv(0)[level_bits:]) if width > 1 else nonzero[0]

    # the non-zeros that are held
    placed = [Signal(intbv(0)[bits:]) for _ in range(width)]  # what enters each slot
    held = [Signal(intbv(0)[bits:]) for _ in range(width)]
    shown = [Signal(intbv(0)[bits:]) for _ in range(width)]  # what leaves
    group = Signal(intbv(0)[width * bits :])
    level = Signal(intbv(0)[level_bits:])  # how many are held
    level_sum = Signal(intbv(0)[level_bits + 1 :])
    level_rest = Signal(modbv(0)[level_bits:])  # when W leave
    overfull = Signal(bool(0))
    nonzeros = Signal(modbv(0)[COUNT:])  # of the chunk

    # the chunk's end
    ended = Signal(bool(0))  # all of it has entered
    frame_ended = Signal(bool(0))
    turn = Signal(intbv(0)[last_turn.bit_length() :])
    closing = Signal(bool(0))  # the last
    gather = Signal(bool(0))  # a turn's value
    sent = Signal(bool(0))  # the last group of non-zeros has left
    remainder = Signal(intbv(0)[CHECK:])
    tail = Signal(intbv(0)[TAIL:])
    counts = Signal(intbv(0)[COUNT + index_bits :])
    check = Signal(intbv(0)[CHECK:])
    stepped = Signal(intbv(0)[number_bits:]) if width > 1 else None  # number, of the last group
    closed = Signal(intbv(0)[number_bits:]) if width > 1 else None  # the same, for m_chunk

    # what moves in this cycle
    emit = Signal(bool(0))  # a group of non-zeros is offered
    value_free = Signal(bool(0))
    flag_free = Signal(bool(0))
    chunk_free = Signal(bool(0))
    step = Signal(bool(0))  # the entered group
    close = Signal(bool(0))  # a chunk

    lanes = [
        enter(clk, s_axis, j, values[j], arriving[j], nonzero[j], present[j], zero[j])
        for j in range(width)
    ]
    items = [ConcatSignal(v(sign), v(mantissa, 0), v(sign, mantissa)) for v in values]
    gathered = [
        side_by_side(parts, whole)
        for parts, whole in ((values, entered), (zero, flags), (shown, group))
    ]
    offset = nonzeros(number_bits, 0) if width > 1 else None
    compaction = compact(items, nonzero, offset, placed)
    loads = [Signal(bool(0)) for _ in range(width)]
    slots = [
        slot(clk, step, ended, level, level_sum, k, width, placed[k], held[k], loads[k], shown[k])
        for k in range(width)
    ]
    sum_of_values = crc32.crc32(clk, rst, step, opening, entered, remainder)
    last = Signal(intbv(0)[fmt.raw :])  # raw part of the turn's value
    choices = pick_last(clk, ended, nonzeros, turn, gather, loads, held, last, fmt)
    if trailing:
        left_out = Signal(intbv(0)[TRAILING:])
        lows = ConcatSignal(*[value(8, 0) for value in values])
        middles = ConcatSignal(*[value(16, 8) for value in values])
        last_raws = put_stripped(clk, step, opening, gather, last, lows, middles, left_out, tail)
        last_bytes = [left_out, tail]
    else:
        last_raws = put_last(clk, gather, last, tail)
        last_bytes = [tail]
    if width > 1:
        population = [
            side_by_side(arriving, some),
            popcount(some, entering),
            pass_number(clk, s_axis.tready, entering, arrivals),
        ]
        numbering = find_last(present, number)
        shown_number = show_number(ended, level, m_axis.tuser)
        moved = [pass_number(clk, step, number, stepped), pass_number(clk, close, stepped, closed)]
        settling = settle(clk, rst, close, stepped, remainder, check, m_chunk, chunk_free, fmt)
        totals = ConcatSignal(*last_bytes, check, counts, closed)
    else:
        settling = note_check(clk, rst, close, remainder, check, m_chunk, chunk_free)
        totals = ConcatSignal(*last_bytes, check, counts)

    @always_comb
    def find_end():
        ending.next = frame_end or index == last_index

    @always_comb
    def add():
        level_sum.next = level + arrivals

    @always_comb
    def compare():
        overfull.next = level_sum > width
        level_rest.next = level_sum[level_bits:] - width

    @always_comb
    def take_turn():
        closing.next = turn == last_turn
        gather.next = ended and (turn != 0 or chunk_free) and (not closing or value_free)

    @always_comb
    def offer_group():  # what must be free for it stays so until the group has left
        emit.next = (filled and flag_free and overfull and not ended) or (
            ended and level != 0 and not sent
        )

    @always_comb
    def outputs_free():
        value_free.next = not emit or m_axis.tready
        flag_free.next = not m_flag.tvalid or m_flag.tready

    @always_comb
    def flow():
        step.next = filled and value_free and flag_free and not ended
        s_axis.tready.next = not filled or (value_free and flag_free and not ended)
        close.next = ended and closing and value_free

    @always(clk.posedge)
    def note_end():
        if s_axis.tready:
            frame_end.next = s_axis.tlast

    @always_seq(clk.posedge, reset=rst)
    def place():
        if s_axis.tready:
            filled.next = s_axis.tvalid
        if step:
            opening.next = False
            ended.next = ending
            level.next = level_sum[level_bits:]
            if overfull:
                level.next = level_rest
            nonzeros.next = nonzeros + concat(intbv(0)[COUNT - level_bits :], arrivals)
            if not ending:
                index.next = index + 1
        elif close:
            opening.next = True
            ended.next = False
            level.next = 0
            nonzeros.next = 0
            index.next = 0

    @always_seq(clk.posedge, reset=rst)
    def count_turns():
        sent.next = ended and value_free and not close
        if close:
            turn.next = 0
        elif gather and not closing:
            turn.next = turn + 1

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if flag_free:
            m_flag.tvalid.next = step

    @always_comb
    def show_group():
        m_axis.tvalid.next = emit
        m_axis.tdata.next = group
        m_axis.tlast.next = ended

    @always(clk.posedge)
    def tell():
        if step:
            frame_ended.next = frame_end
            m_flag.tdata.next = flags
            m_flag.tlast.next = ending

    @always(clk.posedge)
    def total():
        if close:
            counts.next = concat(nonzeros, index)
            m_chunk.tlast.next = frame_ended

    @always_comb
    def show_totals():
        m_chunk.tdata.next = totals

    return instances()


@block
def enter(clk, s_axis, j, value, arriving, nonzero, present, zero):
    """Value j of the group; one that is absent is kept as a zero, and not flagged as one."""
    bits = len(value)
    low, high, byte = bits * j, bits * (j + 1), bits // 8 * j
    entering = Signal(intbv(0)[bits:])

    if j == 0:

        @always_comb
        def show():
            entering.next = s_axis.tdata[high:low]
            zero.next = not nonzero

    else:

        @always_comb
        def mask():
            entering.next = 0
            if s_axis.tkeep[byte]:
                entering.next = s_axis.tdata[high:low]

        @always(clk.posedge)
        def note():
            if s_axis.tready:
                present.next = s_axis.tkeep[byte]

        @always_comb
        def show():
            zero.next = present and not nonzero

    @always_comb
    def look():
        arriving.next = entering != 0

    @always(clk.posedge)
    def register():
        if s_axis.tready:
            value.next = entering
            nonzero.next = arriving

    return instances()


@block
def find_last(present, number):
    """The number of the last value."""
    if len(present) == 2:
        second = present[1]

        @always_comb
        def find():
            number.next = second

    else:
        second, third, fourth = present[1:]

        @always_comb
        def find():
            number.next[1] = third
            number.next[0] = fourth or (second and not third)

    return find


@block
def slot(clk, step, ended, level, level_sum, k, width, placed, held, load, shown):
    """Slot k: shows the word that is held, if it is one of `level`, else the one that enters.

    At a chunk's end it shows what is held in any case: a word that is offered must not change.
    """

    @always_comb
    def find():
        load.next = step and ((level <= k and level_sum > k) or level_sum > k + width)

    @always_comb
    def show():
        shown.next = placed
        if level > k or ended:
            shown.next = held

    @always(clk.posedge)
    def hold():
        if load:
            held.next = placed

    return instances()


@block
def pick_last(clk, ended, nonzeros, turn, gather, loads, held, last, fmt):
    """Raw part of one of a chunk's last values, the first of them at turn 0; 0 if there is none.

    A slot whose turn comes more than once has also kept the highest byte of its items before.
    """
    width, size, low = len(held), len(turn), fmt.exponent
    earlier = (1 << size) // width - 1
    after = Signal(intbv(0)[size:])  # values behind the turn's
    exists = Signal(bool(0))
    here = [Signal(bool(0)) for _ in held]  # it is the slot's turn
    choice = Signal(intbv(0)[width:])
    slots = [is_turn(ended, nonzeros, turn, k, width, flag) for k, flag in enumerate(here)]
    whose = ConcatSignal(*reversed(here)) if width > 1 else here[0]
    words = []
    for load, item, flag in zip(loads, held, here, strict=True):
        top = item(fmt.width, fmt.width - 8)
        if earlier:
            bytes_before = [Signal(intbv(0)[8:]) for _ in range(earlier)]
            slots.append(recall(clk, load, gather, flag, top, bytes_before))
            top = bytes_before[-1]
        words.append(ConcatSignal(top, item(fmt.width - 8, low)) if fmt.raw > 8 else top)
    choices = pick(choice, words, last)

    @always_comb
    def count():
        after.next = ~turn

    @always_comb
    def look():
        exists.next = nonzeros[COUNT:size] != 0 or nonzeros[size:] > after

    @always_comb
    def mask():
        choice.next = 0
        if exists:
            choice.next = whose

    return instances()


@block
def is_turn(ended, nonzeros, turn, k, width, here):
    """Whether it is the turn of slot k."""
    bits = item_bits(width)

    if width == 1:

        @always_comb
        def look():
            here.next = ended

        return look

    place = Signal(modbv(0)[bits:])

    @always_comb
    def find():
        place.next = nonzeros[bits:] + turn[bits:]

    @always_comb
    def look():
        here.next = ended and place == k

    return instances()


@block
def recall(clk, load, gather, here, top, bytes_before):
    """Highest bytes of a slot's items before; the first of them is the next whose turn comes."""
    return [
        follow(clk, load, gather, here, byte, later)
        for byte, later in zip([top, *bytes_before], bytes_before, strict=False)
    ]


@block
def follow(clk, load, gather, here, byte, later):
    @always(clk.posedge)
    def go():
        if load or (gather and here):
            later.next = byte

    return go


@block
def put_last(clk, gather, last, tail):
    """Behind the raw bytes before."""
    raw = len(last)

    @always(clk.posedge)
    def put():
        if gather:
            tail.next = concat(last, tail[TAIL:raw])

    return put


@block
def put_stripped(clk, step, opening, gather, last, lows, middles, left_out, tail):
    """The same of raw parts without the bytes that are 0 in all of them."""
    some_low = Signal(bool(0))  # a low byte of the chunk is not 0
    some_middle = Signal(bool(0))

    @always(clk.posedge)
    def examine():
        if step:
            some_low.next = lows != 0 or (some_low and not opening)
            some_middle.next = middles != 0 or (some_middle and not opening)

    @always(clk.posedge)
    def put():
        if gather:
            if some_low:
                left_out.next = 0
                tail.next = concat(last, tail[32:24])
            elif some_middle:
                left_out.next = 1
                tail.next = concat(last[24:8], tail[32:16])
            else:
                left_out.next = 2
                tail.next = concat(last[24:16], tail[32:8])

    return instances()


@block
def show_number(ended, level, user):
    """The number of non-zeros that leave: all that are held, or a full group."""
    bits = len(user)
    full = (1 << bits) - 1

    @always_comb
    def choose():
        user.next = full
        if ended:
            user.next = level[bits:] - 1

    return choose


@block
def pass_number(clk, move, number, number_after):
    @always(clk.posedge)
    def go():
        if move:
            number_after.next = number

    return go


@block
def note_check(clk, rst, close, remainder, check, m_chunk, free):
    """At W = 1 the check is there when the chunk closes."""

    @always_comb
    def outputs_free():
        free.next = not m_chunk.tvalid

    @always(clk.posedge)
    def note():
        if close:
            check.next = remainder

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if close:
            m_chunk.tvalid.next = True
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    return instances()


@block
def settle(clk, rst, close, number, remainder, check, m_chunk, free, fmt):
    """The check counts what the last group lacks as zeros: take them off, a byte a cycle."""
    byte_bits = (fmt.width // 8 - 1).bit_length()
    waiting = Signal(bool(0))  # the totals are there, the check is not
    lacking = Signal(intbv(0)[len(number) :])
    left = Signal(modbv(0)[len(number) + byte_bits :])
    shorter = Signal(intbv(0)[CHECK:])

    shortening = crc32.shorten(check, shorter)

    @always_comb
    def outputs_free():
        free.next = not waiting and not m_chunk.tvalid

    @always_comb
    def measure():
        lacking.next = ~number

    @always(clk.posedge)
    def take_off():
        if close:
            check.next = remainder
            left.next = concat(lacking, intbv(0)[byte_bits:])
        elif waiting:
            check.next = shorter
            left.next = left - 1

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if close:
            m_chunk.tvalid.next = lacking == 0
            waiting.next = lacking != 0
        elif waiting and left == 1:
            m_chunk.tvalid.next = True
            waiting.next = False
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    return instances()
