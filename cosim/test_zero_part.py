# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_part."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["zero_part", "zero_part_w2", "zero_part_w4"])
def test_zero_part(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
