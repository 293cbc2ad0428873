# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of crc32."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["crc32", "crc32_w4"])
def test_crc32(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
