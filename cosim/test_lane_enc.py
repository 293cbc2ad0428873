# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of lane_enc."""

import pytest

from cosim.bench.simulation import Simulate

CONFIGURATIONS = [
    "lane_enc",
    "lane_enc_w2",
    "lane_enc_w4",
    "lane_enc_w1_runs",
    "lane_enc_w2_runs",
    "lane_enc_w4_runs",
    "lane_enc_w4_loadable",
]


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_lane_enc(simulate: Simulate, config: str) -> None:
    simulate(config)
