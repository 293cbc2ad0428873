# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_split."""

from cosim.bench.simulation import Simulate


def test_zero_split(simulate: Simulate) -> None:
    simulate("zero_split")
