# SPDX-License-Identifier: Apache-2.0
"""zero_bitmap: the `zeros` part of a chunk from one flag a value, a group of them a cycle.

Role         between zero_split and chunk_assemble, which drops the part where the chunk has none
Golden       zero_bitmap of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 4.1
Parameters   width: W, flags of a group
"""

from __future__ import annotations

from myhdl import (
    Signal,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
    modbv,
)

from hls.bitmap_words import SUMMARIES, SUMMARIES_LOG2, WORD, WORDS, bitmap_words
from hls.fifo import fifo
from hls.ram import ram
from hls.stream import AxiStream, Contract

LONGEST = SUMMARIES + WORDS  # words of a packet
PARTS = LONGEST.bit_length()  # bits of their number
DEPTH = 512  # words of the memory, the bitmaps of three chunks, in groups of SUMMARIES
DEPTH_LOG2 = (DEPTH - 1).bit_length()
CROWDED = 8  # groups that a chunk's end and a chunk of one value may take before it shows
CHUNKS = 4  # that may wait

CONTRACT = Contract(latency=5, interval=1)  # from a chunk's last group to its packet
CHUNK_PAUSE = 3  # cycles without a group taken after a chunk's last


def ports(width=1):
    return {"s_axis": AxiStream(width), "m_axis": AxiStream(WORD, user=PARTS)}


@block
def zero_bitmap(clk, rst, s_axis, m_axis, width=1):
    """Take W flags a cycle; pause 3 after a chunk's last, 1 at each other 1024th of a chunk.

    s_axis  in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the chunk's
                 last
    m_axis  out  a packet a chunk: the words of the summary, then the bitmap's words that are not 0;
                 tuser = the packet's number of words, in each of them
    rst     in   synchronous, active high; drops everything in flight
    """
    # what enters: words, and those of the summary
    word = Signal(intbv(0)[WORD:])
    write_word = Signal(bool(0))
    summary = Signal(intbv(0)[WORD:])
    summary_number = Signal(intbv(0)[SUMMARIES_LOG2:])
    write_summary = Signal(bool(0))
    ended = Signal(bool(0))  # all of the chunk's are written
    close = Signal(bool(0))
    crowded = Signal(bool(0))  # the memory is nearly full

    # the memory, a ring: a chunk begins with a group for its summary, and uses what it needs of it
    base = Signal(modbv(0)[DEPTH_LOG2 - SUMMARIES_LOG2 :])
    address = Signal(modbv(SUMMARIES)[DEPTH_LOG2:])  # of the next word
    next_base = Signal(modbv(0)[DEPTH_LOG2 - SUMMARIES_LOG2 :])
    next_group = Signal(modbv(0)[DEPTH_LOG2 - SUMMARIES_LOG2 :])
    parts = Signal(modbv(0)[PARTS:])  # words written
    write = Signal(bool(0))
    write_address = Signal(modbv(0)[DEPTH_LOG2:])
    write_data = Signal(intbv(0)[WORD:])

    # packets that are complete: number of words, and of summary words less one
    complete = AxiStream(PARTS + SUMMARIES_LOG2, last=False)
    waiting = AxiStream(PARTS + SUMMARIES_LOG2, last=False)
    packets = fifo(clk, rst, complete, waiting, CHUNKS)

    place = Signal(modbv(0)[DEPTH_LOG2:])  # of the next word to read
    room = Signal(modbv(0)[DEPTH_LOG2 - SUMMARIES_LOG2 :])
    after_place = Signal(modbv(0)[DEPTH_LOG2 - SUMMARIES_LOG2 :])  # the group behind it
    read_parts = Signal(modbv(0)[PARTS:])
    read_parts_next = Signal(modbv(0)[PARTS:])
    summary_last = Signal(modbv(0)[PARTS:])  # number of the summary's last word
    read_all = Signal(bool(0))  # the packet's last word is on m_axis
    read = Signal(bool(0))
    leaving = Signal(bool(0))

    words = bitmap_words(
        clk, rst, s_axis, crowded, close, write_word, word, write_summary, summary, summary_number,
        ended, width,
    )  # fmt: skip
    memory = ram(clk, write, write_address, write_data, read, place, m_axis.tdata, DEPTH)

    @always_comb
    def store():
        write.next = write_summary or write_word
        write_address.next = address
        write_data.next = word
        if write_summary:
            write_address.next = concat(base, summary_number)
            write_data.next = summary

    @always_comb
    def following():
        next_base.next = address[DEPTH_LOG2:SUMMARIES_LOG2]
        if address[SUMMARIES_LOG2:] != 0:
            next_base.next = address[DEPTH_LOG2:SUMMARIES_LOG2] + 1

    @always_comb
    def skip():
        next_group.next = next_base + 1
        after_place.next = place[DEPTH_LOG2:SUMMARIES_LOG2] + 1
        read_parts_next.next = read_parts + 1

    @always_comb
    def announce():
        complete.tvalid.next = ended
        complete.tdata.next = concat(summary_number, parts)
        close.next = ended and complete.tready

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if write:
            parts.next = parts + 1
            if not write_summary:
                address.next = address + 1
        if close:
            parts.next = 0
            base.next = next_base
            address.next = concat(next_group, intbv(0)[SUMMARIES_LOG2:])

    @always_comb
    def distance():
        room.next = place[DEPTH_LOG2:SUMMARIES_LOG2] - address[DEPTH_LOG2:SUMMARIES_LOG2]

    @always_seq(clk.posedge, reset=rst)
    def crowd():
        crowded.next = room < CROWDED

    @always_comb
    def fetch():
        read.next = waiting.tvalid and not read_all and (not m_axis.tvalid or m_axis.tready)
        leaving.next = m_axis.tvalid and m_axis.tready and read_all
        waiting.tready.next = m_axis.tvalid and m_axis.tready and read_all
        m_axis.tuser.next = waiting.tdata[PARTS:]
        summary_last.next = concat(
            intbv(0)[PARTS - SUMMARIES_LOG2 :], waiting.tdata[PARTS + SUMMARIES_LOG2 : PARTS]
        )

    @always_seq(clk.posedge, reset=rst)
    def show():
        if read:
            m_axis.tvalid.next = True
            read_all.next = read_parts_next == waiting.tdata[PARTS:]
            read_parts.next = read_parts_next
            place.next = place + 1
            if read_parts == summary_last:
                place.next = concat(after_place, intbv(0)[SUMMARIES_LOG2:])
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if leaving:
            read_all.next = False
            read_parts.next = 0
            if place[SUMMARIES_LOG2:] != 0:
                place.next = concat(after_place, intbv(0)[SUMMARIES_LOG2:])

    @always_comb
    def end():
        m_axis.tlast.next = read_all

    return instances()
