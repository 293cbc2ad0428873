# SPDX-License-Identifier: Apache-2.0
"""Arrays in, bit patterns out: which values the codec takes, and how they lie in memory.

The codec sees a contiguous, aligned array of native unsigned integers (FORMAT.md section 2); every
other layout costs one copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from entrolith.errors import EntrolithError, UnsupportedDtypeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

MAX_DIMENSIONS = 32
MAX_VALUES = 1 << 48


@dataclass(frozen=True)
class Dtype:
    """A row of the dtype table of FORMAT.md section 2."""

    name: str
    code: int
    numpy_name: str
    bytes: int

    @property
    def bits(self) -> str:
        """The NumPy name of the unsigned integer that holds a bit pattern."""
        return f"uint{8 * self.bytes}"

    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of the values, native byte order."""
        import numpy as np

        if self.numpy_name == "bfloat16":
            import ml_dtypes

            bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
            return bfloat16
        return np.dtype(self.numpy_name)


DTYPES = {
    d.name: d
    for d in (
        Dtype("fp32", 1, "float32", 4),
        Dtype("bf16", 2, "bfloat16", 2),
        Dtype("fp16", 3, "float16", 2),
    )
}


def of_code(code: int) -> Dtype:
    """The type of a directory's `dtype` field."""
    return next(d for d in DTYPES.values() if d.code == code)


def bit_patterns(array: ArrayLike, dtype: str | None) -> tuple[Dtype, NDArray[Any]]:
    """The type of an array and its bit patterns.

    Args:
        array: anything NumPy makes an array of.
        dtype: fp32, bf16 or fp16; then unsigned integers of that size are bit patterns. None: the
            array's own type says it.

    Returns:
        The type, and unsigned integers of the array's shape, native, aligned and C-contiguous; a
        view of the array's memory where that is possible, never changed here.

    Raises:
        UnsupportedDtypeError: the values are of another type, or masked.
        EntrolithError: more than 32 dimensions or 2^48 values.
    """
    import numpy as np

    if isinstance(array, np.ma.MaskedArray):
        raise UnsupportedDtypeError(
            "masked arrays are not supported: the mask would be lost; pass array.filled(value)",
            "dtype",
        )
    values = np.asarray(array)
    found = _recognise(values.dtype, dtype)
    if values.ndim > MAX_DIMENSIONS:
        raise EntrolithError(
            f"an array of {values.ndim} dimensions; the format has at most {MAX_DIMENSIONS}", "ndim"
        )
    if values.size > MAX_VALUES:
        raise EntrolithError(f"{values.size} values; the format has at most 2^48", "dimension")
    stored = values.view(np.dtype(found.bits).newbyteorder(values.dtype.byteorder))
    # Integers, unlike floating-point values, keep every bit when their byte order changes.
    return found, np.require(stored, found.bits, ["C_CONTIGUOUS", "ALIGNED"])


def _recognise(values: np.dtype[Any], asked: str | None) -> Dtype:
    if asked is not None and asked not in DTYPES:
        raise UnsupportedDtypeError(
            f"dtype {asked!r} is not one of {', '.join(DTYPES)}{_advice(asked)}", "dtype"
        )
    for d in DTYPES.values():
        if values.name == d.numpy_name and asked in (None, d.name):
            return d
        if values.name == d.bits and asked == d.name:
            return d
    if asked is not None:
        d = DTYPES[asked]
        raise UnsupportedDtypeError(
            f"{_name(values)} values are not {asked}: pass {d.numpy_name}, or bit patterns as "
            f"{d.bits}",
            "dtype",
        )
    raise UnsupportedDtypeError(f"{_name(values)} is not supported{_advice(values.name)}", "dtype")


def _name(values: np.dtype[Any]) -> str:
    return "structured" if values.names else values.name


def _advice(name: str) -> str:
    """What to do about a type that is not taken."""
    if name in ("float64", "fp64"):
        return " yet; array.astype(numpy.float32) rounds to what is"
    if name.startswith(("float8", "fp8")):
        return " yet"
    if name in ("uint16", "uint32"):
        return "; if these are bit patterns, say of what: dtype='bf16', 'fp16' or 'fp32'"
    return "; float32, float16 and bfloat16 are"
