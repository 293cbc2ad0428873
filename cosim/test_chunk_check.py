# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_check."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["chunk_check", "chunk_check_w2_bf16", "chunk_check_w4"])
def test_chunk_check(simulate: Simulate, name: str) -> None:
    simulate(name)
