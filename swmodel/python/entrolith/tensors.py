# SPDX-License-Identifier: Apache-2.0
"""Arrays in, bit patterns out: which objects the codec takes, and how values lie in memory.

The codec sees contiguous, aligned, native unsigned integers (FORMAT.md section 2). Where the memory
of an object is that already, nothing is copied.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from entrolith import _core, dtypes
from entrolith.errors import ArgumentError, EntrolithError, UnsupportedDtypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

MAX_DIMENSIONS = 32
MAX_VALUES = 1 << 48
HOST_DEVICES = (1, 3, 11)
"""DLPack's codes of memory that the processor reads: its own, and that CUDA and ROCm pin."""


def bit_patterns(array: Any, dtype: str | None) -> tuple[dtypes.Dtype, NDArray[Any]]:
    """The type of an array and its bit patterns, as unsigned integers; else as `contents`."""
    found, values = contents(array, dtype)
    return found, values.view(found.bits)


def contents(array: Any, dtype: str | None) -> tuple[dtypes.Dtype, NDArray[Any]]:
    """The type of an array, and what the codec reads.

    Args:
        array: anything NumPy makes an array of, or a tensor in host memory that speaks DLPack.
        dtype: a name of `DTYPES`; then unsigned integers of that size are bit patterns. None: the
            array's own type says it.

    Returns:
        The type, and the values in the array's shape, native, aligned and C-contiguous; the
        array's own memory where that is possible, never changed here.

    Raises:
        UnsupportedDtypeError: the values are of another type, or masked.
        ArgumentError: a tensor is in the memory of a device.
        EntrolithError: more than 32 dimensions or 2^48 values.
    """
    import numpy as np

    if type(array) is np.ndarray:
        values, (found, native) = array, _recognised(array.dtype, dtype)
    elif isinstance(array, np.ma.MaskedArray):
        raise UnsupportedDtypeError(
            "masked arrays are not supported: the mask would be lost; pass array.filled(value)",
            "dtype",
        )
    else:
        values, name = _memory(array)
        found, native = dtypes.recognise(name, dtype), values.dtype.isnative
    if values.ndim > MAX_DIMENSIONS:
        raise EntrolithError(
            f"an array of {values.ndim} dimensions; the format has at most {MAX_DIMENSIONS}", "ndim"
        )
    if values.size > MAX_VALUES:
        raise EntrolithError(f"{values.size} values; the format has at most 2^48", "dimension")
    if native and (flags := values.flags).c_contiguous and flags.aligned:
        return found, values
    # Integers, unlike floating-point values, keep every bit when their byte order changes.
    return found, np.require(_as_bits(values, found), found.bits, ["C_CONTIGUOUS", "ALIGNED"])


def target(array: Any, dtype: dtypes.Dtype, shape: tuple[int, ...]) -> NDArray[Any]:
    """The memory of an array that is to be filled, as unsigned integers of any layout.

    Raises:
        ArgumentError: its type or shape differs, it cannot be written, or it has no memory.
    """
    import numpy as np

    if not (isinstance(array, np.ndarray) or hasattr(array, "__dlpack__")):
        try:
            array = np.asarray(memoryview(array))
        except TypeError:
            raise ArgumentError(
                f"out: {type(array).__name__} is no array whose memory can be filled", "out"
            ) from None
    values, name = _memory(array)
    if name not in (dtype.numpy_name, dtype.bits):
        raise ArgumentError(f"out: {name} for values that are {dtype.numpy_name}", "out")
    if values.shape != shape:
        raise ArgumentError(f"out: the shape is {values.shape}, that of the values {shape}", "out")
    if not values.flags.writeable:
        raise ArgumentError("out: the array is read-only", "out")
    return _as_bits(values, dtype)


def check_apart(memory: memoryview, arrays: Iterable[NDArray[Any]]) -> None:
    """Make sure that what is read and what is written do not overlap.

    Raises:
        ArgumentError: they do.
    """
    import numpy as np

    if memory.nbytes:
        whole = np.frombuffer(memory, np.uint8)
        if any(np.may_share_memory(whole, array) for array in arrays):
            raise ArgumentError("out: it shares memory with what is read", "out")


def _as_bits(values: NDArray[Any], dtype: dtypes.Dtype) -> NDArray[Any]:
    import numpy as np

    bits: NDArray[Any] = values.view(np.dtype(dtype.bits).newbyteorder(values.dtype.byteorder))
    return bits


@lru_cache(maxsize=64)
def _recognised(kind: np.dtype[Any], asked: str | None) -> tuple[dtypes.Dtype, bool]:
    """The type, and whether its byte order is native.

    NumPy takes its time to name a type, and a mapping may have thousands of arrays.
    """
    return dtypes.recognise(_name(kind), asked), kind.isnative


def _name(kind: np.dtype[Any]) -> str:
    return "structured" if kind.names else kind.name


def _memory(array: Any) -> tuple[NDArray[Any], str]:
    """An object as an array, and the name of the type of its values."""
    import numpy as np

    if isinstance(array, np.ndarray | np.generic) or not hasattr(array, "__dlpack__"):
        values = np.asarray(array)
        return values, _name(values.dtype)
    tensor = _exportable(array)
    device = int(tensor.__dlpack_device__()[0])
    if device not in HOST_DEVICES:
        raise ArgumentError(
            f"the tensor is on a device, DLPack type {device}: bring it to the host first", "array"
        )
    try:
        taken = _core.take_dlpack(tensor.__dlpack__())
    except (BufferError, TypeError) as error:
        raise UnsupportedDtypeError(f"the tensor cannot be taken: {error}", "dtype") from None
    return np.asarray(taken), taken.type_name


def _exportable(tensor: Any) -> Any:
    """PyTorch exports neither what is being differentiated nor, rightly, a lazy negation."""
    for step in ("detach", "resolve_neg"):
        if callable(method := getattr(tensor, step, None)):
            tensor = method()
    return tensor
