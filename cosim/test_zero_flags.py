# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_flags."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["zero_flags", "zero_flags_w2", "zero_flags_w4"])
def test_zero_flags(simulate: Simulate, name: str) -> None:
    simulate(name)
