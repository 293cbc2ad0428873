# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of byte_pack."""

from cosim.bench.simulation import Simulate


def test_byte_pack(simulate: Simulate) -> None:
    simulate("byte_pack")
