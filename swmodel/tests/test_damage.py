# SPDX-License-Identifier: Apache-2.0
"""Damaged streams: refused for the reference's reason, in its field, at its offset."""

from __future__ import annotations

import zlib
from itertools import islice
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus import mappings, streams
from corpus.outcomes import CAUSES, TABLES, compare, expected, outcome, refusal
from corpus.values import ALL_LAYOUTS, LAYOUTS, make
from reference.profile import Profile
from reference.reader import CORRUPT, MODE, TRUNCATED

UNSEEN = {"table", "lanes", "codes", "raw", "check"}
"""Fields that may be at fault without `info` seeing it."""


def small(dtype: str) -> list[tuple[str, bytes]]:
    return list(streams.small(dtype))


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_whole_streams_are_accepted(dtype: str) -> None:
    for found in compare(stream for _, stream in small(dtype)):
        assert found[0] == dtype


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_truncation_at_every_byte(dtype: str) -> None:
    """The end is missed, wherever it is: even if damage were found first, there is none."""
    for _, stream in small(dtype)[::3]:
        for data in streams.truncations(stream):
            with pytest.raises(entrolith.TruncatedStreamError):
                entrolith.decompress(data, tables=TABLES)
            with pytest.raises(entrolith.TruncatedStreamError):
                entrolith.info(data)
    for _, stream in small(dtype)[::6]:
        compare(islice(streams.truncations(stream), 0, None, 7))
        compare(streams.truncations(stream[:80]))


HOW: list[dict[str, Any]] = [
    *({"profile": profile} for profile in entrolith.PROFILES),
    *({"level": number} for number in (1, 5, 9)),
    *({"mode": mode} for mode in entrolith.MODES),
]


def refused(stream: bytes) -> None:
    """Every flip of a bit and every truncation."""
    for data in (*streams.flips(stream), *streams.truncations(stream)):
        with pytest.raises(entrolith.EntrolithError) as caught:
            entrolith.decompress(data)
        assert type(caught.value) in CAUSES


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_every_change_of_a_checked_stream_is_refused(dtype: str, how: dict[str, Any]) -> None:
    if dtype not in LAYOUTS and "profile" in how:
        return  # which have no such type, as test_arrays.py makes sure
    for kind in ("dense", "mixed", "runs_of_zeros", "all_zero", "random_bits"):
        refused(entrolith.compress(make(kind, dtype, 300), dtype=dtype, **how))


def test_every_change_of_a_checked_mapping_is_refused() -> None:
    arrays = {"a": make("dense", "bf16", 200), "größe": make("sparse", "bf16", 90)}
    refused(entrolith.compress(arrays, dtype="bf16"))
    refused(entrolith.compress({}))
    rows = np.zeros((1 << 10, 16), np.uint16)
    rows[5:60:9] = make("dense", "bf16", 112).reshape(7, 16)
    matrix = entrolith.compress({"m": rows}, dtype="bf16")
    assert entrolith.info(matrix).tensors[0].predictor == 3
    for at in [*range(60), *range(60, len(matrix), 50), *range(len(matrix) - 300, len(matrix))]:
        for bit in range(8):
            damaged = bytearray(matrix)
            damaged[at] ^= 1 << bit
            with pytest.raises(entrolith.EntrolithError):
                entrolith.decompress(damaged)


def test_version_2_as_the_reference() -> None:
    """Mappings, matrices and footers: flips, damage at random, forged headers and directories."""
    outcomes = []
    for i, (_, stream) in enumerate(mappings.small()):
        outcomes += compare([stream])
        step = len(stream) // 6 + 1
        outcomes += compare(islice(streams.flips(stream), i % step, None, step))
        outcomes += compare(streams.garbage(stream, 12, seed=i))
        outcomes += compare([stream[:-1], stream[:-5], stream[: -len(stream) // 2], stream + b"\0"])
        if streams.header_bytes(stream) < 100:
            outcomes += compare(islice(streams.forged_headers(stream), i % 7, None, 7))
    outcomes += compare(mappings.forged_directories())
    fields = {str(found[1]) for found in outcomes}
    assert fields >= {
        "flags", "dtype", "predictor", "parameter_bytes", "view", "strip", "dead_rows",
        "dead_columns", "tensor_count", "name", "rank", "dimension", "directory_bytes", "index",
        "stream_check", "footer_check", "trailing",
    }  # fmt: skip


def test_a_footer_that_is_wrong_but_checks_itself() -> None:
    stream = mappings.mapping_with_matrix()
    chunks = entrolith.info(stream).sizes.footer // 3 - 2
    start = len(stream) - 3 * chunks - 8
    found = []
    for at in range(start, len(stream) - 4):
        damaged = bytearray(stream[:-4])
        damaged[at] ^= 1
        damaged += zlib.crc32(damaged[start:]).to_bytes(4, "little")
        found += compare([bytes(damaged)])
    assert [field for _, field, _ in found] == ["index"] * 3 * chunks + ["stream_check"] * 4


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_flips_as_the_reference(dtype: str) -> None:
    """With and without a check: without, some flips only change values, and the same ones."""
    outcomes = []
    for i, (_, stream) in enumerate(small(dtype)):
        step = len(stream) // 25 + 1
        outcomes += compare(islice(streams.flips(stream), i % step, None, step))
    causes = {found[0] for found in outcomes}
    assert {CORRUPT, TRUNCATED, MODE, dtype} <= causes


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_garbage_as_the_reference(dtype: str) -> None:
    fields = set()
    for i, (_, stream) in enumerate(small(dtype)):
        fields |= {found[1] for found in compare(streams.garbage(stream, 60, seed=i))}
    assert {"mode", "size", "lanes", "table", "codes", "check", "zeros"} <= fields
    assert "emax" in fields or dtype != "fp16"


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_forged_headers_as_the_reference(dtype: str) -> None:
    named = dict(small(dtype))
    outcomes = []
    for name in ("one", "empty", "zeros", "stored"):
        outcomes += compare(streams.forged_headers(named[name]))
        outcomes += compare(streams.forged_directories(named[name]))
    fields = {found[1] for found in outcomes}
    assert fields >= {
        "magic", "version", "kind", "log2_chunk", "log2_block", "log2_lanes", "check", "flags",
        "flags2", "table_set", "directory", "directory_bytes", "segment_count", "dtype",
        "predictor", "parameter_bytes", "tensor_count", "name", "ndim", "dimension", "count",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_bytes_at_random(dtype: str) -> None:
    """Chunks of random bytes behind a good header."""
    rng = np.random.default_rng(0)
    for _, stream in small(dtype)[:6]:
        head = stream[: streams.header_bytes(stream)]
        bodies = (rng.bytes(int(rng.integers(1, 400))) for _ in range(40))
        likely = (  # a coded chunk of 512 values, so that more than its first bytes is read
            bytes([rng.choice([1, 9, 33, 41])]) + len(body).to_bytes(3, "little") + body[4:]
            for body in (rng.bytes(int(rng.integers(400, 3000))) for _ in range(40))
        )
        compare(head + body for body in (*bodies, *likely))


def test_first_fault_of_several() -> None:
    """A fault of a later chunk's head does not hide one inside an earlier chunk."""
    stream = streams.write(make("dense", "fp32", 700), "fp32", Profile(1, 9, 5, 3, 1, True, True))
    start = streams.header_bytes(stream)
    size = int.from_bytes(stream[start + 1 : start + 4], "little")
    early, late = bytearray(stream), bytearray(stream)
    early[start + size - 1] ^= 0x80
    late[start + size] = 3
    both = bytes(a if a != s else b for a, b, s in zip(early, late, stream, strict=True))
    found = compare([bytes(late), both])
    assert found[0] == (MODE, "mode", start + size)
    assert found[1] == expected(bytes(early)) == (CORRUPT, "check", start + 4)


def test_other_table_set() -> None:
    stream = entrolith.compress(np.ones(3, np.float32), tables=TABLES)
    with pytest.raises(entrolith.TableMismatchError) as caught:
        entrolith.decompress(stream)
    assert (caught.value.field, caught.value.offset) == ("table_set", 12)
    assert entrolith.info(stream).table_set == TABLES.id


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_info_on_damage(dtype: str) -> None:
    """It sees what the decoder sees, but for what takes the table set or decoding."""
    for i, (_, stream) in enumerate(small(dtype)):
        for data in (*streams.garbage(stream, 60, seed=i), *streams.truncations(stream[:60])):
            try:
                found = entrolith.info(data)
            except entrolith.EntrolithError as error:
                refused = refusal(error)
            else:
                assert found.stream_bytes == len(data)
                continue
            decoded = outcome(data)
            assert decoded[0] in CAUSES.values()
            assert decoded == refused or decoded[1] in UNSEEN
