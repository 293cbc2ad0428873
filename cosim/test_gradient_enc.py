# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of gradient_enc."""

import pytest

from cosim.bench.simulation import Simulate
from hls.configuration import load


@pytest.mark.parametrize("name", [c.name for c in load() if c.block == "gradient_enc"])
def test_gradient_enc(simulate: Simulate, name: str) -> None:
    simulate(name)
