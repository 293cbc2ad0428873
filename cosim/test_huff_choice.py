# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of huff_choice."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize(
    "name",
    [
        "huff_choice",
        "huff_choice_w1",
        "huff_choice_w2",
        "huff_choice_w4",
        "huff_choice_w2_loadable",
        "huff_choice_w4_loadable",
    ],
)
def test_huff_choice(simulate: Simulate, name: str) -> None:
    simulate(name)
