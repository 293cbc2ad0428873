# SPDX-License-Identifier: Apache-2.0
"""cost_row: what each table of a set spends on a block, two tables a cycle.

Role         the sums of huff_choice
Golden       table_cost of swmodel/reference/tables.py
Parameters   costs: for each table, what it adds for each symbol; turn: cycles from sample to sample

A stage of the row holds 2 x `turn` tables. A sample stays at a stage for a turn, in each cycle of
which two cells add what it costs to one sum each; the sums of a cell go round in a ring. At the end
of a turn it moves to the next stage, so that the stages finish a block one after the other, and the
sums of all tables show in their order, two a cycle.
"""

from __future__ import annotations

from itertools import chain, pairwise

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

from hls.delay import delay
from hls.stream import Contract

CONTRACT = Contract(latency=1, interval=1)  # from `ended` to the first two sums

SYMBOL = 4
CELLS = 2  # of a stage


@block
def cost_row(clk, rst, phase, turning, symbol, idle, ended, even, odd, costs, turn):
    """Sum.

    phase    in   the cycle of the turn; turning: it is the last. None if a turn is one cycle
    symbol   in   the sample at the first stage; idle: there is none; True after a reset
    ended    in   a block has ended before this sample; True after a reset
    even     out  sums of the block that has ended: of table 0 in the cycle after the turn's first,
                  then of table 2 and so on; at other times they mean nothing
    odd      out  the same of tables 1, 3 ...
    """
    stages = len(costs) // (CELLS * turn)
    low = max(map(max, costs)).bit_length()
    high = len(even) - low

    symbols = [symbol] + [Signal(intbv(0)[SYMBOL:]) for _ in range(stages - 1)]
    idles = [idle] + [Signal(bool(1)) for _ in range(stages - 1)]
    endeds = [ended] + [Signal(bool(1)) for _ in range(stages - 1)]
    late = [Signal(bool(1)) for _ in range(stages)]

    @block
    def cell(i, side, lows, highs):
        """Two digits: the high one adds what the low one carried in the cycle before."""
        first = CELLS * turn * i + side
        prices = tuple(chain(*costs[first : first + CELLS * turn : CELLS]))
        prices += (0,) * len(prices)  # idle; last, so that an unknown symbol costs nothing
        index = [idles[i], symbols[i]] if turn == 1 else [idles[i], phase, symbols[i]]
        price = Signal(intbv(0)[low:])
        carry = Signal(bool(0))
        return (
            look_up(ConcatSignal(*index), price, prices),
            digit(clk, price, endeds[i], lows[i], lows[i + 1], carry, turn),
            digit(clk, carry, late[i], highs[i], highs[i + 1], None, turn),
        )

    @block
    def column(side, total):
        """Where the sums of all cells on a side show."""
        lows = [None] + [Signal(intbv(0)[low:]) for _ in range(stages)]
        highs = [None] + [Signal(intbv(0)[high:]) for _ in range(stages)]
        cells = [cell(i, side, lows, highs) for i in range(stages)]
        return cells, join(clk, lows[stages], highs[stages], total)

    line = list(zip(symbols, idles, endeds, strict=True))
    steps = [step(clk, rst, turning, *here, *after) for here, after in pairwise(line)]
    delays = [delay(clk, rst, list(flags)) for flags in zip(endeds, late, strict=True)]
    columns = column(0, even), column(1, odd)
    return steps, delays, columns


@block
def step(clk, rst, turning, symbol, idle, ended, symbol_after, idle_after, ended_after):
    """Move to the next stage at the end of a turn."""
    if turning is None:

        @always_seq(clk.posedge, reset=rst)
        def move_flags():
            idle_after.next = idle
            ended_after.next = ended

        @always(clk.posedge)
        def move():
            symbol_after.next = symbol

    else:

        @always_seq(clk.posedge, reset=rst)
        def move_flags():
            if turning:
                idle_after.next = idle
                ended_after.next = ended

        @always(clk.posedge)
        def move():
            if turning:
                symbol_after.next = symbol

    return instances()


@block
def look_up(index, price, prices):
    @always_comb
    def read():
        price.next = prices[int(index)]

    return read


@block
def digit(clk, addend, ended, total, total_after, carry, turn):
    """Digits of a cell's sums, in a ring: add to the one at hand, or show it and start with 0."""
    bits = len(total_after)
    ring = Signal(intbv(0)[turn * bits :])  # the one at hand lowest
    before = Signal(intbv(0)[bits:])
    after = Signal(modbv(0)[bits + (carry is not None) :])

    @always_comb
    def choose():
        before.next = ring[bits:]
        if ended:
            before.next = 0

    @always_comb
    def add():
        after.next = before + addend

    if carry is not None:

        @always(clk.posedge)
        def carry_over():
            carry.next = after[bits]

    if turn == 1:

        @always(clk.posedge)
        def go_round():
            ring.next = after[bits:]

    else:

        @always(clk.posedge)
        def go_round():
            ring.next = concat(after[bits:], ring[turn * bits : bits])

    if total is None:

        @always_comb
        def show():
            total_after.next = 0
            if ended:
                total_after.next = ring[bits:]

    else:

        @always_comb
        def show():
            total_after.next = total
            if ended:
                total_after.next = total | ring[bits:]

    return instances()


@block
def join(clk, low, high, total):
    """The sums, whose low digit shows a cycle earlier."""
    kept = Signal(intbv(0)[len(low) :])

    @always(clk.posedge)
    def keep():
        kept.next = low

    @always_comb
    def put_together():
        total.next = concat(high, kept)

    return instances()
