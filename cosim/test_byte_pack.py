# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of byte_pack."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["byte_pack", "byte_pack_w2", "byte_pack_w4"])
def test_byte_pack(simulate: Simulate, name: str) -> None:
    simulate(name)
