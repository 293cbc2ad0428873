# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_parse."""

from cosim.bench.simulation import Simulate


def test_chunk_parse(simulate: Simulate) -> None:
    simulate("chunk_parse")
