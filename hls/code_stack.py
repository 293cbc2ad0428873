# SPDX-License-Identifier: Apache-2.0
"""code_stack: give each packet of bytes back last to first, as words.

Role         between lane_enc, which makes a chunk's bytes backwards, and chunk_assemble
Golden       bytes(reversed())
Format       swmodel/FORMAT.md section 6 (encoding)
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

WORD = 32
LONGEST = 2 * POINT.lanes + 2 * POINT.blocks + POINT.chunk  # bytes: lanes, block headers, codes
SIZE = LONGEST.bit_length()
DEPTH = 2048  # words of the memory, a ring that fills downwards: the longest packet and more
DEPTH_LOG2 = (DEPTH - 1).bit_length()
CROWDED = DEPTH - 8  # words in use at which no more bytes are taken

CONTRACT = Contract(latency=3, interval=1)  # from a packet's last byte taken to its first word
PACKET_PAUSE = 1  # cycles in which no byte is taken after a packet's last


def ports():
    return {
        "s_axis": AxiStream(16, keep=True),
        "m_axis": AxiStream(WORD, keep=True, user=SIZE),
    }


@block
def code_stack(clk, rst, s_axis, m_axis):
    """Take one or two bytes a cycle; pause one after a packet's last.

    s_axis  in   the packet's bytes from its last to its first, 4128 at most. tkeep 1: tdata =
                 {any, byte}; 3: tdata = {byte, the one in front of it}; tlast = the packet's first.
                 A packet that has entered waits for the one before it to leave
    m_axis  out  the packet from its first byte on. Its first word holds what makes the others full,
                 tkeep = 1, 3, 7 or 15; tuser = the packet's size in bytes, in all words
    rst     in   synchronous, active high; drops everything in flight
    """
    # Addresses have one bit more than the memory, to tell a full ring from an empty one.
    held = Signal(intbv(0)[WORD - 8 :])  # the bytes that do not fill a word, the others 0
    held_bytes = Signal(intbv(0)[2:])
    total = Signal(intbv(0)[3:])  # with those that enter
    full_words = Signal(modbv(0)[SIZE - 2 :])
    closing = Signal(bool(0))  # a packet has entered
    crowded = Signal(bool(0))
    lowest = Signal(modbv(0)[DEPTH_LOG2 + 1 :])  # address of the word written last
    below = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    used = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    take = Signal(bool(0))
    close = Signal(bool(0))
    write = Signal(bool(0))
    write_data = Signal(intbv(0)[WORD:])

    # the packet that leaves
    leaving = Signal(bool(0))
    start = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    place = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    following = Signal(modbv(0)[DEPTH_LOG2 + 1 :])
    bound = Signal(modbv(0)[DEPTH_LOG2 + 1 :])  # behind it; what is not below this is free
    size = Signal(intbv(0)[SIZE:])
    read = Signal(bool(0))
    read_all = Signal(bool(0))
    first = Signal(bool(0))

    memory = ram(
        clk,
        write,
        below(DEPTH_LOG2, 0),
        write_data,
        read,
        place(DEPTH_LOG2, 0),
        m_axis.tdata,
        DEPTH,
    )

    @always_comb
    def accept():
        s_axis.tready.next = not (closing or crowded)
        take.next = s_axis.tvalid and not (closing or crowded)
        close.next = closing and not leaving

    @always_comb
    def count():
        if s_axis.tkeep[1]:
            total.next = concat(intbv(0)[1:], held_bytes) + 2
        else:
            total.next = concat(intbv(0)[1:], held_bytes) + 1

    @always_comb
    def store():
        below.next = lowest - 1
        write.next = (take and total[2]) or (close and held_bytes != 0)
        if closing:
            write_data.next = concat(intbv(0)[8:], held)
        elif not s_axis.tkeep[1]:
            write_data.next = concat(held, s_axis.tdata[8:])
        elif held_bytes[0]:
            write_data.next = concat(held, s_axis.tdata[16:8])
        else:
            write_data.next = concat(held[16:], s_axis.tdata)

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if take:
            held_bytes.next = total[2:]
            if total[2]:
                full_words.next = full_words + 1
                held.next = 0
                if total[0]:
                    held.next = concat(intbv(0)[16:], s_axis.tdata[8:])
            elif s_axis.tkeep[1]:
                held.next = concat(held[8:], s_axis.tdata)
            else:
                held.next = concat(held[16:], s_axis.tdata[8:])
            closing.next = s_axis.tlast
        if close:
            held.next = 0
            held_bytes.next = 0
            full_words.next = 0
            closing.next = False
        if write:
            lowest.next = below

    @always_comb
    def usage():
        used.next = bound - lowest

    @always_seq(clk.posedge, reset=rst)
    def crowd():
        crowded.next = used >= CROWDED

    @always_comb
    def depart():
        following.next = place + 1
        read.next = leaving and not read_all and (not m_axis.tvalid or m_axis.tready)

    @always_seq(clk.posedge, reset=rst)
    def leave():
        if close:
            leaving.next = True
        if read:
            m_axis.tvalid.next = True
            read_all.next = following == bound
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if m_axis.tvalid and m_axis.tready and read_all:
            leaving.next = False
            read_all.next = False
            bound.next = start

    @always(clk.posedge)
    def walk():
        if close:
            size.next = concat(full_words, held_bytes)
            start.next = lowest
            place.next = lowest
            if held_bytes != 0:
                start.next = below
                place.next = below
            first.next = True
        if read:
            place.next = following
            first.next = False
            m_axis.tkeep.next = 15
            if first:
                if size[2:] == 1:
                    m_axis.tkeep.next = 1
                elif size[2:] == 2:
                    m_axis.tkeep.next = 3
                elif size[2:] == 3:
                    m_axis.tkeep.next = 7

    @always_comb
    def show():
        m_axis.tlast.next = read_all
        m_axis.tuser.next = size

    return instances()
