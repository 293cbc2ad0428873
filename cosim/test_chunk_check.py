# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_check."""

from cosim.bench.simulation import Simulate


def test_chunk_check(simulate: Simulate) -> None:
    simulate("chunk_check")
