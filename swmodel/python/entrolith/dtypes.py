# SPDX-License-Identifier: Apache-2.0
"""The types of values that streams hold: the dtype table of FORMAT.md section 2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from entrolith.errors import UnsupportedDtypeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OF_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""NumPy types that the package ml_dtypes adds."""


@dataclass(frozen=True)
class Dtype:
    """A row of the dtype table of FORMAT.md section 2; `version` of the format introduced it."""

    name: str
    code: int
    numpy_name: str
    bytes: int
    version: int

    @cached_property
    def bits(self) -> str:
        """The NumPy name of the unsigned integer that holds a bit pattern."""
        return f"uint{8 * self.bytes}"

    def kind(self, *, as_bits: bool) -> np.dtype[Any]:
        """The NumPy type of the values or of their bit patterns. Raises as `numpy`."""
        import numpy as np

        return np.dtype(self.bits) if as_bits else self.numpy

    def empty(self, count: int, *, as_bits: bool) -> NDArray[Any]:
        """A new array of one dimension. Raises as `numpy`."""
        import numpy as np

        return np.empty(count, self.kind(as_bits=as_bits))

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of the values, native byte order.

        Raises:
            UnsupportedDtypeError: it is of ml_dtypes, which is not installed.
        """
        import numpy as np

        if self.numpy_name not in OF_ML_DTYPES:
            return np.dtype(self.numpy_name)
        try:
            import ml_dtypes
        except ImportError:
            raise UnsupportedDtypeError(
                f"{self.name} arrays need the package ml_dtypes; as_bits=True returns bit patterns",
                "dtype",
            ) from None
        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.numpy_name))
        return found


DTYPES = {
    d.name: d
    for d in (
        Dtype("fp32", 1, "float32", 4, 1),
        Dtype("bf16", 2, "bfloat16", 2, 1),
        Dtype("fp16", 3, "float16", 2, 1),
        Dtype("fp64", 4, "float64", 8, 2),
        Dtype("fp8e4m3", 5, "float8_e4m3fn", 1, 2),
        Dtype("fp8e5m2", 6, "float8_e5m2", 1, 2),
    )
}


_BY_CODE = {d.code: d for d in DTYPES.values()}


def of_code(code: int) -> Dtype:
    """The type of a directory's `dtype` field."""
    return _BY_CODE[code]


def of_name(name: str) -> Dtype:
    """The type of this name.

    Raises:
        UnsupportedDtypeError: there is none.
    """
    if name not in DTYPES:
        raise UnsupportedDtypeError(f"dtype {name!r} is not one of {', '.join(DTYPES)}", "dtype")
    return DTYPES[name]


def recognise(values: str, asked: str | None) -> Dtype:
    """The type of values whose NumPy type has the name `values`.

    Args:
        values: "float32", "bfloat16", "uint16", ...
        asked: what the caller says they are; then unsigned integers of that size are bit patterns.
            None: their own type says it.

    Raises:
        UnsupportedDtypeError: there is no such type, or the values are of another.
    """
    if asked is None:
        for d in DTYPES.values():
            if values == d.numpy_name:
                return d
        raise UnsupportedDtypeError(f"{values} is not supported{_advice(values)}", "dtype")
    wanted = of_name(asked)
    if values not in (wanted.numpy_name, wanted.bits):
        raise UnsupportedDtypeError(
            f"{values} values are not {asked}: pass {wanted.numpy_name}, or bit patterns as "
            f"{wanted.bits}",
            "dtype",
        )
    return wanted


def _advice(name: str) -> str:
    """What to do about a type that is not taken."""
    names = [d.name for d in DTYPES.values() if d.bits == name]
    if names:
        return f"; if these are bit patterns, say of what: dtype={' or '.join(map(repr, names))}"
    return f"; {', '.join(d.numpy_name for d in DTYPES.values())} are"
