# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_schedule."""

from cosim.bench.simulation import Simulate


def test_code_schedule(simulate: Simulate) -> None:
    simulate("code_schedule")
