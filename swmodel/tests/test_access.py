# SPDX-License-Identifier: Apache-2.0
"""Random access: what a Reader returns, what it decodes for that, and an index that lies."""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus import mappings, streams
from corpus.streams import TABLES, header_bytes
from corpus.values import LAYOUTS, make
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

OWN = entrolith.TableSet(TABLES)
CHUNK = 1 << 15


@pytest.fixture(scope="module")
def several() -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(0)
    values: dict[str, NDArray[Any]] = {
        "small": rng.normal(0, 1, 7).astype(np.float32),
        "large": rng.normal(0, 1, (300, 400)).astype(np.float32),
        "half": rng.normal(0, 1, (5, 9)).astype(np.float16),
        "empty": np.zeros((0, 3), np.float32),
        "next": rng.normal(0, 1, (3, 30000)).astype(np.float32),
    }
    values["dead"] = values["large"] * (rng.random((300, 1)) < 0.5)
    values["dead"] += np.float32(0)  # no -0.0, which is no zero of the format
    return values


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("number", [1, 5])
def test_tensors_by_name(several: dict[str, NDArray[Any]], number: int, check: bool) -> None:
    """With an index and without, with matrices and without."""
    data = entrolith.compress(several, level=number, check=check)
    with entrolith.Reader(data, threads=2) as reader:
        assert reader.mapping
        assert reader.names == tuple(several)
        for name, array in several.items():
            assert reader.shape(name) == array.shape
            assert reader.dtype(name) == {4: "fp32", 2: "fp16"}[array.itemsize]
            assert reader[name].dtype == array.dtype
            assert np.array_equal(reader[name], array)
            flat = array.ravel()
            for start, stop in ((0, 0), (0, 1), (array.size // 3, array.size), (1, array.size - 1)):
                if 0 <= start <= stop <= array.size:
                    assert np.array_equal(reader.read(name, start, stop), flat[start:stop])


def test_one_array(tmp_path: Path) -> None:
    array = np.random.default_rng(0).normal(0, 1, 100_000).astype(np.float32)
    choices: list[dict[str, Any]] = [
        {"level": 1},
        {"profile": "hw-n8-c4096"},
        {"profile": "sw-n64-c32768"},
    ]
    for how in choices:
        path = tmp_path / "array.elz"
        path.write_bytes(entrolith.compress(array, **how))
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            entrolith.Reader(mapped) as reader,
        ):
            assert (reader.mapping, reader.names, reader.shape()) == (False, (), array.shape)
            assert np.array_equal(reader[None], array)
            assert np.array_equal(reader.read(start=70_000, stop=70_100), array[70_000:70_100])
            bits = reader.read(start=99_000, as_bits=True)
            assert np.array_equal(bits, array[99_000:].view(np.uint32))


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_ranges_of_matrices(dtype: str) -> None:
    """Every view and strip, and every stretch of rows and columns."""
    rng = np.random.default_rng(0)
    for name, patterns, data in mappings.matrices(dtype):
        reader = entrolith.Reader(data, tables=OWN)
        flat = patterns.ravel()
        for _ in range(20):
            start, stop = sorted(rng.integers(0, flat.size + 1, 2).tolist())
            short = min(stop, start + int(rng.integers(30)))
            for end in (stop, short):
                found = reader.read(None, start, end, as_bits=True)
                assert np.array_equal(found, flat[start:end]), (name, start, end)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_range(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 5000))
    values = make("mixed", "bf16", size)
    stream = streams.write(values, "bf16", mappings.SMALL)
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    reader = entrolith.Reader(stream, tables=OWN)
    assert np.array_equal(reader.read(None, start, stop, as_bits=True), values[start:stop])


def test_only_what_is_wanted_is_decoded() -> None:
    """Damage elsewhere is neither seen nor in the way."""
    array = np.random.default_rng(0).normal(0, 1, 4 * CHUNK).astype(np.float32)
    data = bytearray(entrolith.compress(array, level=1))
    data[len(data) // 8] ^= 1  # in the first chunk
    reader = entrolith.Reader(data)
    assert np.array_equal(reader.read(None, CHUNK, 3 * CHUNK), array[CHUNK : 3 * CHUNK])
    with pytest.raises(entrolith.CorruptStreamError):
        reader.read(None, CHUNK - 1, CHUNK)


def test_what_there_is_not() -> None:
    reader = entrolith.Reader(entrolith.compress({"w": np.ones(10, np.float32)}))
    for name in ("v", None):
        with pytest.raises(KeyError):
            reader.read(name)
        with pytest.raises(KeyError):
            reader.shape(name)
    for start, stop in ((-1, 3), (3, 2), (0, 11), (11, None)):
        with pytest.raises(entrolith.ArgumentError) as caught:
            reader.read("w", start, stop)
        assert caught.value.field == "start"
    reader.close()
    with pytest.raises(entrolith.StateError):
        reader.read("w")
    with pytest.raises(entrolith.ArgumentError):
        entrolith.Reader(entrolith.compress({}), threads=-1)
    with pytest.raises(TypeError):
        entrolith.Reader("text")  # type: ignore[arg-type]


def footer(data: bytes, edit: Callable[[bytearray, list[int]], None], chunks: int) -> bytes:
    """The stream with a footer that was changed and checks itself all the same."""
    at = len(data) - 3 * chunks - 8
    index = [int.from_bytes(data[at + 3 * k : at + 3 * k + 3], "little") for k in range(chunks)]
    body = bytearray(data[:at])
    edit(body, index)
    made = b"".join(size.to_bytes(3, "little") for size in index)
    made += zlib.crc32(body[header_bytes(data) :]).to_bytes(4, "little")
    return bytes(body) + made + zlib.crc32(made).to_bytes(4, "little")


def test_an_index_that_lies() -> None:
    array = np.random.default_rng(0).normal(0, 1, 4 * CHUNK).astype(np.float32)
    data = entrolith.compress(array, level=1)

    def longer(_: bytearray, index: list[int]) -> None:
        index[1] += 1

    def shifted(_: bytearray, index: list[int]) -> None:
        index[1] += 8
        index[2] -= 8

    assert footer(data, lambda *_: None, 4) == data
    with pytest.raises(entrolith.CorruptStreamError, match="do not add up") as caught:
        entrolith.Reader(footer(data, longer, 4))
    assert caught.value.field == "index"
    reader = entrolith.Reader(footer(data, shifted, 4))
    assert np.array_equal(reader.read(None, 0, CHUNK), array[:CHUNK])
    with pytest.raises(entrolith.CorruptStreamError) as caught:
        reader.read(None, CHUNK, CHUNK + 1)
    assert caught.value.field == "index"
    for edit in (longer, shifted):
        with pytest.raises(entrolith.CorruptStreamError) as caught:
            entrolith.decompress(footer(data, edit, 4))
        assert caught.value.field == "index"


def test_a_footer_that_is_cut_or_damaged() -> None:
    data = entrolith.compress(np.ones(3 * CHUNK, np.float32), level=1)
    for end in range(len(data)):
        with pytest.raises(entrolith.CorruptStreamError):
            entrolith.Reader(data[:end])
    for bit in range(8 * (len(data) - 3 * 3 - 8), 8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(entrolith.CorruptStreamError):
            entrolith.Reader(flipped)
