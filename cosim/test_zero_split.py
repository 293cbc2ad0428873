# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of zero_split."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize(
    "configuration", ["zero_split", "zero_split_w2", "zero_split_w4", "zero_split_w4_bf16"]
)
def test_zero_split(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
