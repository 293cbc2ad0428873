# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_bitmap."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["zero_bitmap", "zero_bitmap_w2", "zero_bitmap_w4"])
def test_zero_bitmap(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
