# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of gradient_dec."""

import pytest

from cosim.bench.simulation import Simulate
from hls.configuration import load


@pytest.mark.parametrize("name", [c.name for c in load() if c.block == "gradient_dec"])
def test_gradient_dec(simulate: Simulate, name: str) -> None:
    simulate(name)
