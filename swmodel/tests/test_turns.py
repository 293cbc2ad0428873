# SPDX-License-Identifier: Apache-2.0
"""Small chunks of 8 lanes are decoded several at once: the same values, the same refusals."""

from __future__ import annotations

import entrolith
import numpy as np
import pytest
from corpus import streams
from corpus.kernels import with_every_kernel
from corpus.outcomes import TABLES, compare, outcome
from corpus.values import ALL_LAYOUTS, KINDS, Patterns, make
from reference.profile import Profile

KINDS_OF_CODED = [kind for kind in KINDS if kind not in ("all_zero", "random_bits")]


def profile(mode: str, i: int) -> Profile:
    """Chunks of 512 values and blocks of 64."""
    known = 99 * (i % 2)
    return Profile(
        2, 9, 6, 3, 1, stored=i % 3 == 0, trailing=8, known_pairs=known, runs=not known, mode=mode
    )


def back(data: bytes) -> Patterns:
    values: Patterns = entrolith.decompress(data, tables=TABLES, as_bits=True)
    return values


@pytest.mark.parametrize("mode", ["static", "hybrid"])
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_chunks_of_every_kind(dtype: str, mode: str) -> None:
    """More chunks than take turns, unlike in zeros, tables, escapes and raw blocks."""
    for i, kinds in enumerate((KINDS_OF_CODED, [*KINDS], ["dense"] * 20, ["escapes"] * 17)):
        parts = [make(kind, dtype, 512, seed) for seed, kind in enumerate(kinds)]
        values = np.concatenate(parts)[: -100 * i or None]
        data = streams.write(values, dtype, profile(mode, i))
        for kernel in with_every_kernel():
            assert np.array_equal(back(data), values), kernel


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
def test_the_first_of_several_faults(dtype: str) -> None:
    """Whatever chunk of those at once is looked at first."""
    values = np.concatenate([make("escapes", dtype, 512, seed) for seed in range(12)])
    stream = streams.write(values, dtype, profile("static", 1))
    rng = np.random.default_rng(0)
    start = streams.header_bytes(stream)
    damaged = []
    for _ in range(60):
        data = bytearray(stream)
        for at in rng.integers(start, len(data), 3):
            data[at] ^= int(rng.integers(1, 256))
        damaged.append(bytes(data))
    found = compare(damaged)
    for kernel in with_every_kernel():
        assert [outcome(data) for data in damaged] == found, kernel


def test_a_part_of_the_values_on_threads() -> None:
    values = np.concatenate([make("sparse", "fp32", 4096, seed) for seed in range(40)])
    data = entrolith.compress(values.view(np.float32), profile="hw2-n8-c4096")
    for threads in (1, 3):
        out = entrolith.decompress(data, threads=threads)
        assert np.array_equal(out.view(np.uint32), values)
    reader = entrolith.Reader(data)
    for first, end in ((0, 1), (4095, 12290), (100, 163000)):
        assert np.array_equal(reader.read(None, first, end).view(np.uint32), values[first:end])
