# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of lane_enc."""

from cosim.bench.simulation import Simulate


def test_lane_enc(simulate: Simulate) -> None:
    simulate("lane_enc")
