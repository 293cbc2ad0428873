# SPDX-License-Identifier: Apache-2.0
"""The table of modes: its bound is one, and its rows say what was measured."""

from __future__ import annotations

import entrolith
import numpy as np
import pytest

from reports import methods


def normal(count: int, zeros: float = 0.0) -> methods.Tensors:
    rng = np.random.default_rng(count)
    values = rng.standard_normal(count, np.float32)
    values[rng.random(count) < zeros] = 0
    return {"values": values}


def test_entropy_is_in_bits() -> None:
    assert methods.entropy(np.array([4, 4, 0])) == pytest.approx(8)
    assert methods.entropy(np.array([7])) == 0


def test_bound_of_equal_values_is_their_signs_and_mantissas() -> None:
    tensors = {"ones": np.ones(1 << 15, np.float32)}
    assert methods.bound(tensors) == pytest.approx(1 / 32)  # 23 trailing zeros, no entropy


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("mode", entrolith.MODES)
def test_no_mode_goes_below_the_bound(mode: str, zeros: float) -> None:
    tensors = normal(1 << 15, zeros)
    bound = methods.bound(tensors)
    assert bound < methods.ratio(tensors, mode=mode) < 1.05 * bound


def test_hybrid_is_no_larger_than_static() -> None:
    tensors = normal(1 << 16, 0.3)
    assert methods.ratio(tensors, mode="hybrid") <= methods.ratio(tensors, mode="static")


def test_related_models_are_one_family() -> None:
    assert methods.family("vgg16sparse.late.fp32") == methods.family("vgg16.mid.fp32")


def test_rows_become_a_table() -> None:
    row = {"file": "a.late.fp32", "values": 1234, "zeros": 0.25}
    row |= dict.fromkeys(methods.COLUMNS, 0.5)
    lines = methods.markdown([row]).splitlines()
    assert lines[2].startswith("| `a.late.fp32` | 1,234 | 25.0% | 0.5000 |")
    assert len({line.count("|") for line in lines}) == 1
