# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_tokens."""

from cosim.bench.simulation import Simulate


def test_zero_tokens(simulate: Simulate) -> None:
    simulate("zero_tokens")
