# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_pairs."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["zero_pairs", "zero_pairs_w2", "zero_pairs_w4"])
def test_zero_pairs(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
