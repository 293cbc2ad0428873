# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of raw_strip."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["raw_strip_w1", "raw_strip_w4"])
def test_raw_strip(simulate: Simulate, name: str) -> None:
    simulate(name)
