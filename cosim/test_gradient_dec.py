# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of gradient_dec."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_gradient_dec(simulate: Simulate, width: int, dtype: str) -> None:
    simulate(f"gradient_dec_w{width}_{dtype}")
