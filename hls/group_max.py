# SPDX-License-Identifier: Apache-2.0
"""group_max: the greatest item of a group, by a tree with registers at each level.

Role         block_max compares groups by it
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, block, intbv

from hls.stream import Contract

CONTRACT = Contract(latency=2, interval=1)  # of four items; of two it is 1


@block
def group_max(clk, items, size, greatest):
    """Compare.

    items     in   a power of two of them, the first lowest; the first is always there
    size      in   how many are, less one
    greatest  out  of those
    """
    bits = len(greatest)
    width = len(items) // bits
    level = [Signal(intbv(0)[bits:]) for _ in range(width)]
    blocks = [present(items, size, i, item) for i, item in enumerate(level)]
    while len(level) > 1:
        half = len(level) // 2
        after = [Signal(intbv(0)[bits:]) for _ in range(half)] if half > 1 else [greatest]
        pairs = zip(level[::2], level[1::2], after, strict=True)
        blocks += [greater(clk, *pair) for pair in pairs]
        level = after
    return blocks


@block
def present(items, size, place, item):
    """The item in this place, or 0 if it is not there."""
    low, high = place * len(item), (place + 1) * len(item)
    if place == 0:

        @always_comb
        def cut():
            item.next = items[high:low]

    else:

        @always_comb
        def cut():
            item.next = 0
            if size >= place:
                item.next = items[high:low]

    return cut


@block
def greater(clk, left, right, result):
    @always(clk.posedge)
    def choose():
        result.next = left
        if right > left:
            result.next = right

    return choose
