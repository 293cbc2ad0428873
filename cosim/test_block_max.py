# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of block_max."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["block_max", "block_max_w2", "block_max_w4"])
def test_block_max(simulate: Simulate, name: str) -> None:
    simulate(name)
