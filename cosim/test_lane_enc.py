# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of lane_enc."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("config", ["lane_enc", "lane_enc_w2", "lane_enc_w4"])
def test_lane_enc(simulate: Simulate, config: str) -> None:
    simulate(config)
