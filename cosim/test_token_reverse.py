# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of token_reverse."""

from cosim.bench.simulation import Simulate


def test_token_reverse(simulate: Simulate) -> None:
    simulate("token_reverse")
