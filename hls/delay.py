# SPDX-License-Identifier: Apache-2.0
"""delay: a flag, and the same flag later.

Role         keeps a flag beside what goes through a pipeline
"""

from __future__ import annotations

from myhdl import always_seq, block

from hls.stream import Contract

CONTRACT = Contract(latency=1, interval=1)


@block
def delay(clk, rst, flags):
    """Each flag of the list, from the second on, is the one before it a cycle later."""
    return [register(clk, rst, *flags[i : i + 2]) for i in range(len(flags) - 1)]


@block
def register(clk, rst, flag, flag_late):
    @always_seq(clk.posedge, reset=rst)
    def move():
        flag_late.next = flag

    return move
