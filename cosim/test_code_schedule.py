# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_schedule."""

import pytest

from cosim.bench.simulation import Simulate

CONFIGURATIONS = [
    "code_schedule",
    "code_schedule_w2",
    "code_schedule_w4",
    "code_schedule_w1_runs",
    "code_schedule_w2_runs",
    "code_schedule_w4_runs",
]


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_code_schedule(simulate: Simulate, config: str) -> None:
    simulate(config)
