# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_window."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["code_window", "code_window_w2", "code_window_w4"])
def test_code_window(simulate: Simulate, name: str) -> None:
    simulate(name)
