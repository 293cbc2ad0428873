# SPDX-License-Identifier: Apache-2.0
"""byte_join: lay bytes behind bytes, however many either are.

Role         lane_enc gathers what the items of a group put with it, code_stack makes full beats
Not done     no registers; bytes that no keep bit marks are anything
"""

from __future__ import annotations

from myhdl import ConcatSignal, Signal, always_comb, block, concat, instances, intbv

from hls.choose import either
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def byte_join(first, first_keep, second, second_keep, low, low_keep, high, high_keep, amount):
    """Join.

    first, second            in   both of 2 or both of 4 bytes
    first_keep, second_keep  in   a bit a byte, from the lowest up
    low                      out  those of first, and of second what fits behind them
    high                     out  the others
    low_keep, high_keep      out  as those of the inputs
    amount                   out  bytes of first, modulo the word
    """
    count = len(first_keep)
    levels = len(amount)
    turned, turned_keep = second, second_keep
    turns, choices, chosen = [], [], []

    if count == 2:

        @always_comb
        def measure():
            amount.next = first_keep[0] and not first_keep[1]

    elif count == 4:

        @always_comb
        def measure():
            amount.next[0] = (first_keep[0] and not first_keep[1]) or (
                first_keep[2] and not first_keep[3]
            )
            amount.next[1] = first_keep[1] and not first_keep[3]

    else:
        raise ValueError(f"words of {count} bytes")

    for level in range(levels):
        data_after = Signal(intbv(0)[8 * count :])
        keep_after = Signal(intbv(0)[count:])
        turns.append(turn(turned, amount(level), data_after, 8 << level))
        turns.append(turn(turned_keep, amount(level), keep_after, 1 << level))
        turned, turned_keep = data_after, keep_after

    for low_bit in range(0, 8 * count, 8):
        top_bit, kept = low_bit + 8, first_keep(low_bit // 8)
        byte = Signal(intbv(0)[8:])
        choices.append(either(kept, first(top_bit, low_bit), turned(top_bit, low_bit), byte))
        chosen.insert(0, byte)
    joined = ConcatSignal(*chosen)

    @always_comb
    def show():
        low.next = joined
        low_keep.next = first_keep | turned_keep
        high.next = turned
        high_keep.next = first_keep & turned_keep

    return instances()


@block
def turn(word, turned, word_after, by):
    """Turn a word by so many bits towards the highest, or leave it."""
    top = len(word)
    rest = top - by

    @always_comb
    def move():
        word_after.next = word
        if turned:
            word_after.next = concat(word[rest:], word[top:rest])

    return move
