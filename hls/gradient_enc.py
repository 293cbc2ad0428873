# SPDX-License-Identifier: Apache-2.0
"""gradient_enc: the encoder, one, two or four values a cycle in, chunks of the format out.

Golden       encode_chunk of swmodel/reference/encode.py, and so the package
Format       swmodel/FORMAT.md section 4; profiles of section 8: hw-n8-c4096 at one value a cycle,
             hw2-n8-c4096 at more
Parameters   tables: the table set; fmt: the number format, fp32 or bf16; width: W, values a cycle;
             stride: one of so many values counts in a table's cost, as the profile has it;
             trailing: whether bytes that are 0 in all raw parts of a chunk are left out; runs:
             whether zeros may be written as known runs; loadable: with memories in place of the
             tables, of which then only the number counts
Not done     the stream's header, directory and footer (sections 1 and 2), which software writes

  values -> zero_split -+- exponents -> block_max -> huff_choice -> chunk_reverse -+
                        |                                 +- block headers --------+-> code_schedule
                        +- totals -------------------------------------------------+     |
                        |                                                             lane_enc
                        |                                                                |
                        +- zero flags -> zero_bitmap ------+                          code_stack
                        +- raw parts -> raw_queue ---------+-> chunk_assemble <----------+
                                                                 +-> byte_pack -> chunks

With `runs`, zero_runs is in the place of zero_bitmap: it takes the totals as well, and gives tokens
to code_schedule.

While a chunk leaves, the next is being coded, and the one after that enters.

In an idle encoder a chunk's first word is offered L cycles after its last group is taken: L = 11 if
nnz is 0 (22 at W > 1, and up to 11 more if that group lacks values), else C + G + B + D for G
groups of non-zeros and B blocks; C is 36, 40 and 39 at W = 1, 2 and 4. A short chunk's takes one
more. D is the second pass over the last block: G for one block; for more, in a dense chunk,
512 / W, and up to 13 more if the last is a few groups long. At W > 1 up to 5 cycles more go by, as
turns of huff_choice and the bytes of the first words happen to fall.
"""

from __future__ import annotations

from myhdl import Signal, always_comb, always_seq, block, instances, intbv

from hls import (
    block_max,
    byte_pack,
    chunk_assemble,
    chunk_reverse,
    code_schedule,
    code_stack,
    huff_choice,
    lane_enc,
    raw_queue,
    zero_bitmap,
    zero_runs,
    zero_split,
)
from hls.fifo import cut
from hls.point import POINT
from hls.row_memory import shared_port, write_to
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, word_bytes
from hls.zero_split import COUNT, INDEX

CHUNK_CYCLES = {1: 25, 2: 20, 4: 15}
"""What a chunk takes beside its groups, by width: the lanes' first states and last ones (at W > 1
two cycles for a row of these), the block headers, a new start. Where zeros leave it time, the input
waits 6 cycles a chunk for zero_bitmap, 7 for the turns of zero_split at bf16, and no more. A group
whose codes and escapes are more than W bytes takes a cycle more (lane_enc)."""

LATENCY = {1: 8750, 2: 4407, 4: 2226}  # of the first of 4096 values without zeros
RUNS_LATENCY = -2  # and with runs, as a chunk without zeros has no part of them to be dropped
RUNS_CYCLES = 1  # of each chunk, if it has no tokens


LOADED = (lane_enc, huff_choice)
"""The blocks whose memories the write port has, by their number in it."""


def contract(width=1, runs=False):
    cycles = POINT.chunk // width + CHUNK_CYCLES[width] + RUNS_CYCLES * runs
    latency = LATENCY[width] + RUNS_LATENCY * runs
    return Contract(latency=latency, interval=1, values_per_cycle=POINT.chunk / cycles)


def ports(tables, fmt, width=1, loadable=False):
    parts = [part.ports(tables, loadable=True) for part in LOADED]
    load = shared_port(*parts) if loadable else {}
    return {
        "s_axis": AxiStream(width * fmt.width, keep=width > 1),
        "m_axis": AxiStream(8 * word_bytes(width), keep=True, user=1),
        **load,
    }


@block
def gradient_enc(
    clk, rst, s_axis, m_axis, tables, fmt, width=1, stride=1, trailing=False, runs=False,
    table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Encode frames of values.

    s_axis  in   tdata = values, the first lowest; tlast ends the frame. Only there a word may have
                 fewer than it has room for, as tkeep, if there is one, says by the byte
    m_axis  out  the frame's chunks, a packet each: byte 0 in bits 7:0, tkeep full but in a packet's
                 last word, whose other bytes are 0; tuser = the frame's last chunk, in all words
    rst     in   synchronous, active high; drops everything in flight
    table_write    in   if it is loadable, the write port of its memories, for when no values are
                        inside; hls/table_words.py prints what to write
    table_address  in   where table_data goes
    table_data     in   a word of a table
    """
    load_codes, load_costs, loads = (), (), ()
    if table_write is not None:
        write_codes, write_costs = (Signal(bool(0)) for _ in LOADED)
        load_codes, load_costs = (
            (write, table_address, table_data) for write in (write_codes, write_costs)
        )
        loads = [
            write_to(i, table_write, table_address, write)
            for i, write in enumerate((write_codes, write_costs))
        ]
    _, nonzeros, flags, totals = zero_split.ports(fmt, width, trailing).values()
    exponents, maxima = block_max.ports(width).values()
    _, chosen, headers = huff_choice.ports(tables, width).values()
    _, backwards = chunk_reverse.ports(width).values()
    scheduled = code_schedule.ports(tables, width, runs, trailing)
    operations, counts = scheduled["m_axis"], scheduled["m_chunk"]
    code_bytes = lane_enc.ports(tables, width, runs)["m_axis"]
    codes = code_stack.ports(width)["m_axis"]
    raw_parts, raw_words = raw_queue.ports(fmt, width).values()
    parts = chunk_assemble.ports(fmt, width, trailing, runs)["m_axis"]
    if runs:
        to_code = scheduled["s_chunk"]
        _, nonzero_count, tokens, zeros = zero_runs.ports(width).values()
        zero_stages = (
            zero_runs.zero_runs(clk, rst, flags, nonzero_count, tokens, zeros, width),
            give_totals(clk, rst, totals, to_code, nonzero_count),
        )
    else:
        to_code, tokens, zeros = totals, None, zero_bitmap.ports(width)["m_axis"]
        zero_stages = (zero_bitmap.zero_bitmap(clk, rst, flags, zeros, width),)

    return (
        *loads,
        *zero_stages,
        zero_split.zero_split(clk, rst, s_axis, nonzeros, flags, totals, fmt, width, trailing),
        divide(nonzeros, exponents, raw_parts, fmt, width),
        block_max.block_max(clk, rst, exponents, maxima, width),
        huff_choice.huff_choice(
            clk, rst, maxima, chosen, headers, tables, width, stride, *load_costs
        ),
        chunk_reverse.chunk_reverse(clk, rst, chosen, backwards, width),
        code_schedule.code_schedule(
            clk,
            rst,
            to_code,
            headers,
            backwards,
            operations,
            counts,
            tables,
            width,
            runs,
            tokens,
            trailing,
        ),
        lane_enc.lane_enc(
            clk, rst, operations, code_bytes, tables, width, runs, trailing, *load_codes
        ),
        code_stack.code_stack(clk, rst, code_bytes, codes, width),
        raw_queue.raw_queue(clk, rst, raw_parts, raw_words, fmt, width),
        chunk_assemble.chunk_assemble(
            clk, rst, counts, zeros, codes, raw_words, parts, fmt, width, trailing, runs
        ),
        byte_pack.byte_pack(clk, rst, parts, m_axis, width, trailing),
    )


@block
def divide(nonzeros, exponents, raw_parts, fmt, width):
    """The two parts of a group of non-zeros leave together."""
    gathered = []
    for stream, low, high in (exponents, 0, fmt.exponent), (raw_parts, fmt.exponent, fmt.width):
        items = [Signal(intbv(0)[high - low :]) for _ in range(width)]
        gathered.append(
            [cut(nonzeros.tdata, item, fmt.width * j + high) for j, item in enumerate(items)]
        )
        gathered.append(side_by_side(items, stream.tdata))
    numbered = [part for part in (exponents, raw_parts) if hasattr(part, "tuser")]
    numbers = [number_parts(nonzeros, part) for part in numbered]

    @always_comb
    def move():
        nonzeros.tready.next = exponents.tready and raw_parts.tready
        exponents.tvalid.next = nonzeros.tvalid and raw_parts.tready
        raw_parts.tvalid.next = nonzeros.tvalid and exponents.tready
        exponents.tlast.next = nonzeros.tlast
        raw_parts.tlast.next = nonzeros.tlast

    return instances()


@block
def number_parts(nonzeros, parts):
    """How many they are."""

    @always_comb
    def show():
        parts.tuser.next = nonzeros.tuser

    return show


@block
def give_totals(clk, rst, totals, to_code, nonzero_count):
    """A chunk's totals, to code_schedule and what it needs of them to zero_runs, in their time."""
    coded = Signal(bool(0))  # code_schedule has taken them
    counted = Signal(bool(0))  # zero_runs has

    @always_comb
    def offer():
        to_code.tvalid.next = totals.tvalid and not coded
        to_code.tdata.next = totals.tdata
        to_code.tlast.next = totals.tlast
        nonzero_count.tvalid.next = totals.tvalid and not counted
        nonzero_count.tdata.next = totals.tdata[COUNT + INDEX : INDEX]
        totals.tready.next = (coded or to_code.tready) and (counted or nonzero_count.tready)

    @always_seq(clk.posedge, reset=rst)
    def note():
        if totals.tvalid:
            coded.next = (coded or to_code.tready) and not totals.tready
            counted.next = (counted or nonzero_count.tready) and not totals.tready

    return instances()
