# SPDX-License-Identifier: Apache-2.0
"""zero_split: cut a frame into chunks, and each chunk into zeros, non-zeros and totals.

Role         first stage of the encoder
Golden       what encode_chunk of swmodel/reference/encode.py makes of a chunk's values
Format       swmodel/FORMAT.md sections 2 (values), 4 (chunk), 5.1 (last raw bytes), 7 (check)
Parameters   fmt: the number format, its raw part a whole number of bytes
Not done     all-zero chunks have no word on m_axis: only m_chunk tells of them
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

from hls.crc32 import crc32
from hls.point import POINT
from hls.stream import AxiStream, Contract

LAST = POINT.chunk - 1
INDEX = (POINT.chunk - 1).bit_length()  # bits of n - 1
COUNT = POINT.chunk.bit_length()  # bits of nnz
TAIL = 8 * POINT.tail
CHECK = 32

CONTRACT = Contract(latency=3, interval=1)  # of m_axis, when the next value is not zero either
FLAG_LATENCY = 2  # from a value to m_flag
CHUNK_LATENCY = 3  # from a chunk's last value to m_chunk


def ports(fmt):
    return {
        "s_axis": AxiStream(fmt.width),
        "m_axis": AxiStream(fmt.width),
        "m_flag": AxiStream(1),
        "m_chunk": AxiStream(TAIL + CHECK + COUNT + INDEX),
    }


@block
def zero_split(clk, rst, s_axis, m_axis, m_flag, m_chunk, fmt):
    """Split one value a cycle.

    s_axis   in   tdata = value; tlast ends the frame. A chunk ends there and after 4096 values
    m_axis   out  the non-zeros, tdata = {raw part, exponent}; tlast = the chunk's last. A word
                  waits until the next non-zero or the chunk's end shows whether it is the last
    m_flag   out  tdata = the value is zero, one a value; tlast = the chunk's last
    m_chunk  out  a word a chunk, tdata = {last 4 raw bytes, CRC-32, nnz, n - 1}; tlast = the
                  frame's last chunk
    rst      in   synchronous, active high; drops everything in flight
    """
    if fmt.raw % 8:
        raise ValueError(f"the raw part of {fmt.name} is not a whole number of bytes")
    width, raw, mantissa, sign = fmt.width, fmt.raw, fmt.mantissa, fmt.width - 1

    # the value that has entered, and where it stands
    value = Signal(intbv(0)[width:])
    filled = Signal(bool(0))
    frame_end = Signal(bool(0))  # the frame's last
    index = Signal(modbv(0)[INDEX:])
    opening = Signal(bool(1))  # the chunk's first
    ending = Signal(bool(0))  # the chunk's last
    nonzero = Signal(bool(0))

    # the non-zero that is held back
    kept = Signal(intbv(0)[width:])
    keeping = Signal(bool(0))
    last = Signal(bool(0))

    # totals of the chunk
    nonzeros = Signal(modbv(0)[COUNT:])
    nonzeros_before = Signal(modbv(0)[COUNT:])
    tail = Signal(intbv(0)[TAIL:])
    tail_before = Signal(intbv(0)[TAIL:])
    check = Signal(intbv(0)[CHECK:])
    ended_index = Signal(intbv(0)[INDEX:])
    ended_frame = Signal(bool(0))
    closing = Signal(bool(0))  # a chunk's totals are complete and have not left

    # what moves in this cycle
    value_free = Signal(bool(0))
    flag_free = Signal(bool(0))
    chunk_free = Signal(bool(0))
    step = Signal(bool(0))  # the entered value
    shift = Signal(bool(0))  # the one held back

    sum_of_values = crc32(clk, rst, step, opening, value, check)

    @always_comb
    def examine():
        nonzero.next = value != 0
        ending.next = frame_end or index == LAST

    @always_comb
    def so_far():
        nonzeros_before.next = 0
        tail_before.next = 0
        if not opening:
            nonzeros_before.next = nonzeros
            tail_before.next = tail

    @always_comb
    def outputs_free():
        value_free.next = not m_axis.tvalid or m_axis.tready
        flag_free.next = not m_flag.tvalid or m_flag.tready
        chunk_free.next = not closing or not m_chunk.tvalid or m_chunk.tready

    @always_comb
    def flow():
        step.next = filled and value_free and flag_free and chunk_free
        s_axis.tready.next = not filled or (value_free and flag_free and chunk_free)

    @always_comb
    def release():
        shift.next = keeping and value_free and (last or (step and nonzero))

    @always(clk.posedge)
    def enter():
        if s_axis.tready:
            value.next = s_axis.tdata
            frame_end.next = s_axis.tlast

    @always_seq(clk.posedge, reset=rst)
    def place():
        if s_axis.tready:
            filled.next = s_axis.tvalid
        if step:
            opening.next = ending
            if ending:
                index.next = 0
            else:
                index.next = index + 1

    @always_seq(clk.posedge, reset=rst)
    def hold_back():
        if step and nonzero:
            keeping.next = True
            last.next = ending
        elif shift:
            keeping.next = False
            last.next = False
        elif step and ending and keeping:
            last.next = True
        if value_free:
            m_axis.tvalid.next = shift
        if flag_free:
            m_flag.tvalid.next = step

    @always(clk.posedge)
    def move():
        if step and nonzero:
            kept.next = value
        if shift:
            m_axis.tdata.next = concat(kept[sign], kept[mantissa:], kept[sign:mantissa])
            m_axis.tlast.next = last
        if step:
            m_flag.tdata.next = not nonzero
            m_flag.tlast.next = ending

    @always(clk.posedge)
    def count():
        if step:
            nonzeros.next = nonzeros_before + nonzero
            if nonzero:
                tail.next = concat(value[sign], value[mantissa:], tail_before[TAIL:raw])
            else:
                tail.next = tail_before
            ended_index.next = index
            ended_frame.next = frame_end

    @always_seq(clk.posedge, reset=rst)
    def close():
        if chunk_free:
            closing.next = step and ending
        if closing and chunk_free:
            m_chunk.tvalid.next = True
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    @always(clk.posedge)
    def total():
        if closing and chunk_free:
            m_chunk.tdata.next = concat(tail, check, nonzeros, ended_index)
            m_chunk.tlast.next = ended_frame

    return instances()
