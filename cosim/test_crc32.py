# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of crc32."""

from cosim.bench.simulation import Simulate


def test_crc32(simulate: Simulate) -> None:
    simulate("crc32")
