# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_window."""

from cosim.bench.simulation import Simulate


def test_code_window(simulate: Simulate) -> None:
    simulate("code_window")
