# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_bitmap."""

from cosim.bench.simulation import Simulate


def test_zero_bitmap(simulate: Simulate) -> None:
    simulate("zero_bitmap")
