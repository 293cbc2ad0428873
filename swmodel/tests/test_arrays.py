# SPDX-License-Identifier: Apache-2.0
"""What may be handed in, what comes back, and what is refused by name."""

from __future__ import annotations

import copy
import mmap
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import entrolith
import ml_dtypes
import numpy as np
import pytest
from corpus.values import LAYOUTS, make
from entrolith.dtypes import DTYPES
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

NUMPY: dict[str, Any] = {
    "fp32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "fp16": np.float16,
    "fp64": np.float64,
    "fp8e4m3": ml_dtypes.float8_e4m3fn,
    "fp8e5m2": ml_dtypes.float8_e5m2,
}


def gradient(shape: tuple[int, ...], dtype: Any = np.float32) -> NDArray[Any]:
    return np.random.default_rng(0).normal(0, 1e-3, shape).astype(dtype)


def bits(array: NDArray[Any]) -> bytes:
    """The array's values in C order as native bytes."""
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


def check(array: NDArray[Any]) -> bytes:
    """Compress, decompress, compare; the input is as it was."""
    before = array.copy(order="K")
    data = entrolith.compress(array)
    assert bits(before) == bits(array)
    back = entrolith.decompress(data)
    assert back.shape == array.shape
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.dtype.isnative
    assert back.flags.writeable
    assert bits(back) == bits(array)
    return data


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 5), (7, 11), (2, 3, 4, 5, 6), (1,) * 32])
def test_shapes(shape: tuple[int, ...], dtype: str) -> None:
    check(gradient(shape, NUMPY[dtype]))


@pytest.mark.parametrize("dtype", NUMPY)
def test_memory_layouts(dtype: str) -> None:
    base = gradient((60, 70), NUMPY[dtype])
    for view in (base[::2], base[:, ::3], base[::-1], base[:, ::-2], base.T, base[5:9, 7:8]):
        assert check(view) == entrolith.compress(view.copy(order="C"))
    spread = np.broadcast_to(base[0], (5, 70))
    check(spread)
    check(np.asfortranarray(base))
    fixed = base.copy()
    fixed.flags.writeable = False
    check(fixed)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), base.dtype, offset=1).reshape(base.shape)
    assert not unaligned.flags.aligned or base.itemsize == 1
    check(unaligned)


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_byte_order(dtype: str) -> None:
    """Signalling NaNs too: no conversion may touch them."""
    patterns = make("not_a_number", dtype, 500)
    native = patterns.view(NUMPY[dtype])
    swapped = patterns.byteswap().view(np.dtype(NUMPY[dtype]).newbyteorder(">"))
    data = entrolith.compress(swapped)
    assert data == entrolith.compress(native)
    assert np.array_equal(entrolith.decompress(data, as_bits=True), patterns)


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_bit_patterns(dtype: str) -> None:
    patterns = make("mixed", dtype, 2000)
    data = entrolith.compress(patterns, dtype=dtype)
    assert data == entrolith.compress(patterns.view(NUMPY[dtype]))
    assert data == entrolith.compress(patterns.view(NUMPY[dtype]), dtype=dtype)
    back = entrolith.decompress(data, as_bits=True)
    assert back.dtype == patterns.dtype
    assert np.array_equal(back, patterns)
    assert entrolith.decompress(data).dtype == NUMPY[dtype]


def test_array_likes() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
            return np.ones((2, 3), np.float32)

    assert entrolith.decompress(entrolith.compress(Tensor())).shape == (2, 3)
    assert entrolith.decompress(entrolith.compress(np.float32(1.5))).shape == ()
    view = memoryview(np.arange(4, dtype=np.float32))  # type: ignore[arg-type]
    assert entrolith.decompress(entrolith.compress(view)).tolist() == [0, 1, 2, 3]
    matrix = np.ones((2, 2), np.float32).view(np.matrix)
    assert type(entrolith.decompress(entrolith.compress(matrix))) is np.ndarray


REFUSED: dict[str, NDArray[Any]] = {
    "complex64": np.zeros(3, np.complex64),
    "int32": np.zeros(3, np.int32),
    "uint16": np.zeros(3, np.uint16),
    "bool": np.zeros(3, np.bool_),
    "object": np.array([None, 1.0], object),
    "str": np.array(["a"]),
    "bytes": np.array([b"a"]),
    "datetime64": np.zeros(3, "M8[s]"),
    "longdouble": np.zeros(3, np.longdouble),
    "float8_e4m3b11fnuz": np.zeros(3, ml_dtypes.float8_e4m3b11fnuz),
    "structured": np.zeros(3, [("a", np.float32)]),
    "masked": np.ma.masked_array(np.zeros(3, np.float32), [False, True, False]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(name: str) -> None:
    array = REFUSED[name]
    expected = array.dtype.name if name == "longdouble" else name
    with pytest.raises(entrolith.UnsupportedDtypeError, match=expected) as caught:
        entrolith.compress(array)
    assert caught.value.field == "dtype"
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


def test_refused_with_advice() -> None:
    with pytest.raises(entrolith.UnsupportedDtypeError, match=r"int64 is not supported; if these"):
        entrolith.compress(np.zeros(3, np.uint64))
    with pytest.raises(entrolith.UnsupportedDtypeError, match="dtype='bf16'"):
        entrolith.compress(np.zeros(3, np.uint16))
    with pytest.raises(entrolith.UnsupportedDtypeError, match=r"float32 values are not bf16"):
        entrolith.compress(np.zeros(3, np.float32), dtype="bf16")
    with pytest.raises(entrolith.UnsupportedDtypeError, match="'fp128' is not one of fp32"):
        entrolith.compress(np.zeros(3), dtype="fp128")
    with pytest.raises(entrolith.UnsupportedDtypeError, match="'float'"):
        entrolith.compress(np.zeros(3, np.float32), dtype="float")


def test_levels_and_modes() -> None:
    array = gradient((100, 50))
    streams = {entrolith.compress(array, level=number) for number in range(1, 10)}
    streams |= {entrolith.compress(array, mode=mode) for mode in entrolith.MODES}
    assert len(streams) > 1
    assert entrolith.compress(array) == entrolith.compress(array, level=5)
    for data in streams | {entrolith.compress(array, level=2, check=False)}:
        assert np.array_equal(entrolith.decompress(data), array)
    for level in (0, 10, True, 2.0, "1", None):
        with pytest.raises(entrolith.ArgumentError, match="from 1 to 9") as caught:
            entrolith.compress(array, level=level)  # type: ignore[arg-type]
        assert caught.value.field == "level"
    with pytest.raises(entrolith.ArgumentError, match="no mode 'fast'; there are static"):
        entrolith.compress(array, mode="fast")
    choices: list[dict[str, Any]] = [{"level": 1}, {"mode": "static"}, {"check": False}]
    for more in choices:
        with pytest.raises(entrolith.ArgumentError, match="a profile is fixed"):
            entrolith.compress(array, profile="hw-n8-c4096", **more)


@pytest.mark.parametrize("dtype", ["fp64", "fp8e4m3", "fp8e5m2"])
def test_types_that_profiles_do_not_have(dtype: str) -> None:
    with pytest.raises(entrolith.UnsupportedDtypeError, match=f"{dtype} values need a level"):
        entrolith.compress(gradient((3,), NUMPY[dtype]), profile="hw-n8-c4096")
    with pytest.raises(entrolith.UnsupportedDtypeError, match=f"{dtype} values need a level"):
        entrolith.Compressor((3,), dtype, profile="hw-n8-c4096")


def test_refused_shape_and_profile() -> None:
    with pytest.raises(entrolith.EntrolithError, match="33 dimensions") as caught:
        entrolith.compress(np.zeros((1,) * 33, np.float32))
    assert caught.value.field == "ndim"
    with pytest.raises(entrolith.UnknownProfileError, match="'fast'; there are sw-n64") as unknown:
        entrolith.compress(np.zeros(1, np.float32), profile="fast")
    assert unknown.value.field == "profile"
    huge = np.broadcast_to(np.zeros(1, np.float32), (1 << 20, 1 << 20, 1 << 10))
    with pytest.raises(entrolith.EntrolithError, match="2\\^48") as many:
        entrolith.compress(huge)
    assert many.value.field == "dimension"


def test_buffers(tmp_path: Path) -> None:
    array = gradient((50, 60))
    data = entrolith.compress(array)
    path = tmp_path / "array.elz"
    path.write_bytes(data)
    whole = np.frombuffer(data, np.uint8)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for buffer in (
            data,
            bytearray(data),
            memoryview(data),
            mapped,
            whole,
            whole.repeat(2)[::2],
        ):
            assert np.array_equal(entrolith.decompress(buffer), array)  # type: ignore[arg-type]
            assert entrolith.info(buffer).tensors[0].shape == (50, 60)  # type: ignore[arg-type]
    for wrong in ("text", None, 3, [1, 2]):
        with pytest.raises(TypeError):
            entrolith.decompress(wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("dtype", NUMPY)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_array(dtype: str, data: st.DataObject) -> None:
    """Any shape, any values, any of the views that indexing makes."""
    shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=40))
    unsigned = np.dtype(DTYPES[dtype].bits)
    kind = arrays.from_dtype(unsigned)
    patterns = data.draw(arrays.arrays(unsigned, shape, elements=kind))
    index = data.draw(arrays.basic_indices(shape, allow_ellipsis=True))
    array = patterns.view(NUMPY[dtype])[index]
    assert isinstance(array, np.ndarray | np.generic)
    number = data.draw(st.integers(1, 9))
    stream = entrolith.compress(array, level=number)
    back = entrolith.decompress(stream, as_bits=True)
    assert np.array_equal(back, patterns[index])
    assert back.shape == array.shape


def test_errors_travel_between_processes() -> None:
    for original in (
        entrolith.TruncatedStreamError("codes at byte 7: x", "codes", 7),
        entrolith.UnsupportedDtypeError("no", "dtype"),
    ):
        for again in (pickle.loads(pickle.dumps(original)), copy.copy(original)):  # noqa: S301
            assert type(again) is type(original)
            assert (str(again), again.field, again.offset) == (
                str(original),
                original.field,
                original.offset,
            )


def test_import_is_quick() -> None:
    """Neither NumPy nor ml_dtypes is loaded before it is needed."""
    code = "import sys, entrolith; print({'numpy', 'ml_dtypes'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


IMPORT = """
import time, numpy
start = time.process_time()
import entrolith
print(time.process_time() - start)
"""


def test_import_takes_a_tenth_of_a_second_at_most() -> None:
    """Beyond NumPy's own, in processor time, so that a busy machine is not to blame."""
    command = [sys.executable, "-c", IMPORT]
    runs = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(3))
    assert min(float(run.stdout) for run in runs) < 0.1
