# SPDX-License-Identifier: Apache-2.0
"""compact, simulated in MyHDL: every set of items, from every slot on."""

from itertools import product

import pytest
from myhdl import Signal, StopSimulation, block, delay, instance, intbv, modbv

from hls.compact import compact


@pytest.mark.parametrize("width", [1, 2, 4])
def test_items_that_count_lie_side_by_side(width: int) -> None:
    items = [Signal(intbv(0)[8:]) for _ in range(width)]
    slots = [Signal(intbv(0)[8:]) for _ in range(width)]
    some = [Signal(bool(0)) for _ in range(width)]
    offset = Signal(modbv(0)[max(1, (width - 1).bit_length()) :])
    wrong = []

    @block
    def bench():
        uut = compact(items, some, offset, slots)

        @instance
        def drive():
            for first, flags in product(range(width), product((False, True), repeat=width)):
                offset.next = first
                for j in range(width):
                    items[j].next, some[j].next = j + 100, flags[j]
                yield delay(1)
                sent = [j + 100 for j in range(width) if flags[j]]
                found = [int(slots[(first + i) % width]) for i in range(len(sent))]
                if found != sent:
                    wrong.append((first, flags, found))
            raise StopSimulation

        return uut, drive

    simulation = bench()
    simulation.run_sim()
    simulation.quit_sim()
    assert not wrong
