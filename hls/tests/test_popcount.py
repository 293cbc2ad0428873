# SPDX-License-Identifier: Apache-2.0
"""popcount, simulated in MyHDL."""

import random

from myhdl import Signal, StopSimulation, block, delay, instance, intbv

from hls.popcount import popcount


def test_counts() -> None:
    word, ones = Signal(intbv(0)[32:]), Signal(intbv(0)[6:])
    wrong = []

    @block
    def bench():
        uut = popcount(word, ones)

        @instance
        def drive():
            rng = random.Random(1)
            patterns = [0, 2**32 - 1, *(1 << i for i in range(32))]
            for pattern in [*patterns, *(rng.getrandbits(32) for _ in range(500))]:
                word.next = pattern
                yield delay(1)
                if ones != pattern.bit_count():
                    wrong.append(pattern)
            raise StopSimulation

        return uut, drive

    simulation = bench()
    simulation.run_sim()
    simulation.quit_sim()
    assert not wrong
