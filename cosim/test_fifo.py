# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of fifo."""

from cosim.bench.simulation import Simulate


def test_fifo(simulate: Simulate) -> None:
    simulate("fifo")
