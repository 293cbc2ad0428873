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
after 6 cycles. A frame's last value is offered 2 cycles later than others would be: it waits for
the verdict.

Rate. Of chunks back to back each takes a cycle for each value and, if it has no zeros, 10 more,
which queues hide in the first dozen of chunks; if it has a bitmap, up to 10 more.

Errors. A frame's last word says whether it was at fault; the frames before and behind it are not
touched. Codes, exponents, lanes and the CRC-32 are judged with the chunk: it keeps its number of
values, and the frame goes on. After a fault in a chunk's structure chunk_parse drops the rest of
the frame. When the chunks before it have left, all stages between chunk_parse and chunk_check, in
which parts of that chunk are stuck, are reset for a cycle, and a word without a value ends the
frame.

Role         top
Golden       read_chunk of swmodel/reference/decode.py, and the package entrolith
Format       swmodel/FORMAT.md sections 4 to 7, profile hw-n8-c4096
Parameters   fmt: the number format; tables: the table set, built in
Not done     the stream's header and directory (sections 1 and 2), stored chunks
"""

from __future__ import annotations

from myhdl import ResetSignal, Signal, always_comb, always_seq, block, enum, instances, intbv, modbv

from hls.chunk_check import WAIT, chunk_check
from hls.chunk_error import CODE_BITS, ChunkError
from hls.chunk_parse import SHAPE, chunk_parse
from hls.fifo import fifo
from hls.lane_dec import lane_dec, overhead
from hls.point import POINT
from hls.raw_join import raw_join
from hls.stream import AxiStream, Contract
from hls.zero_merge import zero_merge

CONTRACT = Contract(
    latency=38 + WAIT, interval=1, values_per_cycle=POINT.chunk / (POINT.chunk + overhead())
)

CODE_WORDS = 2048  # two bytes for each value of a chunk, in 32-bit words
RAW_WORDS = 1024  # what values take while the next chunk's header and codes are read
BITMAP_WORDS = 256  # of two chunks
HEAD_WORDS = 64  # of more chunks than any other queue holds
SHAPES = 2
EXPONENTS = 128  # what a chunk's end, and the turn of the lanes, may be ahead of the raw parts
CHUNKS = 2 * HEAD_WORDS  # more than there can be between the two ends

NONE = int(ChunkError.NONE)


def ports(fmt):
    return {
        "s_axis": AxiStream(32, keep=True, user=1),
        "m_axis": AxiStream(fmt.width, user=CODE_BITS),
    }


@block
def gradient_dec(clk, rst, s_axis, m_axis, tables, fmt):
    """Decode frames of chunks.

    s_axis  in   a packet is a chunk; tuser = it is its frame's last, in all its words
    m_axis  out  a value a word; tlast = the frame's last. There tuser is not 0 if the frame was
                 malformed, the ChunkError (hls/chunk_error.py) that was found first: then its
                 values, and how many there are, mean nothing. In other words tuser is 0.
    rst     in   synchronous, active high; drops everything in flight
    """
    step = enum("PASS", "PURGE", "CLOSE", "RESUME")
    state = Signal(step.PASS)
    flush = ResetSignal(0, active=1, isasync=False)  # of what lies between the two ends
    in_flight = Signal(modbv(0, min=0, max=CHUNKS))  # chunks that have begun and not left
    begun, opened, drained, resume = (Signal(bool(0)) for _ in range(4))
    passed, halt, halted, close = (Signal(bool(0)) for _ in range(4))
    fault = Signal(intbv(0)[CODE_BITS:])

    zeros_in, zeros = two(32, last=False)
    bitmap_in, bitmap = two(32, last=False)
    lanes_in, lanes = two(32, last=False)
    shape_in, shape = two(SHAPE, last=False)
    codes_in, codes = two(32, user=4)
    raw_in, raw = two(32, user=2, last=False)
    exponents_in, exponents = two(fmt.exponent, user=3, last=False)
    tail, check = AxiStream(32, last=False), AxiStream(32 + CODE_BITS, last=False)
    nonzeros = AxiStream(fmt.width, last=False)
    values = AxiStream(fmt.width, user=2)

    parse = chunk_parse(
        clk, rst, s_axis, zeros_in, bitmap_in, lanes_in, shape_in, codes_in, raw_in, begun, opened,
        fault, drained, resume, tables, fmt,
    )  # fmt: skip
    zeros_queue = fifo(clk, flush, zeros_in, zeros, HEAD_WORDS)
    bitmap_queue = fifo(clk, flush, bitmap_in, bitmap, BITMAP_WORDS)
    lanes_queue = fifo(clk, flush, lanes_in, lanes, HEAD_WORDS)
    shape_queue = fifo(clk, flush, shape_in, shape, SHAPES)
    codes_queue = fifo(clk, flush, codes_in, codes, CODE_WORDS)
    raw_queue = fifo(clk, flush, raw_in, raw, RAW_WORDS)
    decode = lane_dec(clk, flush, shape, lanes, codes, exponents_in, tail, check, tables)
    exponents_queue = fifo(clk, flush, exponents_in, exponents, EXPONENTS)
    join = raw_join(clk, flush, exponents, raw, tail, nonzeros, fmt)
    merge = zero_merge(clk, flush, zeros, bitmap, nonzeros, values, fmt)
    verify = chunk_check(clk, rst, values, check, m_axis, passed, halt, halted, close, fault)

    @always_comb
    def control():
        flush.next = rst or state == step.PURGE
        close.next = state == step.CLOSE
        resume.next = state == step.RESUME and drained
        halt.next = fault != NONE and in_flight[:1] == 0 and in_flight[0] == opened

    @always_seq(clk.posedge, reset=rst)
    def recover():
        if begun and not passed:
            in_flight.next = in_flight + 1
        elif passed and not begun:
            in_flight.next = in_flight - 1

        if state == step.PASS:
            if halted:
                state.next = step.PURGE
        elif state == step.PURGE:
            state.next = step.CLOSE
        elif state == step.CLOSE:
            if m_axis.tready:
                state.next = step.RESUME
        elif drained:
            in_flight.next = 0
            state.next = step.PASS

    return instances()


def two(width, **fields):
    """The streams into and out of a queue."""
    return AxiStream(width, **fields), AxiStream(width, **fields)
