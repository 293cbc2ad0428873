# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_runs."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["zero_runs", "zero_runs_w2", "zero_runs_w4"])
def test_zero_runs(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
