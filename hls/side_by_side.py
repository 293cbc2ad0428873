# SPDX-License-Identifier: Apache-2.0
"""side_by_side: several words as one, a signal that can be cut elsewhere.

Role         groups are made of their items, and words of groups
Not done     no registers, no logic
"""

from __future__ import annotations

from myhdl import ConcatSignal, always_comb, block

from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def side_by_side(parts, whole):
    """Join.

    parts  in   list of words
    whole  out  all of them, the first in the lowest bits
    """
    joined = ConcatSignal(*reversed(parts)) if len(parts) > 1 else parts[0]

    @always_comb
    def join():
        whole.next = joined

    return join
