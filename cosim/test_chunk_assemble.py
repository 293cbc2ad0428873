# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_assemble."""

from cosim.bench.simulation import Simulate


def test_chunk_assemble(simulate: Simulate) -> None:
    simulate("chunk_assemble")
