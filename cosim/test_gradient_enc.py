# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of gradient_enc."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize(
    "name", [f"gradient_enc_w{width}_{fmt}" for width in (1, 2, 4) for fmt in ("fp32", "bf16")]
)
def test_gradient_enc(simulate: Simulate, name: str) -> None:
    simulate(name)
