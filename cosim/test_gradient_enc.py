# SPDX-License-Identifier: Apache-2.0
"""Co-simulation of gradient_enc."""

import pytest

from cosim.bench.simulation import Simulate


@pytest.mark.parametrize("name", ["gradient_enc_w1_fp32", "gradient_enc_w1_bf16"])
def test_gradient_enc(simulate: Simulate, name: str) -> None:
    simulate(name)
