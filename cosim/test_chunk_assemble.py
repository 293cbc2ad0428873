# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of chunk_assemble."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize(
    "name",
    [
        "chunk_assemble",
        "chunk_assemble_w2",
        "chunk_assemble_w4",
        "chunk_assemble_w2_runs",
        "chunk_assemble_w4_runs",
    ],
)
def test_chunk_assemble(simulate: Simulate, name: str) -> None:
    simulate(name)
