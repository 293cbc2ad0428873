# SPDX-License-Identifier: Apache-2.0
"""cost_row: what each table of a set spends on a block, two tables a cycle.

Role         the sums of huff_choice
Golden       table_cost of swmodel/reference/tables.py
Parameters   costs: for each table, what it adds for each symbol; turn: cycles from one sample
             to the next; bits: where a sample is not a symbol but what every table adds, the first
             lowest, those of each; then there are no costs

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

from hls.choose import choose
from hls.delay import delay
from hls.fifo import cut
from hls.stream import Contract

CONTRACT = Contract(latency=1, interval=1)  # from `ended` to the first two sums

SYMBOL = 4
CELLS = 2  # of a stage


@block
def cost_row(clk, rst, phase, turning, sample, idle, ended, even, odd, costs, turn, bits=0):
    """Sum.

    phase    in   the cycle of the turn; turning: it is the last. None if a turn is one cycle
    sample   in   that at the first stage; idle: there is none; True after a reset
    ended    in   a block has ended before this sample; True after a reset
    even     out  sums of the block that has ended: of table 0 in the cycle after the turn's first,
                  then of table 2 and so on; at other times they mean nothing
    odd      out  the same of tables 1, 3 ...
    """
    if bits:
        stages, low = len(sample) // (CELLS * turn * bits), bits
    else:
        stages, low = len(costs) // (CELLS * turn), max(map(max, costs)).bit_length()
    high = len(even) - low
    left_behind = CELLS * turn * bits  # of a sample: what concerns this stage alone

    sizes = (len(sample) - i * left_behind for i in range(1, stages))
    samples = [sample, *(Signal(intbv(0)[size:]) for size in sizes)]
    idles = [idle] + [Signal(bool(1)) for _ in range(stages - 1)]
    endeds = [ended] + [Signal(bool(1)) for _ in range(stages - 1)]
    late = [Signal(bool(1)) for _ in range(stages)]

    @block
    def cell(i, side, lows, highs):
        """Two digits: the high one adds what the low one carried in the cycle before."""
        price = Signal(intbv(0)[low:])
        carry = Signal(bool(0))
        if bits:
            shown = pick(samples[i], idles[i], phase, price, side, turn)
        else:
            first = CELLS * turn * i + side
            prices = tuple(chain(*costs[first : first + CELLS * turn : CELLS]))
            prices += (0,) * len(prices)  # idle; last, so that an unknown symbol costs nothing
            index = [idles[i], samples[i]] if turn == 1 else [idles[i], phase, samples[i]]
            shown = look_up(ConcatSignal(*index), price, prices)
        return (
            shown,
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

    line = list(zip(samples, idles, endeds, strict=True))
    steps = [step(clk, rst, turning, *here, *after) for here, after in pairwise(line)]
    delays = [delay(clk, rst, list(flags)) for flags in zip(endeds, late, strict=True)]
    columns = column(0, even), column(1, odd)
    return steps, delays, columns


@block
def step(clk, rst, turning, sample, idle, ended, sample_after, idle_after, ended_after):
    """Move to the next stage at the end of a turn; of a sample its upper part, or nothing."""
    if turning is None:

        @always_seq(clk.posedge, reset=rst)
        def move_flags():
            idle_after.next = idle
            ended_after.next = ended

    else:

        @always_seq(clk.posedge, reset=rst)
        def move_flags():
            if turning:
                idle_after.next = idle
                ended_after.next = ended

    if sample_after is None:
        return move_flags
    bottom = len(sample) - len(sample_after)

    if turning is None:

        @always(clk.posedge)
        def move():
            sample_after.next = sample[:bottom]

    else:

        @always(clk.posedge)
        def move():
            if turning:
                sample_after.next = sample[:bottom]

    return instances()


@block
def look_up(index, price, prices):
    @always_comb
    def read():
        price.next = prices[int(index)]

    return read


@block
def pick(sample, idle, phase, price, side, turn):
    """Of what all tables add, that of the cell's table in this cycle of the turn."""
    bits = len(price)
    tables = [Signal(intbv(0)[bits:]) for _ in range(turn)]
    cuts = [cut(sample, t, (CELLS * i + side + 1) * bits) for i, t in enumerate(tables)]
    chosen = tables[0] if turn == 1 else Signal(intbv(0)[bits:])
    choice = choose(tables, phase, chosen) if turn > 1 else ()

    @always_comb
    def show():
        price.next = 0
        if not idle:
            price.next = chosen

    return cuts, choice, show


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
