# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of run_bitmap."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["run_bitmap_w2", "run_bitmap_w4"])
def test_run_bitmap(simulate: Simulate, name: str) -> None:
    simulate(name)
