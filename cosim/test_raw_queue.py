# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of raw_queue."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["raw_queue", "raw_queue_w2", "raw_queue_w4", "raw_queue_w4_bf16"])
def test_raw_queue(simulate: Simulate, name: str) -> None:
    simulate(name)
