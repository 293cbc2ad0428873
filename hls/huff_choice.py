# SPDX-License-Identifier: Apache-2.0
"""huff_choice: the cheapest table for each block, by exact cost.

Role         second pass of the table choice, between block_max and chunk_reverse
Golden       choose_table of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 8, rule 2
Parameters   tables: the table set, K tables

The costs are summed by a systolic row of K + 1 cells. A symbol visits cell t in its t-th cycle, so
that the cells finish a block one after the other and one comparator sees their sums in turn. The
last cell counts 8 whatever the symbol: a raw block. A later cell must be strictly cheaper to win.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.point import ESCAPE, POINT, SYMBOLS, Tables
from hls.stream import AxiStream, Contract

EXPONENT = 8
SYMBOL = 4
RAW_COST = 8  # bits that an escape or a raw block spends on an exponent
RAW_COST_LOG2 = 3

CONTRACT = Contract(latency=1, interval=1)  # of m_axis; for m_header see header_latency


def header_latency(tables: Tables) -> int:
    """Cycles from a block's last exponent taken to its header offered."""
    return len(tables) + 4


def index_bits(tables):
    """Bits of a table's number."""
    return max(1, (len(tables) - 1).bit_length())


def table_costs(lengths):
    """For each symbol, the bits that a table spends on it."""
    escape = lengths[ESCAPE] + RAW_COST
    return tuple(lengths[s] if s != ESCAPE and lengths[s] else escape for s in range(SYMBOLS))


def ports(tables):
    return {
        "s_axis": AxiStream(EXPONENT, user=EXPONENT + 1),
        "m_axis": AxiStream(EXPONENT),
        "m_header": AxiStream(1 + index_bits(tables) + EXPONENT, last=False),
    }


@block
def huff_choice(clk, rst, s_axis, m_axis, m_header, tables):
    """Pass one exponent a cycle. A block's last waits until the header before it has left.

    s_axis    in   tdata = exponent; tlast = the block's last; tuser = {the chunk's last block,
                   the block's maximum}
    m_axis    out  the same exponents; tlast = the chunk's last
    m_header  out  a word a block, tdata = {raw, table, emax}; table and emax of a raw block are 0
    rst       in   synchronous, active high; drops everything in flight
    """
    count = len(tables)
    bits = index_bits(tables)
    raw_header = 1 << (bits + EXPONENT)
    costs = [table_costs(lengths) for lengths in tables]
    width = (POINT.block * max(RAW_COST, *map(max, costs))).bit_length()

    opening = Signal(bool(1))  # the exponent is a block's first
    take = Signal(bool(0))
    difference = Signal(modbv(0)[EXPONENT:])  # emax - exponent, of what has entered
    entered = Signal(bool(0))
    entered_first = Signal(bool(0))
    entered_last = Signal(bool(0))
    choosing = Signal(bool(0))  # a block has ended and its header is not complete

    # before cell t: a symbol, whether there is one, whether it is its block's first, its last
    symbol = [Signal(intbv(0)[SYMBOL:]) for _ in range(count)]
    valid = [Signal(bool(0)) for _ in range(count + 1)]
    first = [Signal(bool(0)) for _ in range(count + 1)]
    last = [Signal(bool(0)) for _ in range(count + 1)]

    # of the cells before t, the sum of the one that has just finished a block, and which that is
    total = [None] + [Signal(intbv(0)[width:]) for _ in range(count + 1)]
    index = [None] + [Signal(intbv(0)[bits:]) for _ in range(count)]
    some = [None] + [Signal(bool(0)) for _ in range(count)]
    done = [Signal(bool(0)) for _ in range(count + 1)]
    best = Signal(intbv(0)[width:])
    cheaper = Signal(bool(0))

    cells = [
        cost_cell(
            clk,
            rst,
            symbol[t],
            valid[t],
            first[t],
            last[t],
            done[t],
            total[t],
            total[t + 1],
            costs[t],
        )
        for t in range(count)
    ]
    names = [
        name_cell(done[t], some[t], some[t + 1], index[t], index[t + 1], t) for t in range(count)
    ]
    raw_cell = count_cell(
        clk,
        rst,
        valid[count],
        first[count],
        last[count],
        done[count],
        total[count],
        total[count + 1],
    )
    steps = [
        move_flags(clk, rst, valid[t], first[t], last[t], valid[t + 1], first[t + 1], last[t + 1])
        for t in range(count)
    ]
    symbol_steps = [move_symbol(clk, symbol[t], symbol[t + 1]) for t in range(count - 1)]

    candidate, named, finished, searching = total[count + 1], index[count], done[count], some[count]
    opened = done[0]
    # names, since Yosys takes a list that is indexed in a process for a memory of one driver
    row_symbol, row_valid, row_first, row_last = symbol[0], valid[0], first[0], last[0]

    @always_comb
    def accept():
        s_axis.tready.next = (not m_axis.tvalid or m_axis.tready) and not (
            s_axis.tlast and (choosing or m_header.tvalid)
        )

    @always_comb
    def entering():
        take.next = s_axis.tvalid and s_axis.tready

    @always_seq(clk.posedge, reset=rst)
    def enter():
        entered.next = take
        entered_first.next = take and opening
        entered_last.next = take and s_axis.tlast
        row_valid.next = entered
        row_first.next = entered_first
        row_last.next = entered_last
        if take:
            opening.next = s_axis.tlast
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    @always(clk.posedge)
    def form_symbol():
        difference.next = s_axis.tuser[EXPONENT:] - s_axis.tdata
        row_symbol.next = difference[SYMBOL:]
        if difference > ESCAPE:
            row_symbol.next = ESCAPE
        if take:
            m_axis.tdata.next = s_axis.tdata
            m_axis.tlast.next = s_axis.tlast and s_axis.tuser[EXPONENT]

    @always_comb
    def compare():
        cheaper.next = candidate < best

    @always(clk.posedge)
    def improve():
        if opened or (searching and cheaper):
            best.next = candidate

    @always_seq(clk.posedge, reset=rst)
    def decide():
        if take and s_axis.tlast:
            choosing.next = True
        elif finished:
            choosing.next = False
        if finished:
            m_header.tvalid.next = True
        elif m_header.tready:
            m_header.tvalid.next = False

    @always(clk.posedge)
    def describe():
        if take and s_axis.tlast:
            m_header.tdata.next = concat(intbv(0)[1 + bits :], s_axis.tuser[EXPONENT:])
        elif searching and cheaper:
            m_header.tdata.next[EXPONENT + bits : EXPONENT] = named
        elif finished and cheaper:
            m_header.tdata.next = raw_header

    return instances()


@block
def cost_cell(clk, rst, symbol, valid, first, last, done, total, total_after, costs):
    """Sum what one table spends on a block; show it in the cycle after the last symbol."""
    cost = Signal(intbv(0)[len(total_after) :])
    addend = Signal(intbv(0)[len(total_after) :])
    before = Signal(intbv(0)[len(total_after) :])
    spent = Signal(intbv(0)[len(total_after) :])

    @always_comb
    def price():
        cost.next = costs[int(symbol)]

    @always_comb
    def choose():
        addend.next = 0
        if valid:
            addend.next = cost
        before.next = spent
        if first:
            before.next = 0

    @always_seq(clk.posedge, reset=rst)
    def end():
        done.next = last

    @always(clk.posedge)
    def add():
        spent.next = before + addend

    if total is None:

        @always_comb
        def show():
            total_after.next = 0
            if done:
                total_after.next = spent

    else:

        @always_comb
        def show():
            total_after.next = total
            if done:
                total_after.next = total | spent

    return instances()


@block
def count_cell(clk, rst, valid, first, last, done, total, total_after):
    """The last cell: the cost of a raw block."""
    values = Signal(intbv(0)[len(total_after) - RAW_COST_LOG2 :])
    before = Signal(intbv(0)[len(total_after) - RAW_COST_LOG2 :])

    @always_comb
    def choose():
        before.next = values
        if first:
            before.next = 0

    @always_seq(clk.posedge, reset=rst)
    def end():
        done.next = last

    @always(clk.posedge)
    def add():
        values.next = before
        if valid:
            values.next = before + 1

    @always_comb
    def show():
        total_after.next = total
        if done:
            total_after.next = total | concat(values, intbv(0)[RAW_COST_LOG2:])

    return instances()


@block
def name_cell(done, some, some_after, index, index_after, t):
    """Add the number of a cell that has finished to the row's."""
    if some is None:

        @always_comb
        def show():
            some_after.next = done
            index_after.next = 0

    else:

        @always_comb
        def show():
            some_after.next = some or done
            index_after.next = index
            if done:
                index_after.next = index | t

    return show


@block
def move_flags(clk, rst, valid, first, last, valid_after, first_after, last_after):
    @always_seq(clk.posedge, reset=rst)
    def move():
        valid_after.next = valid
        first_after.next = first
        last_after.next = last

    return move


@block
def move_symbol(clk, symbol, symbol_after):
    @always(clk.posedge)
    def move():
        symbol_after.next = symbol

    return move
