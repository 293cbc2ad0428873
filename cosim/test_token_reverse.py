# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of token_reverse."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("configuration", ["token_reverse", "token_reverse_w4"])
def test_token_reverse(simulate: Simulate, configuration: str) -> None:
    simulate(configuration)
