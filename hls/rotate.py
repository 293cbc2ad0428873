# SPDX-License-Identifier: Apache-2.0
"""rotate: the words of a ring from any of its places on.

Role         raw_join finds the next bytes and exponents with it
Not done     no registers
"""

from __future__ import annotations

from myhdl import Signal, block, intbv

from hls.choose import either
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def rotate(ring, place, shown):
    """Turn.

    ring   in   list of words, a power of two
    place  in   of the first to be shown
    shown  out  list of as many words as are wanted
    """
    turns, words = [], ring
    for level in reversed(range(len(place))):
        by = 1 << level
        wanted = min(len(ring), len(shown) + by - 1)
        turned = [Signal(intbv(0)[len(ring[0]) :]) for _ in range(wanted)] if level else shown
        for i, word in enumerate(turned):
            turns.append(either(place(level), words[(i + by) % len(ring)], words[i], word))
        words = turned
    return turns
