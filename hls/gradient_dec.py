# SPDX-License-Identifier: Apache-2.0
"""gradient_dec: the decoder, chunks in, values out, a group of 1, 2 or 4 a cycle.

s_axis -> chunk_parse -+- shape, lanes, codes -> lane_dec -+- exponents -> raw_join -> chunk_check
                       +- span, raw ---------------------------------------> |    |     |    |
                       |                                   +- tail --------> |    |     |  m_axis
                       +- zeros, bitmap -> zero_flags -----------------------+--> |     |
                                                           +- check ------------------> |

Every arrow that leaves chunk_parse, and that of the exponents, has a queue, so that a chunk is read
while the one before it is decoded. A chunk's codes precede its raw parts, so its codes must fit
their queue, whatever encoder wrote them: then the raw parts come, and what has been read of a chunk
can always be decoded.

Latency. In an idle decoder, without stalls, the first group of a chunk without zeros is offered

    f + max(TO_EXPONENT, c + TO_RAW + u)

cycles after the chunk's first word was offered, if it has more than two words of raw bytes. f are
the steps of what comes before the codes, a word, a lane or a byte of a block's header each; c are
the words that hold codes; u is 2 if the first raw byte is not the lowest of its word, and it grows
by 1 if the byte before the first lies in the higher half of its word, and the first group ends in
the higher half of the next. The first word is taken after first_taken cycles. A frame of one value
waits for its last raw bytes, which come with the check: see contract. A frame's last group is
offered later than others would be: it waits for the verdict (hls/chunk_check.py).

Rate. Of chunks back to back each takes a cycle for each group, and for each second byte that an
item of a group needs (hls/lane_dec.py), and overhead more, all of which queues hide in the first
chunks; raw_join takes up to TURN + 3 cycles more a chunk (hls/raw_join.py).

Errors. A frame's last word says whether it was at fault; the frames before and behind it are not
touched. Codes, exponents, lanes and the CRC-32 are judged with the chunk: it keeps its number of
values, and the frame goes on. After a fault in a chunk's structure chunk_parse drops the rest of
the frame. When the chunks before it have left, all stages between chunk_parse and chunk_check, in
which parts of that chunk are stuck, are reset for a cycle, and a word without a value ends the
frame.

Role         top
Golden       read_chunk of swmodel/reference/decode.py, and the package entrolith
Format       swmodel/FORMAT.md sections 4 to 7, profiles hw-n8-c4096 and hw2-n8-c4096, of the
             latter known runs only if they are built in
Parameters   fmt: the number format; tables: the table set, built in; width: W, values of a group;
             loadable: with a memory in place of the tables, of which then only the number counts;
             runs: whether there may be known runs, at width 2 or more
Not done     the stream's header and directory (sections 1 and 2), stored chunks
"""

from __future__ import annotations

from myhdl import ResetSignal, Signal, always_comb, always_seq, block, enum, instances, intbv, modbv

from hls.chunk_check import chunk_check, wait
from hls.chunk_error import CODE_BITS, ChunkError
from hls.chunk_parse import (
    RUNS_SHAPE,
    SHAPE,
    chunk_parse,
    place_bits,
    span_bits,
)
from hls.code_tables import table_bits, word_sizes
from hls.fifo import fifo
from hls.lane_dec import lane_dec, overhead
from hls.point import MOST_PAIRS, POINT
from hls.raw_join import raw_join
from hls.row_memory import write_port
from hls.run_bitmap import run_bitmap
from hls.stream import AxiStream, Contract
from hls.zero_flags import user_bits, zero_flags

CODE_BYTES = 8192  # two for each value of a chunk
BITMAP_WORDS = 256  # of two chunks
HEAD_WORDS = 64  # of more chunks than any other queue holds
LANES = 128  # and headers
SHAPES = 2
TOKEN_BYTES = 2 * MOST_PAIRS  # of a chunk: its exponents come behind
RUN_WORDS = 32  # of bitmaps, ahead of the values
EXPONENT_BYTES = 256  # what a chunk's end, and the turn of the lanes, may be ahead by
CHUNKS = 2 * HEAD_WORDS  # more than there can be between the two ends

TO_EXPONENT = {1: 20, 2: 21, 4: 19}  # by width: from the last step before the codes to a group
TO_RAW = 10  # the same, without the words of codes
ONE_VALUE = {1: 47, 2: 37, 4: 29}  # by width: from the first word taken to the wait for the verdict

NONE = int(ChunkError.NONE)


def contract(fmt, width=1):
    """The latency is that of a frame of one value."""
    groups = POINT.chunk // width
    return Contract(
        latency=ONE_VALUE[width] + wait(fmt, width - 1),
        interval=1,
        values_per_cycle=POINT.chunk / (groups + overhead(width)),
    )


def first_taken(width: int, *, short: bool) -> int:
    """Cycles in which a chunk's first word is looked at before it is taken."""
    halves = 2 * (width - 1 - bool(short and width > 1))  # lanes in it
    return 1 + bool(short and width > 1) + halves


def ports(tables, fmt, width=1, loadable=False):
    load = write_port(table_bits(tables), word_sizes(tables)) if loadable else {}
    return {
        "s_axis": AxiStream(32 * width, keep=True, user=1),
        "m_axis": AxiStream(fmt.width * width, keep=width > 1, user=CODE_BITS),
        **load,
    }


@block
def gradient_dec(
    clk, rst, s_axis, m_axis, tables, fmt, width=1, runs=False,
    table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Decode frames of chunks.

    s_axis  in   a packet is a chunk; tkeep marks its bytes, all but in its last word; tuser = it is
                 its frame's last, in all its words
    m_axis  out  a group of values a word; tlast = the frame's last, which alone may have fewer, as
                 tkeep says by the byte. There tuser is not 0 if the frame was malformed, the
                 ChunkError (hls/chunk_error.py) that was found first: then its values, and how many
                 there are, mean nothing. In other words tuser is 0.
    rst     in   synchronous, active high; drops everything in flight
    table_write    in   if it is loadable, the write port of its memory, for when no chunks are
                        inside; hls/table_words.py prints what to write
    table_address  in   where table_data goes
    table_data     in   a word of a table
    """
    step = enum("PASS", "PURGE", "CLOSE", "RESUME")
    state = Signal(step.PASS)
    flush = ResetSignal(0, active=1, isasync=False)  # of what lies between the two ends
    in_flight = Signal(modbv(0, min=0, max=CHUNKS))  # chunks that have begun and not left
    begun, opened, drained, resume = (Signal(bool(0)) for _ in range(4))
    passed, halt, halted, close = (Signal(bool(0)) for _ in range(4))
    alone, following = (Signal(bool(0)) for _ in range(2))  # what is in flight of a chunk at fault
    fault = Signal(intbv(0)[CODE_BITS:])

    word, places = 32 * width, 2 * place_bits(width)
    value_word, value_user = fmt.width * width, user_bits(width, runs)
    zeros_in, zeros = two(32, last=False)
    bitmap_in, bitmap = two(32, user=int(runs), last=runs)
    lanes_in, lanes = two(16, last=False)
    shape_in, shape = two(SHAPE + RUNS_SHAPE * runs, last=False)
    span_in, span = two(span_bits(fmt, width), last=False)
    codes_in, codes = two(word, user=places)
    raw = AxiStream(word)
    exponents_in, exponents = two(fmt.exponent * width, last=False)
    tail, check = AxiStream(32, last=False), AxiStream(32 + CODE_BITS, last=False)
    flags = AxiStream(width, user=value_user)
    values = AxiStream(value_word, user=value_user)

    parse = chunk_parse(
        clk, rst, s_axis, zeros_in, bitmap_in, lanes_in, shape_in, span_in, codes_in, raw, begun,
        opened, fault, drained, resume, tables, fmt, width, runs,
    )  # fmt: skip
    zeros_queue = fifo(clk, flush, zeros_in, zeros, HEAD_WORDS)
    bitmap_queue = fifo(clk, flush, bitmap_in, bitmap, BITMAP_WORDS)
    lanes_queue = fifo(clk, flush, lanes_in, lanes, LANES)
    shape_queue = fifo(clk, flush, shape_in, shape, SHAPES)
    span_queue = fifo(clk, flush, span_in, span, SHAPES)
    codes_queue = fifo(clk, flush, codes_in, codes, CODE_BYTES * 8 // word)
    zero_words, tokens_in = bitmap, None
    if runs:
        tokens_in, tokens = two(8 * width, last=False)
        zero_words_in, zero_words = two(32, user=1, last=False)
        run_stages = (
            fifo(clk, flush, tokens_in, tokens, TOKEN_BYTES // width),
            run_bitmap(clk, flush, bitmap, tokens, zero_words_in, width),
            fifo(clk, flush, zero_words_in, zero_words, RUN_WORDS),
        )
    decode = lane_dec(
        clk, flush, shape, lanes, codes, exponents_in, tail, check, tables, width, runs, tokens_in,
        table_write, table_address, table_data,
    )  # fmt: skip
    exponents_queue = fifo(clk, flush, exponents_in, exponents, EXPONENT_BYTES // width, bare=True)
    look_up = zero_flags(clk, flush, zeros, zero_words, flags, width, runs)
    join = raw_join(clk, flush, flags, span, exponents, raw, tail, values, fmt, width, runs)
    verify = chunk_check(
        clk, rst, values, check, m_axis, passed, halt, halted, close, fault, fmt, width, runs
    )

    @always_comb
    def control():
        flush.next = rst or state == step.PURGE
        close.next = state == step.CLOSE
        resume.next = state == step.RESUME and drained

    @always_comb
    def compare():
        alone.next = in_flight[:1] == 0 and in_flight[0] == opened
        following.next = in_flight == 1
        if opened:
            following.next = in_flight == 2

    @always_seq(clk.posedge, reset=rst)
    def recover():
        if begun and not passed:
            in_flight.next = in_flight + 1
        elif passed and not begun:
            in_flight.next = in_flight - 1

        # A fault is known long before the last value of its chunk could be offered.
        halt.next = fault != NONE and not resume and (alone or (following and passed))

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
