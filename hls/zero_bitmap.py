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
    always,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
    modbv,
)

from hls.fifo import fifo
from hls.point import POINT
from hls.ram import ram
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract

WORD = 32
WORDS = POINT.chunk // WORD  # of a chunk's bitmap
SUMMARIES = WORDS // WORD  # of its summary
LONGEST = SUMMARIES + WORDS  # words of a packet
PARTS = LONGEST.bit_length()  # bits of their number
WORDS_LOG2 = (WORDS - 1).bit_length()
DEPTH = 512  # words of the memory, the bitmaps of three chunks, in groups of SUMMARIES
DEPTH_LOG2 = (DEPTH - 1).bit_length()
GROUP_LOG2 = (SUMMARIES - 1).bit_length()
CROWDED = 8  # groups that a chunk's end and a chunk of one value may take before it shows
CHUNKS = 4  # that may wait

CONTRACT = Contract(latency=5, interval=1)  # from a chunk's last group to its packet
CHUNK_PAUSE = 3  # cycles without a group taken after a chunk's last
SUMMARY_PAUSE = 1  # and after those, in a chunk, that complete a word of the summary


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
    turns = WORD // width  # groups of flags in a word
    last = turns - 1

    # what enters: the word being filled, then its flag in the summary
    take = Signal(bool(0))
    position = Signal(modbv(0)[last.bit_length() :])
    filled = [Signal(intbv(0)[width:]) for _ in range(turns)]
    word = Signal(intbv(0)[WORD:])
    word_done = Signal(bool(0))
    number = Signal(modbv(0)[WORDS_LOG2:])  # of the word in the chunk
    summary = Signal(intbv(0)[WORD:])
    summary_number = Signal(intbv(0)[GROUP_LOG2:])
    summary_due = Signal(bool(0))
    summary_done = Signal(bool(0))
    ended = Signal(bool(0))  # the chunk's last flag has entered
    closing = Signal(bool(0))  # and its last word is written
    crowded = Signal(bool(0))  # the memory is nearly full

    # the memory, a ring: a chunk begins with a group for its summary, and uses what it needs of it
    base = Signal(modbv(0)[DEPTH_LOG2 - GROUP_LOG2 :])
    address = Signal(modbv(SUMMARIES)[DEPTH_LOG2:])  # of the next word
    next_base = Signal(modbv(0)[DEPTH_LOG2 - GROUP_LOG2 :])
    next_group = Signal(modbv(0)[DEPTH_LOG2 - GROUP_LOG2 :])
    parts = Signal(modbv(0)[PARTS:])  # words written
    write = Signal(bool(0))
    write_address = Signal(modbv(0)[DEPTH_LOG2:])
    write_data = Signal(intbv(0)[WORD:])

    # packets that are complete: number of words, and of summary words less one
    complete = AxiStream(PARTS + GROUP_LOG2, last=False)
    waiting = AxiStream(PARTS + GROUP_LOG2, last=False)
    packets = fifo(clk, rst, complete, waiting, CHUNKS)

    place = Signal(modbv(0)[DEPTH_LOG2:])  # of the next word to read
    room = Signal(modbv(0)[DEPTH_LOG2 - GROUP_LOG2 :])
    after_place = Signal(modbv(0)[DEPTH_LOG2 - GROUP_LOG2 :])  # the group behind it
    read_parts = Signal(modbv(0)[PARTS:])
    read_parts_next = Signal(modbv(0)[PARTS:])
    summary_last = Signal(modbv(0)[PARTS:])  # number of the summary's last word
    read_all = Signal(bool(0))  # the packet's last word is on m_axis
    read = Signal(bool(0))
    leaving = Signal(bool(0))

    places = [collect(clk, take, position, t, s_axis.tdata, filled[t]) for t in range(turns)]
    whole_word = side_by_side(filled, word)
    memory = ram(clk, write, write_address, write_data, read, place, m_axis.tdata, DEPTH)

    @always_comb
    def due():
        # no flag enters now, so that no word is done while the summary is written
        summary_due.next = word_done and (ended or number[5:] == WORD - 1)

    @always_comb
    def accept():
        s_axis.tready.next = not (ended or closing or crowded or summary_due)
        take.next = s_axis.tvalid and not (ended or closing or crowded or summary_due)

    @always_seq(clk.posedge, reset=rst)
    def fill():
        word_done.next = False
        if take:
            position.next = position + 1
            word_done.next = s_axis.tlast or position == last
            if s_axis.tlast:
                position.next = 0
                ended.next = True
        if word_done:
            closing.next = ended
            number.next = number + 1
            if ended:
                ended.next = False
                number.next = 0
        summary_done.next = summary_due
        if closing and not summary_done and complete.tready:
            closing.next = False

    @always(clk.posedge)
    def summarize():
        if word_done:
            if number[5:] == 0:
                summary.next = 0
            summary.next[number[5:]] = word != 0
            summary_number.next = number[:5]

    @always_comb
    def store():
        write.next = summary_done or (word_done and word != 0)
        write_address.next = address
        write_data.next = word
        if summary_done:
            write_address.next = concat(base, summary_number)
            write_data.next = summary

    @always_comb
    def following():
        next_base.next = address[DEPTH_LOG2:GROUP_LOG2]
        if address[GROUP_LOG2:] != 0:
            next_base.next = address[DEPTH_LOG2:GROUP_LOG2] + 1

    @always_comb
    def skip():
        next_group.next = next_base + 1
        after_place.next = place[DEPTH_LOG2:GROUP_LOG2] + 1
        read_parts_next.next = read_parts + 1

    @always_comb
    def announce():
        complete.tvalid.next = closing and not summary_done
        complete.tdata.next = concat(summary_number, parts)

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if write:
            parts.next = parts + 1
            if not summary_done:
                address.next = address + 1
        if closing and not summary_done and complete.tready:
            parts.next = 0
            base.next = next_base
            address.next = concat(next_group, intbv(0)[GROUP_LOG2:])

    @always_comb
    def distance():
        room.next = place[DEPTH_LOG2:GROUP_LOG2] - address[DEPTH_LOG2:GROUP_LOG2]

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
            intbv(0)[PARTS - GROUP_LOG2 :], waiting.tdata[PARTS + GROUP_LOG2 : PARTS]
        )

    @always_seq(clk.posedge, reset=rst)
    def show():
        if read:
            m_axis.tvalid.next = True
            read_all.next = read_parts_next == waiting.tdata[PARTS:]
            read_parts.next = read_parts_next
            place.next = place + 1
            if read_parts == summary_last:
                place.next = concat(after_place, intbv(0)[GROUP_LOG2:])
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if leaving:
            read_all.next = False
            read_parts.next = 0
            if place[GROUP_LOG2:] != 0:
                place.next = concat(after_place, intbv(0)[GROUP_LOG2:])

    @always_comb
    def end():
        m_axis.tlast.next = read_all

    return instances()


@block
def collect(clk, take, position, number, flags, kept):
    """The place of one group of flags in the word; empty when the first group enters."""

    @always(clk.posedge)
    def put():
        if take:
            if position == number:
                kept.next = flags
            elif position == 0:
                kept.next = 0

    return put
