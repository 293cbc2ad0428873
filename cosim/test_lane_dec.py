# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of lane_dec."""

import pytest

from cosim.bench.simulation import Simulate

NAMES = [
    "lane_dec",
    "lane_dec_w2",
    "lane_dec_w2_runs",
    "lane_dec_w4",
    "lane_dec_w4_loadable",
    "lane_dec_w4_runs",
]


@pytest.mark.parametrize("name", NAMES)
def test_lane_dec(simulate: Simulate, name: str) -> None:
    simulate(name)
