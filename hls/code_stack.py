# SPDX-License-Identifier: Apache-2.0
"""code_stack: give each packet of bytes back last to first, as words.

Role         between lane_enc, which makes a chunk's bytes backwards, and chunk_assemble
Golden       bytes(reversed())
Format       swmodel/FORMAT.md section 6 (encoding)
Parameters   width: of lane_enc

Bytes are gathered to beats, as wide as the input, and each beat goes to its place in a word of the
memory at once. What does not fill a word leaves as the upper part of one: nothing is ever shifted.
Where bytes are gathered the one that was put first is the lowest; a beat is turned around before it
is written.
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

from hls.byte_join import byte_join
from hls.lane_enc import beat_bytes
from hls.point import POINT
from hls.ram import ram
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, word_bytes

SHORTEST = 2 * POINT.lanes + 2  # bytes: lanes, a block header


def longest(width: int = 1) -> int:
    """Bytes of the longest packet: lanes, block headers, codes.

    At more than one value a cycle costs are estimated, and a value may take an escape's two bytes:
    swmodel/FORMAT.md section 8.
    """
    lanes = 2 * POINT.lanes
    if width == 1:
        return lanes + 2 * POINT.blocks + POINT.chunk
    return lanes + 3 * POINT.blocks + 2 * POINT.chunk


def size_bits(width: int = 1) -> int:
    """Bits of a packet's number of bytes."""
    return longest(width).bit_length()


def memory_bytes(width: int = 1) -> int:
    """Of the memory, a ring that fills downwards: the longest packet and more."""
    return 1 << size_bits(width)


CONTRACT = Contract(latency=3, interval=1)  # from a packet's last bytes taken to its first word
PACKET_PAUSE = 1  # cycles in which no byte is taken after a packet's last


def ports(width=1):
    return {
        "s_axis": AxiStream(8 * beat_bytes(width), keep=True),
        "m_axis": AxiStream(8 * word_bytes(width), user=size_bits(width)),
    }


@block
def code_stack(clk, rst, s_axis, m_axis, width=1):
    """Take up to a beat of bytes a cycle; pause after a packet's last.

    s_axis  in   the packet's bytes from its last to its first, 18 to 4128 (or, at more than one
                 value a cycle, 8232), as lane_enc puts them: 1 or more a word, the last one
                 lowest; tlast = the packet's first. A packet that has entered waits for the one
                 before it to leave
    m_axis  out  the packet from its first byte on: in a word's uppermost bytes what makes the
                 others full words; full words. tuser = the packet's size in bytes, in all words
    rst     in   synchronous, active high; drops everything in flight
    """
    beat, word = beat_bytes(width), word_bytes(width)
    beat_bits, word_bits = 8 * beat, 8 * word
    beats = word // beat  # of a word
    last_beat = beats - 1
    beat_log2, beats_log2 = (beat - 1).bit_length(), (beats - 1).bit_length()
    size_width = size_bits(width)
    words_log2 = size_width - beats_log2 - beat_log2
    depth = memory_bytes(width) // word
    depth_log2 = (depth - 1).bit_length()
    crowded_at = depth - 8  # words in use at which no more bytes are taken

    # bytes that do not fill a beat
    rest = Signal(intbv(0)[beat_bits:])
    rest_keep = Signal(intbv(0)[beat:])
    rest_bytes = Signal(intbv(0)[beat_log2:])
    low = Signal(intbv(0)[beat_bits:])  # with those that enter
    low_keep = Signal(intbv(0)[beat:])
    high = Signal(intbv(0)[beat_bits:])
    high_keep = Signal(intbv(0)[beat:])

    # the beat that is written
    position = Signal(
        modbv(last_beat)[beats_log2:]
    )  # in its word; they are filled from the highest
    backwards = ConcatSignal(*[low(at + 8, at) for at in range(0, beat_bits, 8)])
    held_beats = Signal(intbv(0)[beats_log2:])
    gain = Signal(bool(0))

    # a packet that has entered: the rest, which is the first of `low`, is written
    closing = Signal(bool(0))
    remains = Signal(bool(0))  # what does not fill a word

    # Addresses have one bit more than the memory, to tell a full ring from an empty one.
    crowded = Signal(bool(0))
    below = Signal(modbv(-1)[depth_log2 + 1 :])  # address of the word that is written
    used = Signal(modbv(0)[depth_log2 + 1 :])
    take = Signal(bool(0))
    close = Signal(bool(0))
    down = Signal(bool(0))  # a word is complete

    # the packet that leaves
    leaving = Signal(bool(0))
    start = Signal(modbv(0)[depth_log2 + 1 :])
    place = Signal(modbv(0)[depth_log2 + 1 :])
    following = Signal(modbv(0)[depth_log2 + 1 :])
    bound = Signal(modbv(0)[depth_log2 + 1 :])  # behind it; what is not below this is free
    size = Signal(intbv(0)[size_width:])
    read = Signal(bool(0))
    read_all = Signal(bool(0))
    beats_read = []

    join = byte_join(
        rest, rest_keep, s_axis.tdata, s_axis.tkeep, low, low_keep, high, high_keep, rest_bytes
    )
    memories = []
    for bank in range(beats):
        write = Signal(bool(0))
        beat_read = Signal(intbv(0)[beat_bits:])
        memories.append(reach(gain, close, position, write, bank))
        memories.append(
            ram(
                clk,
                write,
                below(depth_log2, 0),
                backwards,
                read,
                place(depth_log2, 0),
                beat_read,
                depth,
            )
        )
        beats_read.append(beat_read)
    shown = side_by_side(beats_read, m_axis.tdata)

    @always_comb
    def accept():
        s_axis.tready.next = not (closing or crowded)
        take.next = s_axis.tvalid and not (closing or crowded)
        gain.next = s_axis.tvalid and not (closing or crowded) and low_keep[beat - 1]

    @always_comb
    def look():
        remains.next = position != last_beat or rest_keep[0]
        held_beats.next = ~position
        close.next = closing and not leaving

    @always_comb
    def complete():
        down.next = (gain and position == 0) or (close and remains)

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if take:
            closing.next = s_axis.tlast
            rest_keep.next = low_keep
            if low_keep[beat - 1]:
                rest_keep.next = high_keep
        if gain:
            position.next = position - 1
        if close:
            rest_keep.next = 0
            position.next = last_beat
            closing.next = False
        if down:
            below.next = below - 1

    @always(clk.posedge)
    def keep_rest():
        if take:
            rest.next = low
            if low_keep[beat - 1]:
                rest.next = high

    @always_comb
    def usage():
        used.next = bound + ~below

    @always_seq(clk.posedge, reset=rst)
    def crowd():
        crowded.next = used >= crowded_at

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
        if close:  # what is in use is of this packet alone
            size.next = concat(used[words_log2:], held_beats, rest_bytes)
            start.next = below + (not remains)
            place.next = below + (not remains)
        if read:
            place.next = following

    @always_comb
    def show():
        m_axis.tlast.next = read_all
        m_axis.tuser.next = size

    return instances()


@block
def reach(gain, close, position, write, bank):
    """Whether a bank is written: in its turn, or at the end with all that are left."""
    if bank == 0:

        @always_comb
        def look():
            write.next = (gain and position == bank) or close

    else:

        @always_comb
        def look():
            write.next = (gain and position == bank) or (close and position >= bank)

    return look
