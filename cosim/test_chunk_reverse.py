# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_reverse."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["chunk_reverse", "chunk_reverse_w2", "chunk_reverse_w4"])
def test_chunk_reverse(simulate: Simulate, name: str) -> None:
    simulate(name)
