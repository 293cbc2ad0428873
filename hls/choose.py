# SPDX-License-Identifier: Apache-2.0
"""choose: one of several words, by its number or by a flag for each.

Not done     no registers
"""

from __future__ import annotations

from myhdl import ConcatSignal, Signal, always_comb, block, intbv

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


@block
def pick(choice, candidates, chosen):
    """The candidate, of at most five, whose bit in `choice` is the one that is set; 0 if none is.

    choice      in   a bit for each
    candidates  in   list of words
    chosen      out  one of them
    """
    width = len(chosen)
    choices = ConcatSignal(intbv(0)[4:], choice)
    c0, c1, c2, c3, c4 = (*candidates, 0, 0, 0, 0)[:5]

    @always_comb
    def find():
        b0 = intbv(0)[width:]
        b1 = intbv(0)[width:]
        b2 = intbv(0)[width:]
        b3 = intbv(0)[width:]
        b4 = intbv(0)[width:]
        if choices[0]:
            b0[:] = c0
        if choices[1]:
            b1[:] = c1
        if choices[2]:
            b2[:] = c2
        if choices[3]:
            b3[:] = c3
        if choices[4]:
            b4[:] = c4
        chosen.next = b0 | b1 | b2 | b3 | b4

    return find
