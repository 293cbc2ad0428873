# SPDX-License-Identifier: Apache-2.0
"""gradient_dec: the decoder, chunks in, values out, one a cycle.

s_axis -> chunk_parse -+- shape, lanes, codes -> lane_dec -+- exponents -> raw_join -> zero_merge
                       +- raw -------------------------------------------> |           |    |
                       |                                   +- tail ------> |           |    |
                       +- zeros, bitmap --------------------------------------------> |    |
                                                           +- check -> chunk_check <-------+
                                                                       chunk_check -> m_axis

Every arrow that leaves chunk_parse is a queue, so that a chunk is read while the one before it is
decoded. A chunk's codes precede its raw parts, so its codes must fit their queue, whatever encoder
wrote them: then the raw parts come, and what has been read of a chunk can always be decoded.

Latency. In an idle decoder, without stalls, the first value of a chunk without zeros is offered

    max(28, w + 8 + s + 2 u)

cycles after the chunk's first word was taken. The first raw byte lies in word w, from 0; s is 1 if
the number of blocks is odd, u is 1 if that byte is not the word's lowest. If the lanes hold all of
the first value's raw part or its end, as of a frame of one value, it is 38. A chunk of zeros begins
after 6 cycles.

Rate. Of chunks back to back each takes a cycle for each value and, if it has no zeros, 10 more,
which queues hide in the first dozen of chunks; if it has a bitmap, up to 10 more.

Errors. For a fault in the chunk's structure error rises within 4 cycles of the word that shows it
being taken, if the queues have room; for one in its codes, exponents or lanes, when the first value
whose raw part the lanes hold is offered, or earlier; for another CRC-32, 2 cycles after the chunk's
last value has moved. What had been offered of that chunk before is not to be used.

Role         top
Golden       read_chunk of swmodel/reference/decode.py, and the package entrolith
Format       swmodel/FORMAT.md sections 4 to 7, profile hw-n8-c4096
Parameters   fmt: the number format; tables: the table set, built in
Not done     the stream's header and directory (sections 1 and 2), stored chunks; after an error,
             any recovery but reset
"""

from __future__ import annotations

from myhdl import Signal, always_seq, block, instances, intbv

from hls.chunk_check import chunk_check
from hls.chunk_error import CODE_BITS, ChunkError
from hls.chunk_parse import SHAPE, chunk_parse
from hls.fifo import fifo
from hls.lane_dec import lane_dec, overhead
from hls.point import POINT
from hls.raw_join import raw_join
from hls.stream import AxiStream, Contract
from hls.zero_merge import zero_merge

CONTRACT = Contract(
    latency=38, interval=1, values_per_cycle=POINT.chunk / (POINT.chunk + overhead())
)

CODE_WORDS = 2048  # two bytes for each value of a chunk, in 32-bit words
RAW_WORDS = 1024  # what values take while the next chunk's header and codes are read
BITMAP_WORDS = 256  # of two chunks
HEAD_WORDS = 64  # of more chunks than any other queue holds
SHAPES = 2
EXPONENTS = 128  # what a chunk's end, and the turn of the lanes, may be ahead of the raw parts

NONE, CHECK = int(ChunkError.NONE), int(ChunkError.CHECK)


def ports(fmt):
    return {
        "s_axis": AxiStream(32, keep=True, user=1),
        "m_axis": AxiStream(fmt.width),
        "error": Signal(bool(0)),
        "error_code": Signal(intbv(0)[CODE_BITS:]),
    }


@block
def gradient_dec(clk, rst, s_axis, m_axis, error, error_code, tables, fmt):
    """Decode frames of chunks.

    s_axis      in   a packet is a chunk; tuser = it is its frame's last, in all its words
    m_axis      out  a value a word; tlast = the frame's last
    error       out  a chunk was malformed: high until reset. No value is offered that was not being
                     offered when error rose, and words of s_axis are taken and dropped.
    error_code  out  the ChunkError (hls/chunk_error.py) that was found first
    rst         in   synchronous, active high; drops everything in flight
    """
    zeros_in, zeros = two(32, last=False)
    bitmap_in, bitmap = two(32, last=False)
    lanes_in, lanes = two(32, last=False)
    shape_in, shape = two(SHAPE, last=False)
    codes_in, codes = two(32, user=4)
    raw_in, raw = two(32, user=2, last=False)
    exponents_in, exponents = two(fmt.exponent, user=3, last=False)
    tail, check = AxiStream(32, last=False), AxiStream(32, last=False)
    nonzeros = AxiStream(fmt.width, last=False)
    values = AxiStream(fmt.width, user=2)

    parse_fault = Signal(intbv(0)[CODE_BITS:])
    lane_fault = Signal(intbv(0)[CODE_BITS:])
    mismatch = Signal(bool(0))

    parse = chunk_parse(
        clk, rst, s_axis, zeros_in, bitmap_in, lanes_in, shape_in, codes_in, raw_in, error,
        parse_fault, tables, fmt,
    )  # fmt: skip
    zeros_queue = fifo(clk, rst, zeros_in, zeros, HEAD_WORDS)
    bitmap_queue = fifo(clk, rst, bitmap_in, bitmap, BITMAP_WORDS)
    lanes_queue = fifo(clk, rst, lanes_in, lanes, HEAD_WORDS)
    shape_queue = fifo(clk, rst, shape_in, shape, SHAPES)
    codes_queue = fifo(clk, rst, codes_in, codes, CODE_WORDS)
    raw_queue = fifo(clk, rst, raw_in, raw, RAW_WORDS)
    decode = lane_dec(clk, rst, shape, lanes, codes, exponents_in, tail, check, lane_fault, tables)
    exponents_queue = fifo(clk, rst, exponents_in, exponents, EXPONENTS)
    join = raw_join(clk, rst, exponents, raw, tail, nonzeros, fmt)
    merge = zero_merge(clk, rst, zeros, bitmap, nonzeros, values, error, fmt)
    verify = chunk_check(clk, rst, values, check, m_axis, mismatch)

    @always_seq(clk.posedge, reset=rst)
    def refuse():
        if not error:
            if parse_fault != NONE:
                error.next = True
                error_code.next = parse_fault
            elif lane_fault != NONE:
                error.next = True
                error_code.next = lane_fault
            elif mismatch:
                error.next = True
                error_code.next = CHECK

    return instances()


def two(width, **fields):
    """The streams into and out of a queue."""
    return AxiStream(width, **fields), AxiStream(width, **fields)
