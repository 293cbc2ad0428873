# SPDX-License-Identifier: Apache-2.0
"""block_max: hold the exponents of a block until their maximum is known.

Role         first pass of the table choice; huff_choice does the second
Golden       max() over each 512 non-zeros of a chunk
Format       swmodel/FORMAT.md section 5 (emax)
"""

from __future__ import annotations

from myhdl import (
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

EXPONENT = 8
LAST = POINT.block - 1
PLACE = LAST.bit_length()  # bits of a place in a block
DEPTH = 2 * POINT.block  # a block that leaves, and one that enters; both do so a value a cycle
DEPTH_LOG2 = PLACE + 1
CHUNK_END = EXPONENT  # bit of tuser

CONTRACT = Contract(latency=3, interval=1)  # from a block's last exponent to its first on m_axis


def ports():
    return {"s_axis": AxiStream(EXPONENT), "m_axis": AxiStream(EXPONENT, user=EXPONENT + 1)}


@block
def block_max(clk, rst, s_axis, m_axis):
    """Pass one exponent a cycle, a block late.

    s_axis  in   tdata = exponent of a non-zero; tlast = the chunk's last. A block ends there and
                 after 512 values; while one leaves and one waits, the next may not end
    m_axis  out  the same exponents; tlast = the block's last; tuser = {the chunk's last block,
                 maximum} of the block, in each of its words
    rst     in   synchronous, active high; drops everything in flight
    """
    # the block that enters
    tail = Signal(modbv(0)[DEPTH_LOG2 + 1 :])  # a bit more tells a full ring from an empty one
    place = Signal(modbv(0)[PLACE:])
    maximum = Signal(intbv(0)[EXPONENT:])
    greatest = Signal(intbv(0)[EXPONENT:])  # of the block, with the value that enters
    opening = Signal(bool(1))
    closing = Signal(bool(0))
    take = Signal(bool(0))
    full = Signal(bool(0))

    # the block that has ended and waits
    waiting = Signal(bool(0))
    waiting_last = Signal(modbv(0)[PLACE:])  # place of its last value
    waiting_maximum = Signal(intbv(0)[EXPONENT:])
    waiting_end = Signal(bool(0))

    # the block that leaves
    head = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    leaving = Signal(bool(0))
    left = Signal(modbv(0)[PLACE:])  # values after this one
    emax = Signal(intbv(0)[EXPONENT:])
    chunk_end = Signal(bool(0))
    read = Signal(bool(0))
    turn = Signal(bool(0))  # the waiting block becomes the leaving one

    memory = ram(
        clk,
        take,
        tail(DEPTH_LOG2, 0),
        s_axis.tdata,
        read,
        head(DEPTH_LOG2, 0),
        m_axis.tdata,
        DEPTH,
    )

    @always_comb
    def fullness():
        full.next = (tail ^ head) == DEPTH

    @always_comb
    def accept():
        s_axis.tready.next = not full and (not closing or not waiting or turn)
        take.next = s_axis.tvalid and not full and (not closing or not waiting or turn)

    @always_comb
    def depart():
        read.next = leaving and (not m_axis.tvalid or m_axis.tready)
        turn.next = waiting and (
            not leaving or (left == 0 and (not m_axis.tvalid or m_axis.tready))
        )

    @always_comb
    def compare():
        closing.next = s_axis.tlast or place == LAST
        greatest.next = s_axis.tdata
        if not opening and maximum > s_axis.tdata:
            greatest.next = maximum

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if take:
            tail.next = tail + 1
            opening.next = closing
            place.next = place + 1
            if closing:
                place.next = 0
        if take and closing:
            waiting.next = True
        elif turn:
            waiting.next = False

    @always(clk.posedge)
    def note():
        if take:
            maximum.next = greatest
            if closing:
                waiting_last.next = place
                waiting_maximum.next = greatest
                waiting_end.next = s_axis.tlast

    @always_seq(clk.posedge, reset=rst)
    def leave():
        if read:
            head.next = head + 1
            m_axis.tvalid.next = True
            if left == 0:
                leaving.next = False
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if turn:
            leaving.next = True

    @always(clk.posedge)
    def describe():
        if read:
            m_axis.tlast.next = left == 0
            m_axis.tuser.next = concat(chunk_end, emax)
            left.next = left - 1
        if turn:
            left.next = waiting_last
            emax.next = waiting_maximum
            chunk_end.next = waiting_end

    return instances()
