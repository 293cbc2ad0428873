# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_schedule."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("config", ["code_schedule", "code_schedule_w2", "code_schedule_w4"])
def test_code_schedule(simulate: Simulate, config: str) -> None:
    simulate(config)
