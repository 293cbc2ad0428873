# SPDX-License-Identifier: Apache-2.0
"""token_reverse: give the classes of each chunk's tokens back, last pair first, if it has any.

Role         between zero_tokens and code_schedule, as chunk_reverse is for exponents
Golden       find_runs of swmodel/reference/zeros.py, reversed(); choose_zeros of choose.py
Format       swmodel/FORMAT.md sections 4.2 (known runs) and 6 (encoding)

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

from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract
from hls.zero_tokens import CLASS, MOST_PAIRS

ROUND = POINT.lanes // 2  # pairs of a round of the lanes
ROUND_LOG2 = (ROUND - 1).bit_length()
INDEX = (MOST_PAIRS - 1).bit_length()  # bits of a pair's number
NO_CLASS = (1 << CLASS) - 1
SLOTS = 3  # chunks in the memory: the one that leaves, the next, and the one that enters
LAST_SLOT = SLOTS - 1

ENTERING, CLOSING = range(2)
IDLE, STARTING, SHOWING = range(3)

CONTRACT = Contract(latency=3, interval=1)  # from a chunk's choice to its last pair


def ports():
    return {
        "s_axis": AxiStream(2 * CLASS),
        "s_choice": AxiStream(3, last=False),
        "m_axis": AxiStream(2 * CLASS, user=3),
    }


@block
def token_reverse(clk, rst, s_axis, s_choice, m_axis):
    """Take a pair a cycle; a chunk whose pairs fill no whole rounds takes up to 3 cycles more.

    s_axis    in   zero_tokens's classes: those of up to 1024 pairs, if they are to be coded
    s_choice  in   zero_part's choice for the chunk
    m_axis    out  a packet for each chunk whose nnz is not 0: if it has known runs, its pairs from
                   the last to the first, tdata = {class of the run, of the distance}, 15 for none;
                   else one word. tuser = {the pair's number is odd, the known tables, there is a
                   pair}
    rst       in   synchronous, active high; drops everything in flight
    """
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
    place = Signal(modbv(0)[INDEX:])  # of the pair to read
    choice = Signal(intbv(0)[2:])
    read = Signal(bool(0))
    last = Signal(bool(0))
    shown = Signal(intbv(0)[2 * CLASS :])

    memory = ram(
        clk,
        write,
        ConcatSignal(slot, index),
        data,
        read,
        ConcatSignal(read_slot, place),
        shown,
        SLOTS * MOST_PAIRS,
    )

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
        last.next = not choice[0] or place == MOST_PAIRS - 1  # it has passed the first
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
            place.next = concat(waiting_rounds, intbv(ROUND - 1)[ROUND_LOG2:])
        elif read:
            place.next = place - 1

    @always_comb
    def show():
        m_axis.tvalid.next = read_state == SHOWING
        m_axis.tlast.next = last
        m_axis.tuser.next = concat(not place[0], choice)
        m_axis.tdata.next = 0
        if choice[0]:
            m_axis.tdata.next = shown

    return instances()
