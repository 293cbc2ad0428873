# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of huff_choice."""

from cosim.bench.simulation import Simulate


def test_huff_choice(simulate: Simulate) -> None:
    simulate("huff_choice")
