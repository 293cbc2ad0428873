# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of lane_dec."""

from cosim.bench.simulation import Simulate


def test_lane_dec(simulate: Simulate) -> None:
    simulate("lane_dec")
