# SPDX-License-Identifier: Apache-2.0
"""popcount: the number of ones in a word, by a balanced tree of adders.

Role         chunk_parse counts the zeros of a bitmap with it
Not done     no registers
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv

from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def popcount(word, ones):
    """Count.

    word  in   any width
    ones  out  how many of its bits are 1
    """
    sums, adders = [word(i) for i in range(len(word))], []
    while len(sums) > 2:
        pairs = []
        for left, right in zip(sums[::2], sums[1::2], strict=True):
            total = Signal(intbv(0)[len(left) + 1 :])
            adders.append(add(left, right, total))
            pairs.append(total)
        sums = pairs
    return adders, add(*sums, ones)


@block
def add(left, right, total):
    @always_comb
    def adder():
        total.next = left + right

    return adder
