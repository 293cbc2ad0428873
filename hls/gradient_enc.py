# SPDX-License-Identifier: Apache-2.0
"""gradient_enc: the encoder, one value a cycle in, chunks of the format out.

Golden       encode_chunk of swmodel/reference/encode.py, and so the package
Format       swmodel/FORMAT.md section 4, profile hw-n8-c4096 of section 8
Parameters   tables: the table set; fmt: the number format, fp32 or bf16
Not done     the stream's header and directory (sections 1 and 2), which software writes

  values -> zero_split -+- exponents -> block_max -> huff_choice -> chunk_reverse -+
                        |                                 +- block headers --------+-> code_schedule
                        +- totals -------------------------------------------------+     |
                        |                                                             lane_enc
                        |                                                                |
                        +- zero flags -> zero_bitmap ------+                          code_stack
                        +- raw parts -> byte_pack -> fifo -+-> chunk_assemble <----------+
                                                                 +-> byte_pack -> chunks

While a chunk leaves, the next is being coded, and the one after that enters.

In an idle encoder a chunk's first word is offered L cycles after its last value is taken: L = 11 if
nnz is 0, else 37 + nnz + B + D for B blocks. D is the second pass over the last block: nnz for one
block; for more, in a dense chunk, 512, and up to 11 more if the last has fewer than 13 values.
"""

from __future__ import annotations

from myhdl import always_comb, block, concat, instances, intbv

from hls import (
    block_max,
    byte_pack,
    chunk_assemble,
    chunk_reverse,
    code_schedule,
    code_stack,
    huff_choice,
    lane_enc,
    zero_bitmap,
    zero_split,
)
from hls.fifo import fifo
from hls.point import POINT
from hls.stream import AxiStream, Contract

WORD = 32

# Of 4096 values without zeros: the first word after the first value. A chunk takes 25 cycles beside
# its values, in code_schedule: the lanes' first and last states, the block headers, a new start.
# (Where zeros leave it time, the input waits 6 cycles a chunk for zero_bitmap, and no more.)
CONTRACT = Contract(latency=8751, interval=1, values_per_cycle=POINT.chunk / (POINT.chunk + 25))


def ports(fmt):
    return {
        "s_axis": AxiStream(fmt.width),
        "m_axis": AxiStream(WORD, keep=True, user=1),
    }


def raw_depth(fmt):
    """Words of the raw queue: a power of two that holds the raw parts of two chunks and a quarter.

    When a chunk's first raw part leaves, two chunks, a block and the chunk's codes have gone by.
    """
    words = 9 * POINT.chunk // 4 * fmt.raw // WORD
    return 1 << (words - 1).bit_length()


@block
def gradient_enc(clk, rst, s_axis, m_axis, tables, fmt):
    """Encode frames of values.

    s_axis  in   tdata = value; tlast ends the frame
    m_axis  out  the frame's chunks, a packet each: byte 0 in bits 7:0, tkeep full but in a packet's
                 last word, whose other bytes are 0; tuser = the frame's last chunk, in all words
    rst     in   synchronous, active high; drops everything in flight
    """
    raw_bytes = fmt.raw // 8
    raw_keep = (1 << raw_bytes) - 1
    raw_unused = WORD - fmt.raw
    exponent, width = fmt.exponent, fmt.width

    _, nonzeros, flags, totals = zero_split.ports(fmt).values()
    exponents, maxima = block_max.ports().values()
    _, chosen, headers = huff_choice.ports(tables).values()
    _, backwards = chunk_reverse.ports().values()
    *_, operations, counts = code_schedule.ports(tables).values()
    code_bytes = lane_enc.ports(tables)["m_axis"]
    codes = code_stack.ports()["m_axis"]
    zeros = zero_bitmap.ports()["m_axis"]
    parts = chunk_assemble.ports(fmt)["m_axis"]
    raw_parts = AxiStream(WORD, keep=True)
    raw_words = AxiStream(WORD, last=False)
    raw_queue = AxiStream(WORD, last=False)

    split = zero_split.zero_split(clk, rst, s_axis, nonzeros, flags, totals, fmt)
    bitmap = zero_bitmap.zero_bitmap(clk, rst, flags, zeros)
    maximum = block_max.block_max(clk, rst, exponents, maxima)
    choice = huff_choice.huff_choice(clk, rst, maxima, chosen, headers, tables)
    reverse = chunk_reverse.chunk_reverse(clk, rst, chosen, backwards)
    schedule = code_schedule.code_schedule(
        clk, rst, totals, headers, backwards, operations, counts, tables
    )
    lanes = lane_enc.lane_enc(clk, rst, operations, code_bytes, tables)
    stack = code_stack.code_stack(clk, rst, code_bytes, codes)
    raw_pack = byte_pack.byte_pack(clk, rst, raw_parts, raw_words)
    queue = fifo(clk, rst, raw_words, raw_queue, raw_depth(fmt))
    assemble = chunk_assemble.chunk_assemble(clk, rst, counts, zeros, codes, raw_queue, parts, fmt)
    pack = byte_pack.byte_pack(clk, rst, parts, m_axis)

    @always_comb
    def divide():  # the two parts of a non-zero leave together
        nonzeros.tready.next = exponents.tready and raw_parts.tready
        exponents.tvalid.next = nonzeros.tvalid and raw_parts.tready
        exponents.tdata.next = nonzeros.tdata[exponent:]
        exponents.tlast.next = nonzeros.tlast
        raw_parts.tvalid.next = nonzeros.tvalid and exponents.tready
        raw_parts.tlast.next = nonzeros.tlast
        raw_parts.tkeep.next = raw_keep
        raw_parts.tdata.next = concat(intbv(0)[raw_unused:], nonzeros.tdata[width:exponent])

    return instances()
