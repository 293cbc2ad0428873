# SPDX-License-Identifier: Apache-2.0
"""token_reverse: give the classes of each chunk's tokens back, last pair first, if it has any.

Role         between zero_tokens and code_schedule, as chunk_reverse is for exponents
Golden       find_runs of swmodel/reference/zeros.py, reversed(); choose_zeros of choose.py
Format       swmodel/FORMAT.md sections 4.2 (known runs) and 6 (encoding)
Parameters   width: of code_schedule, which codes up to so many tokens at once

A chunk gets as many pairs of no class as make its tokens fill whole rounds of the lanes: those of
the lanes that have no last token are passed over by them.
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

from hls.point import MOST_PAIRS, POINT
from hls.ram import ram
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract
from hls.zero_tokens import CLASS

ROUND = POINT.lanes // 2  # pairs of a round of the lanes
ROUND_LOG2 = (ROUND - 1).bit_length()
INDEX = (MOST_PAIRS - 1).bit_length()  # bits of a pair's number
NO_CLASS = (1 << CLASS) - 1
SLOTS = 3  # chunks in the memory: the one that leaves, the next, and the one that enters
LAST_SLOT = SLOTS - 1

ENTERING, CLOSING = range(2)
IDLE, STARTING, SHOWING = range(3)

CONTRACT = Contract(latency=3, interval=1)  # from a chunk's choice to its last pair


def pairs_at_once(width: int) -> int:
    """Pairs of a word that leaves."""
    return max(1, width // 2)


def ports(width=1):
    return {
        "s_axis": AxiStream(2 * CLASS),
        "s_choice": AxiStream(3, last=False),
        "m_axis": AxiStream(2 * CLASS * pairs_at_once(width), user=2),
    }


@block
def token_reverse(clk, rst, s_axis, s_choice, m_axis, width=1):
    """Take a pair a cycle; a chunk whose pairs fill no whole rounds takes up to 3 cycles more.

    s_axis    in   zero_tokens's classes: those of up to 1024 pairs, if they are to be coded
    s_choice  in   zero_part's choice for the chunk
    m_axis    out  a packet for each chunk whose nnz is not 0: if it has known runs, its pairs from
                   the last to the first, tdata = {class of the run, of the distance}, 15 for none,
                   at width 4 two pairs, the later one above; else one word. tuser = {the known
                   tables, there are pairs}
    rst       in   synchronous, active high; drops everything in flight
    """
    pairs = pairs_at_once(width)
    low = (pairs - 1).bit_length()
    depth = SLOTS * MOST_PAIRS // pairs
    last_of_round = ROUND // pairs - 1
    passed = MOST_PAIRS // pairs - 1  # the place before the first
    # the chunk that enters
    state = Signal(intbv(ENTERING)[1:])
    slot = Signal(intbv(0, min=0, max=SLOTS))
    index = Signal(modbv(0)[INDEX:])
    write = Signal(bool(0))
    data = Signal(intbv(0)[2 * CLASS :])
    filled = Signal(bool(0))  # whole rounds
    push = Signal(bool(0))
    drop = Signal(bool(0))

    # the chunk that waits
    waiting = Signal(bool(0))
    waiting_choice = Signal(intbv(0)[2:])
    waiting_rounds = Signal(modbv(0)[INDEX - ROUND_LOG2 :])  # less one

    # the chunk that leaves
    read_state = Signal(intbv(IDLE)[2:])
    read_slot = Signal(intbv(0, min=0, max=SLOTS))
    place = Signal(modbv(0)[INDEX - low :])  # of the word to read
    choice = Signal(intbv(0)[2:])
    read = Signal(bool(0))
    last = Signal(bool(0))
    shown = Signal(intbv(0)[2 * CLASS * pairs :])

    address, read_address = ConcatSignal(slot, index(INDEX, low)), ConcatSignal(read_slot, place)
    banks, pairs_read = [], []
    for bank in range(pairs):
        write_here, pair = Signal(bool(0)), Signal(intbv(0)[2 * CLASS :])
        banks.append(reach(write, index, write_here, bank, pairs))
        banks.append(ram(clk, write_here, address, data, read, read_address, pair, depth))
        pairs_read.append(pair)
    joined = side_by_side(pairs_read, shown)

    @always_comb
    def enter():
        s_axis.tready.next = state == ENTERING
        filled.next = index[ROUND_LOG2:] == 0
        data.next = s_axis.tdata
        write.next = s_axis.tvalid and not s_axis.tlast
        if state == CLOSING:
            data.next = concat(intbv(NO_CLASS)[CLASS:], intbv(NO_CLASS)[CLASS:])
            write.next = not filled

    @always_comb
    def finish():
        s_choice.tready.next = state == CLOSING and filled and not waiting
        push.next = state == CLOSING and filled and not waiting and s_choice.tvalid

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if state == ENTERING:
            if s_axis.tvalid and s_axis.tlast:
                state.next = CLOSING
        elif push:
            state.next = ENTERING
        if write:
            index.next = index + 1
        elif push:
            index.next = 0
        if push and s_choice.tdata[2]:
            waiting.next = True
            slot.next = slot + 1
            if slot == LAST_SLOT:
                slot.next = 0
        elif read_state == IDLE:
            waiting.next = False

    @always(clk.posedge)
    def keep():
        if push:
            waiting_choice.next = s_choice.tdata[2:]
            waiting_rounds.next = index[:ROUND_LOG2] - 1

    @always_comb
    def fetch():
        last.next = not choice[0] or place == passed
        read.next = read_state == STARTING or (read_state == SHOWING and m_axis.tready)

    @always_seq(clk.posedge, reset=rst)
    def leave():
        if read_state == IDLE:
            if waiting:
                read_state.next = STARTING
        elif read_state == STARTING:
            read_state.next = SHOWING
        elif m_axis.tready and last:
            read_state.next = IDLE
            read_slot.next = read_slot + 1
            if read_slot == LAST_SLOT:
                read_slot.next = 0

    @always(clk.posedge)
    def walk():
        if read_state == IDLE:
            choice.next = waiting_choice
            place.next = concat(waiting_rounds, intbv(last_of_round)[ROUND_LOG2 - low :])
        elif read:
            place.next = place - 1

    @always_comb
    def show():
        m_axis.tvalid.next = read_state == SHOWING
        m_axis.tlast.next = last
        m_axis.tuser.next = choice
        m_axis.tdata.next = 0
        if choice[0]:
            m_axis.tdata.next = shown

    return instances()


@block
def reach(write, index, write_here, bank, banks):
    """Whether a pair is written to this bank."""
    if banks == 1:

        @always_comb
        def look():
            write_here.next = write

    else:

        @always_comb
        def look():
            write_here.next = write and index[0] == bank

    return look
