# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of raw_join."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["raw_join", "raw_join_w2", "raw_join_w4", "raw_join_w4_bf16"])
def test_raw_join(simulate: Simulate, name: str) -> None:
    simulate(name)
