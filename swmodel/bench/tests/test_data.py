# SPDX-License-Identifier: Apache-2.0
"""Cut or grown, the data stays what it was."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from bench.data import SAMPLES, Data, Patterns, fresh, resized, samples


def normal(*shape: int, seed: int = 0, zeros: float = 0.0) -> Patterns:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape, np.float32)
    values[rng.random(shape) < zeros] = 0
    return values.view(np.uint32)


def test_a_cut_is_whole_rows_of_the_largest_tensors() -> None:
    tensors = {f"t{i}": normal(40 + i, 3, 5, seed=i) for i in range(6)}
    whole = Data("x", "fp32", tensors)
    cut = resized(whole, 4 * 16 * 60)
    assert list(cut.tensors) == ["t5", "t4", "t3", "t2"]
    assert 0 < cut.nbytes <= 4 * 16 * 60
    for name, tensor in cut.tensors.items():
        rows = {row.tobytes() for row in tensors[name]}
        assert tensor.shape == (16, 3, 5)
        assert all(row.tobytes() in rows for row in tensor)
        assert len({row.tobytes() for row in tensor}) == 16
        assert (tensor[0] == tensors[name][0]).all()
        assert (tensor[-1] == tensors[name][-1]).all()


def test_a_cut_of_one_row() -> None:
    assert resized(Data("x", "fp32", {"t": normal(7, 100)}), 500).joined.size == 100


@pytest.mark.parametrize("shape", [(5000,), (300, 17), (40, 5, 3, 3)])
def test_growing_keeps_zeros_and_the_scale_of_columns(shape: tuple[int, ...]) -> None:
    tensor = normal(*shape, zeros=0.3)
    again = fresh(tensor, 23, np.random.default_rng(1))
    assert again.shape == tensor.shape
    assert ((again == 0) == (tensor == 0)).all()
    exponents = [np.sort((t >> 23 & 255).reshape(len(t), -1), axis=0) for t in (tensor, again)]
    if len(shape) == 1:
        assert (exponents[0] == exponents[1]).all()
    else:  # runs of near values may reach into the next column
        assert (exponents[0] == exponents[1]).mean() > 0.5
    assert (again[tensor != 0] == tensor[tensor != 0]).mean() < 0.01


@pytest.mark.parametrize("shape", [(1,), ()])
def test_growing_a_single_value(shape: tuple[int, ...]) -> None:
    tensor = np.full(shape, 0x3F800001, np.uint32)
    again = fresh(tensor, 23, np.random.default_rng(1))
    assert again.shape == shape
    assert again & 0x7F800001 == 0x3F800001


def test_growing_keeps_trailing_zeros() -> None:
    tensor = normal(1000) & np.uint32(0xFFFF0000)
    again = fresh(tensor, 23, np.random.default_rng(1))
    assert (again & 0xFFFF == 0).all()
    assert (again & -again == 1 << 16).mean() == pytest.approx((tensor & -tensor == 1 << 16).mean())


def test_growing_any_pattern_keeps_what_is_not_zero() -> None:
    tensor = np.arange(1 << 16, dtype=np.uint16)
    again = fresh(tensor, 7, np.random.default_rng(1))
    assert np.flatnonzero(again == 0).tolist() == [0]


def test_what_is_grown_does_not_repeat() -> None:
    once = Data("x", "bf16", {"t": (normal(4000) >> 16).astype(np.uint16)})
    grown = resized(once, 10 * once.nbytes)
    assert grown.nbytes == 10 * once.nbytes
    ratios = [len(zlib.compress(data.joined.tobytes(), 9)) / data.nbytes for data in (once, grown)]
    assert ratios[1] > 0.98 * ratios[0]


def test_values_are_the_patterns() -> None:
    bf16 = Data("x", "bf16", {"a": np.array([0x3F80, 0xC000], np.uint16)})
    assert bf16.values.tolist() == [1.0, -2.0]
    one, zero = np.array([0x3F800000], np.uint32), np.zeros((1, 1), np.uint32)
    fp32 = Data("x", "fp32", {"a": one, "b": zero})
    assert fp32.values.tolist() == [1.0, 0.0]
    assert fp32.zeros == 0.5


def test_samples() -> None:
    source = samples(SAMPLES)
    assert not source.whole
    assert {data.dtype for data in source.data} == {"fp32", "bf16"}
    for data in source.data:
        assert data.joined.dtype == (np.uint16 if data.dtype == "bf16" else np.uint32)
        assert ".late." in data.name
