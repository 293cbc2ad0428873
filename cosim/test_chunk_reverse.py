# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_reverse."""

from cosim.bench.simulation import Simulate


def test_chunk_reverse(simulate: Simulate) -> None:
    simulate("chunk_reverse")
