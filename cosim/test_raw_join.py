# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of raw_join."""

from cosim.bench.simulation import Simulate


def test_raw_join(simulate: Simulate) -> None:
    simulate("raw_join")
