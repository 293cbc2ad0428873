# SPDX-License-Identifier: Apache-2.0
"""Arrays to streams and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from entrolith import _core, dtypes
from entrolith.errors import UnknownProfileError, UnsupportedModeError
from entrolith.table_set import TableSet, compiled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Buffer

    Tables = TableSet | str | os.PathLike[str] | None

PROFILES: tuple[str, ...] = tuple(_core.PROFILES)
"""The profiles of FORMAT.md section 8."""


def compress(
    array: ArrayLike,
    *,
    dtype: str | None = None,
    profile: str = "sw-n64-c32768",
    tables: Tables = None,
) -> bytes:
    """Compress an array without loss: every bit of every value comes back.

    Args:
        array: fp32, fp16 or bf16 (ml_dtypes) values of any shape, memory layout and byte order; or
            anything that NumPy makes such an array of. It is not changed.
        dtype: "fp32", "bf16" or "fp16". Only needed for arrays of unsigned integers, which are
            then taken for bit patterns: uint16 for bf16 and fp16, uint32 for fp32.
        profile: what to write, a name of `PROFILES` (FORMAT.md section 8).
        tables: the table set to code with, or the path of its JSON file. Default: the shipped set.
            Streams coded with another set need it to be read.

    Returns:
        A stream (FORMAT.md section 1). Same values, shape, profile and tables: same bytes.

    Raises:
        UnsupportedDtypeError: the values are of another type.
        UnknownProfileError: there is no such profile.
        TableSetError: the file does not hold a table set.
        EntrolithError: the array has more than 32 dimensions or 2^48 values.
    """
    if profile not in PROFILES:
        raise UnknownProfileError(
            f"no profile {profile!r}; there are {', '.join(PROFILES)}", "profile"
        )
    found, patterns = dtypes.bit_patterns(array, dtype)
    return _core.compress(patterns, found.code, patterns.shape, profile, compiled(tables))


def decompress(data: Buffer, *, tables: Tables = None, as_bits: bool = False) -> NDArray[Any]:
    """Restore the array of a stream.

    Args:
        data: a stream: bytes, bytearray, memoryview, mmap or any other contiguous buffer.
        tables: the table set that it was coded with, or the path of its JSON file. Default: the
            shipped set.
        as_bits: return the bit patterns as uint16 or uint32 instead of floating-point values.

    Returns:
        A new array of the recorded shape and type in native byte order; bf16 as
        `ml_dtypes.bfloat16`.

    Raises:
        CorruptStreamError: the stream is damaged; TruncatedStreamError if its end is missing.
        UnsupportedVersionError: it is of another version of the format.
        UnsupportedModeError: it uses what this version reserves.
        TableMismatchError: it was coded with another table set.
        TableSetError: the file does not hold a table set.

        All of them have `field` and `offset`. Nothing is allocated for the values until the chunks
        of the stream are seen to account for them.
    """
    import numpy as np

    core_tables = compiled(tables)
    data = contiguous(data)
    header = _core.scan(data, core_tables)
    found = dtypes.of_code(header.dtype)
    try:
        values: NDArray[Any] = np.empty(header.shape, found.bits if as_bits else found.numpy())
    except ValueError:  # without values, dimensions may be what they like in a stream
        raise UnsupportedModeError(
            f"NumPy has no arrays of shape {header.shape}", "dimension"
        ) from None
    _core.decompress(data, header, core_tables, values.view(found.bits))
    return values


def contiguous(data: Buffer) -> Buffer:
    """The same bytes as one piece of memory, copied only if they are not.

    Raises:
        TypeError: `data` is not a buffer.
    """
    view = memoryview(data)
    return view if view.c_contiguous else view.tobytes()
