# SPDX-License-Identifier: Apache-2.0
"""Streams a piece at a time: the same bytes, the same values, the same refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus import mappings, streams
from corpus.values import ALL_LAYOUTS, LAYOUTS, make
from numpy.typing import NDArray

OWN = entrolith.TableSet(streams.TABLES)
CHUNK = 1 << 15
HOW: list[dict[str, Any]] = [
    {"level": 1},
    {"level": 2, "check": False},
    {"level": 5, "mode": "dynamic"},
    {"profile": "hw-n8-c4096"},
    {"profile": "sw-n64-c32768"},
]


def pieces(size: int, seed: int) -> Iterator[slice]:
    """Slices of many lengths, some of them empty."""
    rng = np.random.default_rng(seed)
    at = 0
    while at < size:
        step = int(rng.choice([0, 1, 100, 5000, CHUNK, CHUNK + 1, 100_000]))
        yield slice(at, at + step)
        at += step


def written(values: NDArray[Any], dtype: str, seed: int = 0, **how: Any) -> bytes:
    with entrolith.Compressor(values.shape, dtype, **how) as compressor:
        flat = values.ravel()
        parts = [compressor.write(flat[piece]) for piece in pieces(flat.size, seed)]
        return b"".join(parts) + compressor.finish()


def read(data: bytes, step: int, **how: Any) -> NDArray[Any]:
    decompressor = entrolith.Decompressor(**how)
    parts: list[NDArray[Any]] = []
    for at in range(0, len(data), step):
        parts += decompressor.write(data[at : at + step])
    decompressor.finish()
    assert decompressor.shape is not None
    assert decompressor.dtype is not None
    return np.concatenate(parts).reshape(decompressor.shape)


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_pieces_make_the_same_stream(dtype: str, how: dict[str, Any]) -> None:
    if dtype not in LAYOUTS and "profile" in how:
        return  # which have no such type, as test_arrays.py makes sure
    for size in (1, 1000, CHUNK, 3 * CHUNK + 77):
        values = make("mixed", dtype, size)
        data = entrolith.compress(values, dtype=dtype, **how)
        for seed in range(3):
            assert written(values, dtype, seed, **how) == data
        for step in (len(data), 10_000, 997):
            assert np.array_equal(read(data, step, as_bits=True), values)


def test_shapes_and_nothing() -> None:
    for shape in ((), (0,), (3, 0, 2), (5, 7)):
        values = np.ones(shape, np.float32)
        data = written(values, "fp32", level=1)
        assert data == entrolith.compress(values, level=1)
        decompressor = entrolith.Decompressor()
        found = decompressor.write(data)
        decompressor.finish()
        assert decompressor.shape == shape
        assert sum(part.size for part in found) == values.size


def test_a_byte_at_a_time() -> None:
    values = make("mixed", "bf16", 1500)
    for profile in (mappings.SMALL, mappings.UNCHECKED):
        data = streams.write(values, "bf16", profile)
        assert np.array_equal(read(data, 1, tables=OWN, as_bits=True), values)


def test_levels_with_predictors_write_without_them() -> None:
    values = mappings.with_dead("fp32", (200, 300), 1)
    data = written(values, "fp32", level=5)
    assert entrolith.info(data).tensors[0].predictor == 0
    assert np.array_equal(entrolith.decompress(data, as_bits=True), values)


def test_the_order_of_calls() -> None:
    compressor = entrolith.Compressor((10,), "fp32", level=1)
    compressor.write(np.ones(4, np.float32))
    with pytest.raises(entrolith.ArgumentError, match="7 values, where the shape leaves 6"):
        compressor.write(np.ones(7, np.float32))
    with pytest.raises(entrolith.StateError, match="6 values of the shape have not come"):
        compressor.finish()
    with pytest.raises(entrolith.UnsupportedDtypeError, match="float16 values are not fp32"):
        compressor.write(np.ones(6, np.float16))
    compressor.write(np.ones(6, np.float32))
    compressor.finish()
    for call in (compressor.finish, lambda: compressor.write(np.ones(0, np.float32))):
        with pytest.raises(entrolith.StateError, match="finished"):
            call()
    with entrolith.Compressor((1,), "fp32") as left:
        pass
    with pytest.raises(entrolith.StateError):
        left.write(np.ones(1, np.float32))

    data = entrolith.compress(np.ones(10, np.float32), level=1)
    decompressor = entrolith.Decompressor()
    assert (decompressor.shape, decompressor.dtype) == (None, None)
    assert decompressor.write(data[:20]) == []
    with pytest.raises(entrolith.TruncatedStreamError):
        decompressor.finish()
    (values,) = decompressor.write(data[20:])
    assert (values == 1).all()
    decompressor.finish()
    for again in (decompressor.finish, lambda: decompressor.write(b"")):
        with pytest.raises(entrolith.StateError, match="finished"):
            again()


def test_arguments() -> None:
    for shape in ((-1,), (1 << 63,), (1 << 30, 1 << 30), (1,) * 33):
        with pytest.raises(entrolith.ArgumentError) as caught:
            entrolith.Compressor(shape, "fp32")
        assert caught.value.field == "shape"
    with pytest.raises(entrolith.UnsupportedDtypeError, match="'int8'"):
        entrolith.Compressor((1,), "int8")
    with pytest.raises(entrolith.ArgumentError, match="level 10"):
        entrolith.Compressor((1,), "fp32", level=10)


def test_what_needs_the_whole_stream() -> None:
    for data, field in (
        (mappings.write_mapping({}), "flags"),
        (mappings.mapping_with_matrix(), "flags"),
        (next(mappings.matrices("bf16"))[2], "predictor"),
    ):
        with pytest.raises(entrolith.UnsupportedModeError, match="whole stream") as caught:
            entrolith.Decompressor(tables=OWN).write(data)
        assert caught.value.field == field


def outcome(data: bytes, step: int) -> object:
    """Class and text, with field and offset, of a refusal, if there is one."""
    decompressor = entrolith.Decompressor(tables=OWN, as_bits=True)
    try:
        for at in range(0, len(data), step):
            decompressor.write(data[at : at + step])
        decompressor.finish()
    except entrolith.EntrolithError as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_damage_is_refused_as_of_the_whole(dtype: str) -> None:
    """Whatever the pieces, with the error of decompress(), or that of its first bytes."""

    def whole(data: bytes) -> object:
        try:
            entrolith.decompress(data, tables=OWN)
        except entrolith.EntrolithError as error:
            return type(error), str(error)
        return None

    refused = 0
    for profile in (mappings.SMALL, mappings.UNCHECKED):
        data = streams.write(make("mixed", dtype, 1400), dtype, profile)
        damaged = [*streams.truncations(data)][::40]
        damaged += [*streams.flips(data)][::173]
        damaged += streams.garbage(data, 60, seed=1)
        for stream in damaged:
            expected = whole(stream)
            refused += expected is not None
            for step in (len(stream) + 1, 333):
                assert outcome(stream, step) == expected
    assert refused > 100


def test_values_before_a_fault_come_first() -> None:
    values = make("dense", "fp32", 3 * CHUNK)
    data = bytearray(entrolith.compress(values, dtype="fp32", level=1))
    middle = len(data) * 3 // 4
    data[middle + 1000] ^= 1  # in the third chunk
    decompressor = entrolith.Decompressor(as_bits=True)
    (first,) = decompressor.write(data[:middle])
    assert np.array_equal(first, values[: 2 * CHUNK])
    with pytest.raises(entrolith.CorruptStreamError):
        decompressor.write(data[middle:])
    with pytest.raises(entrolith.CorruptStreamError):
        decompressor.write(b"")
    with pytest.raises(entrolith.CorruptStreamError):
        decompressor.finish()


MEMORY = """
import re
import numpy as np
import entrolith

def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) * 1024

piece = np.random.default_rng(0).standard_normal(1 << 16, np.float32)
compressor = entrolith.Compressor((1 << 24,), "fp32", level=1)
decompressor = entrolith.Decompressor()
count = 0
for i in range(1 << 8):
    if i == 4:
        before = peak()
    for values in decompressor.write(compressor.write(piece)):
        count += values.size
for values in decompressor.write(compressor.finish()):
    count += values.size
decompressor.finish()
assert count == 1 << 24
print(peak() - before)
"""


@pytest.mark.memory
def test_memory_is_bounded() -> None:
    """64 MB through both, in less than 4."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 4 << 20
