# SPDX-License-Identifier: Apache-2.0
"""choose: one of several words, by a tree of two-way choices.

Not done     no registers
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv

from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def choose(words, number, chosen):
    """Choose.

    words   in   2 to the power of the number's bits
    number  in   of a word
    chosen  out  that word
    """
    choices = []
    for bit in range(len(number) - 1):
        left = []
        for even, odd in zip(words[::2], words[1::2], strict=True):
            word = Signal(intbv(0)[len(chosen) :])
            choices.append(either(number(bit), odd, even, word))
            left.append(word)
        words = left
    return choices, either(number(len(number) - 1), words[1], words[0], chosen)


@block
def either(condition, yes, no, chosen):
    """One of two words."""

    @always_comb
    def show():
        chosen.next = no
        if condition:
            chosen.next = yes

    return show
