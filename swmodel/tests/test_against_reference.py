# SPDX-License-Identifier: Apache-2.0
"""Every profile writes what the reference encoder writes, byte for byte, and reads it back."""

from __future__ import annotations

import entrolith
import numpy as np
import pytest
from corpus.streams import TABLES, write
from corpus.values import KINDS, LAYOUTS, Patterns, make
from reference.encode import encode
from reference.profile import PROFILES, Profile

LENGTHS = [1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 129, 511, 512, 513, 575, 1024, 1100]
"""Around lanes, words, blocks, and what is left of them."""

LONG = [4095, 4096, 4097, 32767, 32768, 32769]
"""Around the profiles' chunks."""


def check(values: Patterns, dtype: str, profile: str, tables: entrolith.TableSet) -> None:
    data = entrolith.compress(values, dtype=dtype, profile=profile, tables=tables)
    expected = encode(values.tolist(), dtype, values.shape, tables.tables, PROFILES[profile])
    assert data == expected
    back = entrolith.decompress(data, tables=tables, as_bits=True)
    assert np.array_equal(back, values)


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_lengths(kind: str, dtype: str, profile: str) -> None:
    for n in LENGTHS:
        check(make(kind, dtype, n), dtype, profile, entrolith.TableSet.default())


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("n", LONG)
def test_chunks(n: int, dtype: str, profile: str) -> None:
    kind = ["sparse", "mixed", "half_trailing_zeros"][n % 3]
    check(make(kind, dtype, n), dtype, profile, entrolith.TableSet.default())


@pytest.mark.parametrize("profile", entrolith.PROFILES)
def test_chunks_of_every_form_in_a_stream(profile: str) -> None:
    kinds = ["dense", "all_zero", "random_bits", "runs_of_zeros", "dense"]
    size = 1 << PROFILES[profile].log2_chunk
    values = np.concatenate([make(kind, "bf16", size) for kind in kinds])[: -size // 3]
    check(values, "bf16", profile, entrolith.TableSet.default())


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_every_pattern(dtype: str, profile: str) -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16)
    check(patterns, dtype, profile, entrolith.TableSet.default())
    np.random.default_rng(0).shuffle(patterns)
    check(patterns, dtype, profile, entrolith.TableSet.default())


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_many_tables(dtype: str) -> None:
    """128 tables of which most are alike: the lowest index wins, and the last one is in reach."""
    flat, steep = (4,) * 16, (1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 8)
    sets = [(flat,) * 127 + (steep,), (steep, *(flat,) * 127), (flat,), (steep,) * 17]
    for tables in sets:
        for profile in entrolith.PROFILES:
            check(make("mixed", dtype, 3000), dtype, profile, entrolith.TableSet(tables))


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("log2_lanes", [3, 4, 5, 6])
def test_streams_of_any_parameters_are_read(log2_lanes: int, dtype: str) -> None:
    """Whatever the header may say, named profile or not."""
    tables = entrolith.TableSet(TABLES)
    for i, kind in enumerate(KINDS):
        log2_chunk = 9 + i % 3
        log2_block = 5 + i % (log2_chunk - 4)
        profile = Profile(
            1, log2_chunk, log2_block, log2_lanes, i % 2, stored=True, trailing=i % 3 > 0
        )
        for n in (1, 33, 1500):
            values = make(kind, dtype, n, seed=log2_lanes)
            data = write(values, dtype, profile)
            back = entrolith.decompress(data, tables=tables, as_bits=True)
            assert np.array_equal(back, values)


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_largest_blocks_are_read(dtype: str) -> None:
    profile = Profile(1, 15, 15, 6, 1, stored=False, trailing=True)
    values = make("dense", dtype, 33000)
    data = write(values, dtype, profile)
    back = entrolith.decompress(data, tables=entrolith.TableSet(TABLES), as_bits=True)
    assert np.array_equal(back, values)


def hardware(values: Patterns, dtype: str = "fp32") -> entrolith.Info:
    """What the profile of hardware makes of these values, after comparing with the reference."""
    check(values, dtype, "hw2-n8-c4096", entrolith.TableSet.default())
    return entrolith.info(entrolith.compress(values, dtype=dtype, profile="hw2-n8-c4096"))


def below(drops: Patterns, mantissa: int = 0x5A5A5A) -> Patterns:
    """fp32 patterns whose exponents are so far below 120."""
    return ((120 - drops) << 23 | mantissa).astype(np.uint32)


def test_costs_are_of_every_fourth_value() -> None:
    """Which values lie between them decides nothing."""
    drops = np.ones(512, np.int64)
    drops[0] = 0
    seen = hardware(below(drops)).blocks
    drops[np.arange(512) % 4 > 0] = 8
    assert hardware(below(drops)).blocks == seen
    exact = entrolith.compress(below(drops), dtype="fp32", profile="hw-n8-c4096")
    assert entrolith.info(exact).blocks != seen


def test_most_pairs_of_hardware() -> None:
    """Runs of three zeros pay; but a chunk with one pair more than fits has a bitmap."""
    values = below(np.ones(4096, np.int64))
    values[np.arange(4096) % 4 > 0] = 0
    found = hardware(values)
    assert (found.zero_runs, found.sizes.zeros) == (1024, 0)
    values[2] = values[0]
    found = hardware(values)
    assert found.zero_runs == 0
    assert found.sizes.zeros > 0


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_hardware_strips_whole_bytes(dtype: str) -> None:
    """As many in all blocks of a chunk as its values allow; in another chunk, others."""
    mantissa = LAYOUTS[dtype].mantissa
    for t in range(mantissa + 1):
        values = make("dense", dtype, 4096) | 1 << mantissa // 2
        stripped = (values >> t << t | 1 << t).astype(values.dtype)
        part_bits = 1 + mantissa - min(t, mantissa // 2) // 8 * 8
        stripped[512:1024] = values[512:1024] >> mantissa // 2 << mantissa // 2
        found = hardware(np.concatenate([stripped, values | 1]), dtype)
        assert found.sizes.raw == 512 * (part_bits + 1 + mantissa) - 8
