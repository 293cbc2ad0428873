# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of code_stack."""

from cosim.bench.simulation import Simulate


def test_code_stack(simulate: Simulate) -> None:
    simulate("code_stack")
