# SPDX-License-Identifier: Apache-2.0
"""zero_part: the part `zeros` of a chunk, as a bitmap or as known runs, whichever is smaller.

Role         between zero_split and chunk_assemble; zero_tokens makes the runs
Golden       choose_zeros of swmodel/reference/choose.py, write_bitmap of swmodel/reference/zeros.py
Format       swmodel/FORMAT.md sections 4.1, 4.2 (known runs) and 8, rules 1 and 5
Parameters   width: W, flags of a group

Both are written while the chunk enters, each at its own place in a quarter of the memory. At the
chunk's end the one that is not wanted is forgotten, and a head is written that says what to read.
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

from hls.bitmap_words import SUMMARIES, SUMMARIES_LOG2, WORD, WORDS, bitmap_words
from hls.point import MOST_PAIRS
from hls.ram import ram
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract
from hls.zero_pairs import NUMBER
from hls.zero_split import COUNT
from hls.zero_tokens import COST, FIELD_BYTES, SIZE, SUMS

WORD_BYTES = WORD // 8
LEFT = (WORD_BYTES * (SUMMARIES + WORDS)).bit_length()  # bits of the size of a part
SHORT_BYTES = FIELD_BYTES - WORD_BYTES  # of their second word
CHUNKS = 4  # in the memory
PLACE = 8  # bits of a place in a chunk's quarter: the summary, then the bitmap's words
FIELDS = 190  # place of the fields, in two words; then come the extra bytes
EXTRA = FIELDS + 2
HEAD = 255  # place of the head
HEAD_BITS = LEFT + SUMMARIES_LOG2 + 1

OPEN, LISTING, SIZING, LEAVING = range(4)  # steps of a chunk's end
IDLE, FETCHING, HEADING, STARTING, SHOWING = range(5)  # states of what leaves

CONTRACT = Contract(latency=11, interval=1)  # from a chunk's last group, if it is the last to come
CHUNK_PAUSE = 6  # cycles without a group taken after a chunk's last


def ports(width=1):
    return {
        "s_axis": AxiStream(width),
        "s_runs": AxiStream(SUMS + SIZE + 8),
        "s_chunk": AxiStream(COUNT, last=False),
        "m_choice": AxiStream(3, last=False),
        "m_axis": AxiStream(WORD, keep=True, user=LEFT + 1),
    }


@block
def zero_part(clk, rst, s_axis, s_runs, s_chunk, m_choice, m_axis, width=1):
    """Take W flags a cycle; pause 6 after a chunk's last, 1 at each other 1024th of a chunk.

    s_axis    in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the chunk's
                   last
    s_runs    in   zero_tokens's packet for the chunk
    s_chunk   in   tdata = the chunk's nnz
    m_choice  out  a word a chunk: tdata = {nnz is not 0, the tables of known runs, they are chosen}
    m_axis    out  a packet a chunk: the part's bytes, four a word, but three in the second of known
                   runs, and in the last what is left; others are 0. If no value or every value is
                   zero, a word without bytes. tuser = {known runs, bytes from this word on}
    rst       in   synchronous, active high; drops everything in flight
    """
    # what enters
    word = Signal(intbv(0)[WORD:])
    write_word = Signal(bool(0))
    summary = Signal(intbv(0)[WORD:])
    summary_last = Signal(intbv(0)[SUMMARIES_LOG2:])  # number of the summary's last word
    write_summary = Signal(bool(0))
    ended = Signal(bool(0))
    hold = Signal(bool(0))

    # the end of a chunk
    step = Signal(intbv(OPEN)[2:])
    close = Signal(bool(0))
    pairs = Signal(intbv(0)[NUMBER:])
    at = 8 + SIZE
    extra = Signal(intbv(0)[8:])
    others = Signal(intbv(0)[8:])  # what the first of a word writes as its others
    extra_bytes = Signal(intbv(0)[SIZE:])  # or the number of that one
    cost_0 = Signal(intbv(0)[COST:])
    cost_1 = Signal(intbv(0)[COST:])
    known = Signal(bool(0))  # tables 1 are the cheaper
    cost = Signal(intbv(0)[COST:])
    least = Signal(intbv(0)[COST - 2 :])  # whole bytes that runs cost
    some = Signal(bool(0))  # of the values are zero, but not all
    few = Signal(bool(0))  # pairs
    runs = Signal(bool(0))  # the choice
    missing = Signal(intbv(0)[SUMMARIES_LOG2:])  # words of a full chunk's summary
    words = Signal(modbv(0)[PLACE:])  # of the bitmap and its summary
    bitmap_size = Signal(intbv(0)[LEFT:])
    runs_size = Signal(intbv(0)[LEFT:])
    size = Signal(intbv(0)[LEFT:])

    # the memory: four of one byte each
    slot = Signal(modbv(0)[2:])
    bitmap_end = Signal(modbv(SUMMARIES)[PLACE:])  # place of the bitmap's next word
    write_place = Signal(intbv(0)[PLACE:])
    write_extra = Signal(bool(0))
    write_all = Signal(bool(0))
    data = Signal(intbv(0)[WORD:])
    waiting = Signal(intbv(0)[3:])  # parts that are complete

    # the part that leaves
    state = Signal(intbv(IDLE)[3:])
    head = Signal(intbv(0)[HEAD_BITS:])
    read_slot = Signal(modbv(0)[2:])
    place = Signal(modbv(HEAD)[PLACE:])  # of the word to read
    read = Signal(bool(0))
    leave = Signal(bool(0))
    left = Signal(modbv(0)[LEFT:])
    read_runs = Signal(bool(0))
    read_summary_last = Signal(intbv(0)[SUMMARIES_LOG2:])
    short = Signal(bool(0))  # the word has three bytes
    last = Signal(bool(0))

    bitmap = bitmap_words(
        clk, rst, s_axis, hold, close, write_word, word, write_summary, summary, summary_last,
        ended, width,
    )  # fmt: skip
    memory = byte_rams(
        clk, write_all, write_extra, extra_bytes, slot, write_place, data, read, read_slot, place,
        m_axis.tdata,
    )  # fmt: skip

    @always_comb
    def cut():
        extra.next = s_runs.tdata[8:]
        others.next = 0
        if s_runs.tdata[10:8] != 0:
            others.next = s_runs.tdata[8:]
        extra_bytes.next = s_runs.tdata[8 + SIZE : 8]
        pairs.next = s_runs.tdata[at + NUMBER : at]
        cost_0.next = s_runs.tdata[at + NUMBER + COST : at + NUMBER]
        cost_1.next = s_runs.tdata[at + NUMBER + 2 * COST : at + NUMBER + COST]

    @always_comb
    def measure():
        missing.next = ~summary_last
        words.next = bitmap_end - concat(intbv(0)[PLACE - SUMMARIES_LOG2 :], missing)
        runs_size.next = concat(intbv(0)[LEFT - SIZE :], extra_bytes) + FIELD_BYTES
        bitmap_size.next = concat(words, intbv(0)[2:])

    @always_comb
    def compare():
        cost.next = cost_0
        if known:
            cost.next = cost_1
        least.next = concat(intbv(0)[1:], cost[COST:3]) + concat(
            intbv(0)[COST - 2 - SIZE :], extra_bytes
        )
        some.next = pairs != 0 and s_chunk.tdata != 0
        few.next = pairs <= MOST_PAIRS

    @always_comb
    def choose_size():
        size.next = 0
        if runs:
            size.next = runs_size
        elif some:
            size.next = bitmap_size

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if step == OPEN:
            if ended and s_runs.tvalid and s_runs.tlast and s_chunk.tvalid and not m_choice.tvalid:
                step.next = LISTING
        elif step == LISTING:
            step.next = SIZING
        elif step == SIZING:
            step.next = LEAVING
        else:
            step.next = OPEN

    @always(clk.posedge)
    def choose():
        if step == OPEN:
            known.next = cost_1 < cost_0
        elif step == LISTING:  # what is left out of `cost` is less than a byte
            runs.next = some and few and least < concat(intbv(0)[COST - 2 - LEFT :], bitmap_size)

    @always_comb
    def finish():
        close.next = step == LEAVING
        s_chunk.tready.next = step == LEAVING
        hold.next = waiting[2]

    @always_comb
    def store():
        s_runs.tready.next = not (write_word or write_summary)
        if s_runs.tlast:
            s_runs.tready.next = close
        write_extra.next = s_runs.tvalid and not (s_runs.tlast or write_word or write_summary)
        write_all.next = write_word or write_summary or step != OPEN
        write_place.next = concat(intbv(EXTRA >> 6)[2:], extra_bytes[SIZE:2])
        data.next = concat(others, others, others, extra)
        if write_word:
            write_place.next = bitmap_end
            data.next = word
        elif write_summary:
            write_place.next = concat(intbv(0)[PLACE - SUMMARIES_LOG2 :], summary_last)
            data.next = summary
        elif step == LISTING:
            write_place.next = FIELDS
            data.next = concat(
                intbv(0)[16 - NUMBER :], pairs, intbv(0)[16 - COUNT :], s_chunk.tdata
            )
        elif step == SIZING:
            write_place.next = FIELDS + 1
            data.next = concat(intbv(0)[15:], known, intbv(0)[16 - SIZE :], extra_bytes)
        elif close:
            write_place.next = HEAD
            data.next = concat(intbv(0)[WORD - HEAD_BITS :], runs, summary_last, size)

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if close:
            slot.next = slot + 1
            bitmap_end.next = SUMMARIES
        elif write_word:
            bitmap_end.next = bitmap_end + 1
        if close and not (leave and last):
            waiting.next = waiting + 1
        elif leave and last and not close:
            waiting.next = waiting - 1
        if close:
            m_choice.tvalid.next = True
        elif m_choice.tready:
            m_choice.tvalid.next = False

    @always(clk.posedge)
    def tell():
        if close:
            m_choice.tdata.next = concat(s_chunk.tdata != 0, known, runs)

    @always_comb
    def fetch():
        leave.next = state == SHOWING and m_axis.tready
        last.next = left <= 3 or (left == 4 and not short)
        read.next = (
            (state == IDLE and waiting != 0)
            or state == STARTING
            or (state == SHOWING and m_axis.tready)
        )

    @always_seq(clk.posedge, reset=rst)
    def go_on():
        if state == IDLE:
            if waiting != 0:
                state.next = FETCHING
        elif state == FETCHING:
            state.next = HEADING
        elif state == HEADING:
            state.next = STARTING
        elif state == STARTING:
            state.next = SHOWING
        elif m_axis.tready and last:
            state.next = IDLE
            read_slot.next = read_slot + 1

    @always_seq(clk.posedge, reset=rst)
    def walk():
        if state == HEADING:
            left.next = head[LEFT:]
            read_summary_last.next = head[LEFT + SUMMARIES_LOG2 : LEFT]
            read_runs.next = head[LEFT + SUMMARIES_LOG2]
            place.next = 0
            if head[LEFT + SUMMARIES_LOG2]:
                place.next = FIELDS
        elif leave and last:
            place.next = HEAD
        elif read and state != IDLE:
            place.next = place + 1
            if place == concat(intbv(0)[PLACE - SUMMARIES_LOG2 :], read_summary_last):
                place.next = SUMMARIES
        if leave:
            left.next = left - WORD_BYTES
            if short:
                left.next = left - SHORT_BYTES

    @always(clk.posedge)
    def keep():
        head.next = m_axis.tdata[HEAD_BITS:]

    @always_comb
    def show():
        short.next = read_runs and place[6:] == 0  # it is behind the word that is shown
        m_axis.tvalid.next = state == SHOWING
        m_axis.tlast.next = last
        m_axis.tkeep.next = concat(left >= 4 and not short, left >= 3, left >= 2, left != 0)
        m_axis.tuser.next = concat(read_runs, left)

    return instances()


@block
def byte_rams(
    clk, write_all, write_one, number, slot, write_place, data, read, read_slot, place, shown
):
    """A memory of words, of which a byte may be written alone.

    write_all         in   write the word
    write_one, number in   write the byte that the lowest bits of the number name; all if it is 0
    slot, write_place in   the address
    data              in   the word, or one that has the byte in its place
    read, read_slot, place, shown   as of hls/ram.py
    """
    address, read_address = ConcatSignal(slot, write_place), ConcatSignal(read_slot, place)
    depth = 1 << len(address)
    banks, bytes_read = [], []
    for bank in range(WORD_BYTES):
        write, byte = Signal(bool(0)), Signal(intbv(0)[8:])
        low, top = 8 * bank, 8 * bank + 8
        banks.append(reach(write_all, write_one, number, write, bank))
        banks.append(ram(clk, write, address, data(top, low), read, read_address, byte, depth))
        bytes_read.append(byte)
    return banks, side_by_side(bytes_read, shown)


@block
def reach(write_all, write_one, number, write, bank):
    """Whether a bank is written."""

    @always_comb
    def look():
        write.next = write_all or (write_one and (number[2:] == bank or number[2:] == 0))

    return look
