# SPDX-License-Identifier: Apache-2.0
"""raw_strip: leave the trailing zeros of a block's raw parts out, and join what remains of a group.

Role         between the block that finds a block's trailing zeros and the raw queue
Golden       raw_strings of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 5.1: raw parts, and the last raw bytes of a chunk
Parameters   fmt: the number format, its raw part a whole number of bytes; width: values of a group
Not done     only whole bytes are left out, as the profile has it; raw parts of other than three
             bytes: of one byte, nothing ever is
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

from hls.choose import choose
from hls.fifo import cut
from hls.point import POINT
from hls.stream import AxiStream, Contract, item_bits

RAW_BYTES = 3
UNITS = 4  # of `width` bytes, in a word
TAIL = 8 * POINT.tail

CONTRACT = Contract(latency=1, interval=1)


def size_bits(fmt):
    """Bits of the number of a chunk's raw bytes."""
    return (POINT.chunk * fmt.raw // 8).bit_length()


def ports(fmt, width):
    return {
        "s_axis": AxiStream(width * fmt.raw, user=item_bits(width)),
        "s_trailing": AxiStream(2, last=False),
        "m_axis": AxiStream(8 * UNITS * width, keep=True),
        "m_chunk": AxiStream(size_bits(fmt) + TAIL, last=False),
    }


@block
def raw_strip(clk, rst, s_axis, s_trailing, m_axis, m_chunk, fmt, width):
    """Pass a group a cycle.

    s_axis      in   raw parts, the first lowest; tuser = their number less 1, if a group has more
                     than one; tlast = the chunk's last group, which alone may be short
    s_trailing  in   of each block, in order, the bytes that are left out of each of its raw parts
    m_axis      out  what remains of a group, the first byte lowest; tkeep marks whole units of
                     `width` bytes, of which the chunk's last may end in zeros; tlast as in s_axis
    m_chunk     out  of each chunk {its raw bytes, the last 4 of them}, behind 4 bytes of zeros
    rst         in   synchronous, active high; drops everything in flight
    """
    if fmt.raw != 8 * RAW_BYTES:
        raise ValueError(f"raw parts of {fmt.raw} bits")
    size_width = size_bits(fmt)
    all_bytes = RAW_BYTES * width
    one_unit, two_units, three_units = ((1 << n * width) - 1 for n in (1, 2, 3))

    free = Signal(bool(0))
    known = Signal(bool(0))  # what is left out of this block
    take = Signal(bool(0))
    count = Signal(intbv(0)[width.bit_length() :])  # values of the group
    kept_bytes = Signal(intbv(0)[all_bytes.bit_length() :])
    kept = Signal(intbv(0)[8 * all_bytes :])  # side by side, zeros behind them

    # of the chunk: before this group, and with it
    opening = Signal(bool(1))
    tail = Signal(intbv(0)[TAIL:])
    tail_before = Signal(intbv(0)[TAIL:])
    tail_after = Signal(intbv(0)[TAIL:])
    size = Signal(intbv(0)[size_width:])
    size_before = Signal(intbv(0)[size_width:])
    size_after = Signal(intbv(0)[size_width:])

    parts = [Signal(intbv(0)[fmt.raw :]) for _ in range(width)]
    present = [keep_present(s_axis, i, part) for i, part in enumerate(parts)]
    counting = count_values(s_axis, count, width)
    blocks = follow_blocks(clk, rst, s_axis, s_trailing, take, known, width)
    stripping = leave_out(parts, s_trailing.tdata, count, kept, kept_bytes)
    joined = ConcatSignal(kept, tail_before)
    tails = [Signal(intbv(0)[TAIL:]) for _ in range(1 << len(kept_bytes))]
    cuts = [cut(joined, part, TAIL + 8 * min(i, all_bytes)) for i, part in enumerate(tails)]
    picked = choose(tails, kept_bytes, tail_after)
    size_rest, word_rest = size_width - len(kept_bytes), len(m_axis.tdata) - len(kept)

    @always_comb
    def look():
        free.next = (not m_axis.tvalid or m_axis.tready) and (
            not s_axis.tlast or not m_chunk.tvalid or m_chunk.tready
        )

    @always_comb
    def flow():
        s_axis.tready.next = free and known
        take.next = s_axis.tvalid and free and known

    @always_comb
    def so_far():
        tail_before.next = 0
        size_before.next = 0
        if not opening:
            tail_before.next = tail
            size_before.next = size

    @always_comb
    def total():
        size_after.next = size_before + concat(intbv(0)[size_rest:], kept_bytes)

    @always_seq(clk.posedge, reset=rst)
    def control():
        if take:
            opening.next = s_axis.tlast
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if take and s_axis.tlast:
            m_chunk.tvalid.next = True
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    @always(clk.posedge)
    def move():
        if take:
            tail.next = tail_after
            size.next = size_after
            m_axis.tdata.next = concat(intbv(0)[word_rest:], kept)
            m_axis.tlast.next = s_axis.tlast
            if s_axis.tlast:
                m_chunk.tdata.next = concat(size_after, tail_after)

    @always(clk.posedge)
    def mark():
        if take:
            m_axis.tkeep.next = one_unit
            if kept_bytes > 2 * width:
                m_axis.tkeep.next = three_units
            elif kept_bytes > width:
                m_axis.tkeep.next = two_units

    return instances()


@block
def keep_present(s_axis, number, part):
    """The value of this number in the group that is offered; 0 if it has none."""
    group = s_axis.tdata
    low, high = number * len(part), (number + 1) * len(part)

    if number == 0:

        @always_comb
        def show():
            part.next = group[high:low]

    else:
        last = s_axis.tuser

        @always_comb
        def show():
            part.next = 0
            if last >= number:
                part.next = group[high:low]

    return show


@block
def count_values(s_axis, count, width):
    """How many values the group that is offered has."""
    if width == 1:

        @always_comb
        def show():
            count.next = s_axis.tvalid

    else:
        last = s_axis.tuser

        @always_comb
        def show():
            count.next = concat(intbv(0)[1:], last) + 1

    return show


@block
def leave_out(parts, trailing, count, kept, kept_bytes):
    """Raw parts of three bytes, of which the `trailing` lowest are left out."""
    width = len(kept)
    three = widened(parts, width)
    two = widened([part(24, 8) for part in parts], width)
    one = widened([part(24, 16) for part in parts], width)
    once, twice = ConcatSignal(False, count), ConcatSignal(count, False)

    @always_comb
    def show():
        kept.next = three
        kept_bytes.next = twice + once
        if trailing == 1:
            kept.next = two
            kept_bytes.next = twice
        elif trailing == 2:
            kept.next = one
            kept_bytes.next = once

    return show


@block
def follow_blocks(clk, rst, s_axis, s_trailing, take, known, width):
    """Hold s_trailing's word until its block's last group has passed."""
    last_place = POINT.block // width - 1
    place = Signal(modbv(0)[last_place.bit_length() :])  # of the group in its block
    ending = Signal(bool(0))

    @always_comb
    def look():
        ending.next = s_axis.tlast or place == last_place
        known.next = s_trailing.tvalid

    @always_comb
    def pass_on():
        s_trailing.tready.next = take and ending

    @always_seq(clk.posedge, reset=rst)
    def count():
        if take:
            place.next = place + 1
            if ending:
                place.next = 0

    return instances()


def widened(parts, width):
    """A signal of so many bits: these, the first lowest, and zeros above."""
    rest = width - sum(map(len, parts))
    front = [intbv(0)[rest:]] if rest else []
    return ConcatSignal(*front, *reversed(parts)) if len(parts) + len(front) > 1 else parts[0]
