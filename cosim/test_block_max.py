# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of block_max."""

from cosim.bench.simulation import Simulate


def test_block_max(simulate: Simulate) -> None:
    simulate("block_max")
