# SPDX-License-Identifier: Apache-2.0
"""Chunks of version 2: zero runs, dynamic tables, fp64 and fp8, as the reference writes them."""

from __future__ import annotations

from itertools import islice

import entrolith
import numpy as np
import pytest
from corpus import streams
from corpus.kernels import with_every_kernel
from corpus.outcomes import TABLES, compare, outcome
from corpus.values import ALL_LAYOUTS, KINDS, LAYOUTS, Patterns, make
from reference.encode import encode
from reference.profile import Profile, level
from reference.reader import CORRUPT, MODE

LENGTHS = [1, 2, 8, 33, 63, 64, 65, 512, 513, 1100, 2600]
"""Around lanes, words, blocks and units of blocks."""

MODES = ["static", "dynamic", "hybrid"]


def as_reference(
    values: Patterns, dtype: str, number: int, mode: str | None, *, checked: bool = True
) -> bytes:
    """The stream, after making sure that every kernel writes the reference's and reads it back."""
    tables = entrolith.TableSet.default().tables
    expected = encode(
        values.ravel().tolist(), dtype, values.shape, tables, level(number, mode, checked)
    )
    for kernel in with_every_kernel():
        data = entrolith.compress(values, dtype=dtype, level=number, mode=mode, check=checked)
        assert data == expected, kernel
        assert np.array_equal(entrolith.decompress(data, as_bits=True), values), kernel
    return expected


def zeros_where(dtype: str, zero: Patterns, seed: int = 0) -> Patterns:
    """Dense values, but zero where `zero` says so."""
    values = make("dense", dtype, len(zero), seed)
    values[zero] = 0
    return values


@pytest.mark.parametrize("seed", range(40))
def test_tables_that_barely_pay(seed: int) -> None:
    """Blocks much like what a table of the set is for, with some symbols that occur once."""
    rng = np.random.default_rng(seed)
    tables = np.array(entrolith.TableSet.default().tables)[:, :15]
    blocks = []
    for table in rng.choice(tables, 32):
        known = np.where(table > 0, 0.5**table, 0)
        shares = rng.dirichlet(known * rng.choice([20, 60, 150]) + 0.001)
        symbols = np.concatenate([[0], rng.choice(15, 511, p=shares)])
        rare = rng.permutation(15)[: rng.integers(1, 9)]
        symbols[1 + rng.permutation(511)[: len(rare)]] = rare
        blocks.append(symbols)
    patterns = 120 - np.concatenate(blocks) << 7 | rng.integers(0, 128, 32 * 512)
    as_reference(patterns.astype(np.uint16), "bf16", 5, "hybrid")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_lengths(kind: str, dtype: str, mode: str) -> None:
    for i, n in enumerate(LENGTHS[len(kind) % 2 :: 2]):
        as_reference(make(kind, dtype, n), dtype, (1, 5)[i % 3 > 0], mode, checked=i % 4 > 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_chunks(dtype: str, mode: str) -> None:
    """Whole chunks and what is left of them, with every kernel."""
    kinds = ("runs_of_zeros", "sparse", "mixed", "escapes")
    values = [make(kind, dtype, 32768) for kind in kinds]
    as_reference(np.concatenate(values)[: -20000 - len(mode)], dtype, 5, mode)


@pytest.mark.parametrize("dtype", ["bf16", "fp64"])
def test_zeros_of_every_pattern(dtype: str) -> None:
    """Where runs begin, end, and how long they are: at words of the bitmap and at chunks."""
    n, i = 32768, np.arange(32768)
    patterns = [
        i % 2 == 0,  # most pairs
        i % 2 == 1,
        i != 0,  # the longest run, whose class is an escape
        i != n - 100,
        (i > 0) & (i < n - 1),
        i >= n // 2,  # the longest distance
        i // 64 % 2 == 0,
        i // 100 % 3 > 0,
        (i + 7) // 64 % 5 == 0,
        np.random.default_rng(0).random(n) < 0.999,
    ]
    for k, zero in enumerate(patterns):
        part = zero[5:-60] if k % 2 else zero
        found = entrolith.info(as_reference(zeros_where(dtype, part), dtype, 5, "static"))
        assert found.zero_runs > 0
        assert found.sizes.zeros == 0
    found = entrolith.info(as_reference(zeros_where(dtype, i[:100] % 3 == 0), dtype, 5, "static"))
    assert found.zero_runs == 0
    assert found.sizes.zeros > 0


@pytest.mark.parametrize("number", [5, 9])
@pytest.mark.parametrize("dtype", ["fp16", "fp64", "fp8e5m2"])
def test_crosses(dtype: str, number: int) -> None:
    """Columns that are dead in the first chunk, and not in the whole matrix."""
    values = np.concatenate([streams.crossed(dtype, 1 << 16), make("sparse", dtype, 6400)])
    for shape in ((-1, 64), (-1, 8, 8)):
        data = as_reference(values.reshape(shape), dtype, number, None)
        first = streams.header_bytes(data)
        assert data[first] >> 2 & 7 == 4


@pytest.mark.parametrize("dtype", ["fp8e4m3", "fp8e5m2"])
def test_every_pattern(dtype: str) -> None:
    patterns = np.arange(256, dtype=np.uint8).repeat(7)
    as_reference(patterns, dtype, 5, "hybrid")
    np.random.default_rng(0).shuffle(patterns)
    as_reference(patterns, dtype, 5, "hybrid")


def test_fp64_that_was_fp32() -> None:
    """29 low mantissa bits are 0, so raw parts have 24."""
    values = np.random.default_rng(0).standard_normal(40000, np.float32).astype(np.float64)
    data = as_reference(values.view(np.uint64), "fp64", 5, "hybrid")
    assert len(data) < 0.45 * values.nbytes


@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_nothing_grows(dtype: str) -> None:
    values = make("random_bits", dtype, 70000)
    for mode in MODES:
        data = entrolith.compress(values, dtype=dtype, level=5, mode=mode)
        found = entrolith.info(data)
        assert len(data) <= values.nbytes + found.sizes.header + 3 * 12 + found.sizes.footer


@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_modes_choose_as_they_say(dtype: str) -> None:
    """Hybrid is never larger than static; dynamic uses no table of the set."""
    values = make("dense", dtype, 30000)
    size = {}
    for mode in MODES:
        data = entrolith.compress(values, dtype=dtype, level=5, mode=mode, tables=TABLES)
        size[mode] = len(data)
        blocks = set(entrolith.info(data).blocks)
        if mode == "static":
            assert "dynamic" not in blocks
        elif mode == "dynamic":
            assert blocks <= {"dynamic", "raw"}
    assert size["hybrid"] <= size["static"]


@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_streams_of_any_parameters_are_read(dtype: str) -> None:
    for i, kind in enumerate(KINDS):
        log2_chunk = 9 + i % 3
        profile = Profile(
            2,
            log2_chunk,
            5 + i % (log2_chunk - 4),
            3 + i % 4,
            i % 2,
            stored=i % 5 == 0,
            trailing=i % 3 > 0,
            runs=i % 4 > 0,
            mode=MODES[i % 3],
        )
        for n in (1, 33, 1500):
            values = make(kind, dtype, n, seed=i)
            data = streams.write(values, dtype, profile)
            for kernel in with_every_kernel():
                back = entrolith.decompress(data, tables=TABLES, as_bits=True)
                assert np.array_equal(back, values), kernel


@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_damage_as_the_reference(dtype: str) -> None:
    """Bytes of every part forged: counts, tables, extra bits, lanes, codes."""
    fields = set()
    for i, (_, stream) in enumerate(streams.of_version_2(dtype)):
        start = streams.header_bytes(stream)
        places = [*range(start + i % 3, start + 60, 3), *range(start + 60 + i, len(stream), 29)]
        forged = [
            stream[:at] + bytes([byte]) + stream[at + 1 :]
            for at in places
            for byte in {0, 255, stream[at] ^ 1, stream[at] ^ 16}
        ]
        forged += islice(streams.truncations(stream), 0, None, 37)
        found = compare(forged)
        fields |= {field for _, field, _ in found}
        for kernel in with_every_kernel():
            assert [outcome(data) for data in forged[::7]] == found[::7], kernel
    assert fields >= {
        "mode", "size", "zeros", "columns", "nonzeros", "pairs", "extra", "distance_table",
        "run_table", "known_tables", "lanes", "table_count", "tables", "table", "codes",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_version_1_has_none_of_it(dtype: str) -> None:
    """The same chunks behind a header of version 1 are of a reserved mode."""
    for _, stream in streams.of_version_2(dtype):
        found = entrolith.info(stream)
        if found.parameters.check or not (found.sizes.runs or found.sizes.tables):
            continue
        head = bytearray(stream[: streams.header_bytes(stream) - 4])
        head[4] = 1
        old = streams.resealed(bytes(head), stream[streams.header_bytes(stream) :])
        assert compare([old]) == [(MODE, "mode", streams.header_bytes(stream))]


def test_info_accounts_for_every_byte() -> None:
    for dtype in ALL_LAYOUTS:
        for name, stream in streams.of_version_2(dtype):
            found = entrolith.info(stream)
            assert found.stream_bytes == len(stream), name
            assert found.sizes.tables == (found.sizes.tables and found.dynamic_tables * 8 + 1)
    values = zeros_where("fp32", np.arange(32768) // 300 % 2 == 0)
    found = entrolith.info(entrolith.compress(values, dtype="fp32", level=5, mode="dynamic"))
    assert found.zero_runs == -(-32768 // 600)
    assert found.sizes.runs > 22
    assert found.sizes.zeros == 0
    assert found.dynamic_tables == 8
    assert found.sizes.tables == 8 * 8 + 1
    assert found.blocks == {"dynamic": 32}


def test_first_fault_of_several() -> None:
    """Tokens that do not fit are reported before the extra bits of which they are made."""
    values = zeros_where("bf16", np.arange(500) // 9 % 2 == 0)
    profile = Profile(2, 9, 6, 3, 0, stored=False, trailing=False, runs=True)
    stream = streams.write(values, "bf16", profile)
    runs = streams.header_bytes(stream) + 8
    extra = bytearray(stream)
    extra[runs + 22] ^= 255
    unused = bytearray(extra)
    unused[runs + 4] += 1
    unused[runs + 22] ^= 255
    found = compare([bytes(extra), bytes(unused)])
    assert found[0] == (CORRUPT, "pairs", runs + 2)
    assert found[1][0] == CORRUPT
