# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_parse."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize(
    "name", ["chunk_parse", "chunk_parse_w2", "chunk_parse_w4", "chunk_parse_w4_runs"]
)
def test_chunk_parse(simulate: Simulate, name: str) -> None:
    simulate(name)
