# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_merge."""

from cosim.bench.simulation import Simulate


def test_zero_merge(simulate: Simulate) -> None:
    simulate("zero_merge")
