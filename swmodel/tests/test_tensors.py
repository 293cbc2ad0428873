# SPDX-License-Identifier: Apache-2.0
"""Tensors of other libraries and buffers: taken, and filled, where they are."""

from __future__ import annotations

import array
import sys
from typing import Any

import entrolith
import ml_dtypes
import numpy as np
import pytest
from corpus import dlpack
from corpus.dlpack import Tensor
from corpus.values import make
from entrolith.dtypes import DTYPES
from entrolith.tensors import bit_patterns
from numpy.typing import NDArray

CODES = {
    "fp32": dlpack.FLOAT,
    "bf16": dlpack.BFLOAT,
    "fp16": dlpack.FLOAT,
    "fp64": dlpack.FLOAT,
    "fp8e4m3": dlpack.FLOAT8_E4M3FN,
    "fp8e5m2": dlpack.FLOAT8_E5M2,
}


def patterns(dtype: str, shape: tuple[int, ...] = (30, 40)) -> NDArray[Any]:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1e-2, shape).astype(DTYPES[dtype].numpy)
    bits: NDArray[Any] = values.view(DTYPES[dtype].bits)
    return bits


@pytest.mark.parametrize("dtype", CODES)
def test_dlpack(dtype: str) -> None:
    bits = patterns(dtype)
    for memory in (bits, bits[::2, 5:], bits.T, bits[3], bits[:0], bits[3:4, 7].reshape(())):
        tensor = Tensor(memory, CODES[dtype])
        before = memory.copy()
        data = entrolith.compress(tensor)
        assert tensor.lent == 0
        assert np.array_equal(memory, before)
        back = entrolith.decompress(data)
        assert back.dtype == DTYPES[dtype].numpy
        assert np.array_equal(back.view(bits.dtype), memory)
    plain = entrolith.compress(Tensor(bits, CODES[dtype], plain=True))
    assert plain == entrolith.compress(bits, dtype=dtype)


def test_dlpack_takes_no_copy_and_gives_back() -> None:
    bits = patterns("bf16")
    tensor = Tensor(bits, dlpack.BFLOAT)
    found, view = bit_patterns(tensor, None)
    assert found.name == "bf16"
    assert np.shares_memory(view, bits)
    assert tensor.lent == 1
    del view
    assert tensor.lent == 0


def test_dlpack_bit_patterns() -> None:
    bits = patterns("bf16")
    data = entrolith.compress(bits, dtype="bf16")
    for code in (dlpack.UINT, dlpack.BFLOAT):
        assert entrolith.compress(Tensor(bits, code), dtype="bf16") == data


def test_dlpack_refusals() -> None:
    bits = patterns("fp32")
    for code, name in (
        (dlpack.INT, "int32"),
        (dlpack.COMPLEX, "complex32"),
        (99, "DLPack type 99"),
    ):
        with pytest.raises(entrolith.UnsupportedDtypeError, match=name):
            entrolith.compress({"w": Tensor(bits, code)})
    with pytest.raises(entrolith.UnsupportedDtypeError, match="vectors is not supported"):
        entrolith.compress(Tensor(bits, dlpack.FLOAT, lanes=2))
    with pytest.raises(entrolith.ArgumentError, match="on a device, DLPack type 2"):
        entrolith.compress(Tensor(bits, dlpack.FLOAT, device=2))
    pinned = Tensor(bits, dlpack.FLOAT, device=3)
    assert entrolith.compress(pinned) == entrolith.compress(bits, dtype="fp32")

    class Differentiated:
        """As PyTorch refuses what it differentiates."""

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self) -> object:
            raise BufferError("use tensor.detach()")

    with pytest.raises(entrolith.UnsupportedDtypeError, match="detach"):
        entrolith.compress(Differentiated())


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    values = torch.randn(50, 60, requires_grad=True)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for tensor in (values.to(dtype), values.to(dtype).T[::2], values.to(dtype)[0, 0]):
            bits = tensor.detach().reshape(-1).view(torch.uint8).numpy().tobytes()
            back = entrolith.decompress(entrolith.compress({"w": tensor}), as_bits=True)["w"]
            assert back.tobytes() == bits
            assert back.shape == tuple(tensor.shape)
    negated = torch.complex(values.detach(), values.detach()).conj().imag
    back = entrolith.decompress(entrolith.compress(negated))
    assert np.array_equal(back, -values.detach().numpy())
    out = torch.empty(50, 60, dtype=torch.bfloat16)
    entrolith.decompress(entrolith.compress(values.to(torch.bfloat16)), out=out)
    assert torch.equal(out, values.detach().to(torch.bfloat16))


def test_buffers_without_a_copy() -> None:
    floats = array.array("f", [0.0, 1.5, -2.25])
    for buffer in (floats, memoryview(floats)):
        _, view = bit_patterns(buffer, None)
        assert view.ctypes.data == floats.buffer_info()[0]
        assert entrolith.decompress(entrolith.compress(buffer)).tolist() == floats.tolist()
    assert entrolith.decompress(entrolith.compress(array.array("d", [0.1]))).tolist() == [0.1]
    with pytest.raises(entrolith.UnsupportedDtypeError, match="int32"):
        entrolith.compress(array.array("i", [1]))


# out=


@pytest.mark.parametrize("dtype", CODES)
def test_decompress_into(dtype: str) -> None:
    bits = patterns(dtype)
    data = entrolith.compress(bits, dtype=dtype)
    type_ = DTYPES[dtype].numpy
    wide = np.zeros((30, 80), bits.dtype)
    tensor = Tensor(np.empty_like(bits), CODES[dtype])
    targets: list[Any] = [
        np.empty(bits.shape, type_),
        np.empty(bits.shape, bits.dtype),
        np.empty(bits.shape[::-1], type_).T,
        wide[:, ::2],
        np.frombuffer(bytearray(bits.nbytes + 1), bits.dtype, bits.size, 1).reshape(bits.shape),
    ]
    for out in targets:
        assert entrolith.decompress(data, out=out) is out
        assert np.array_equal(out.view(bits.dtype) if out.dtype != bits.dtype else out, bits)
    assert (wide[:, 1::2] == 0).all()
    assert entrolith.decompress(data, out=tensor) is tensor
    assert np.array_equal(tensor.array, bits)


def test_decompress_into_other_byte_order_and_buffers() -> None:
    values = make("not_a_number", "fp32", 300).view(np.float32)
    data = entrolith.compress(values)
    swapped = np.empty(300, ">f4")
    entrolith.decompress(data, out=swapped)
    assert swapped.tobytes() == values.view(np.uint32).astype(">u4").tobytes()
    floats = array.array("f", bytes(1200))
    assert entrolith.decompress(data, out=floats) is floats
    assert floats.tobytes() == values.tobytes()


def test_decompress_into_what_will_not_do() -> None:
    data = entrolith.compress(np.ones((3, 4), np.float32))
    fixed = np.full((3, 4), 7, np.float32)
    fixed.flags.writeable = False
    targets: dict[str, Any] = {
        "out: float64 for values that are float32": np.full((3, 4), 7.0),
        "out: the shape is": np.full((4, 3), 7, np.float32),
        "out: the array is read-only": fixed,
        "out: list is no array": [7] * 12,
        "out: bytes is no array|out: uint8": bytes(48),
    }
    for message, out in targets.items():
        with pytest.raises(entrolith.ArgumentError, match=message) as caught:
            entrolith.decompress(data, out=out)
        assert caught.value.field == "out"
        assert not isinstance(out, np.ndarray) or (out == 7).all()


def test_compress_into() -> None:
    values = np.random.default_rng(0).normal(0, 1, 100_000).astype(np.float32)
    for number in (1, 5):
        for threads in (1, 2):
            data = entrolith.compress(values, level=number)
            for room in (len(data), len(data) + 1, values.nbytes + 1000, 2 * values.nbytes):
                out = bytearray(b"\x07" * room)
                size = entrolith.compress(values, level=number, threads=threads, out=out)
                assert out[:size] == data
            small = bytearray(b"\x07" * (len(data) - 1))
            with pytest.raises(entrolith.ArgumentError, match=f"a stream of {len(data)}"):
                entrolith.compress(values, level=number, threads=threads, out=small)
            assert set(small) == {7}
    for wrong in (bytes(10), memoryview(bytearray(100))[::2]):
        with pytest.raises(entrolith.ArgumentError, match="read-only or not in one piece"):
            entrolith.compress(values, out=wrong)


def test_out_that_is_also_read() -> None:
    values = np.random.default_rng(0).normal(0, 1, 1000).astype(np.float32)
    kept = values.copy()
    with pytest.raises(entrolith.ArgumentError, match="shares memory"):
        entrolith.compress(values[:500], out=values.data)
    assert np.array_equal(values, kept)
    memory = np.zeros(10_000, np.uint8)
    size = entrolith.compress(values, out=memory.data)
    with pytest.raises(entrolith.ArgumentError, match="shares memory"):
        entrolith.decompress(memory[:size].data, out=memory[:4000].view(np.float32))
    assert np.array_equal(entrolith.decompress(memory[:size].data), values)


def test_without_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The types that only it has are still read and written as bit patterns."""
    bits = np.ones(3, ml_dtypes.bfloat16).view(np.uint16)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    data = entrolith.compress(bits, dtype="bf16")
    assert np.array_equal(entrolith.decompress(data, as_bits=True), bits)
    with pytest.raises(entrolith.UnsupportedDtypeError, match="need the package ml_dtypes"):
        entrolith.decompress(data)
