# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_stack."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("config", ["code_stack", "code_stack_w2", "code_stack_w4"])
def test_code_stack(simulate: Simulate, config: str) -> None:
    simulate(config)
