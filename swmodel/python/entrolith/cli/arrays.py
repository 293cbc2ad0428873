# SPDX-License-Identifier: Apache-2.0
"""Arrays from `.npy`, `.npz` and raw files, or from standard input."""

from __future__ import annotations

import io
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from entrolith.cli.failure import Failure, UsageError
from entrolith.dtypes import DTYPES
from entrolith.errors import EntrolithError, UnsupportedDtypeError
from entrolith.tensors import bit_patterns

UNREADABLE = (
    EOFError,
    MemoryError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy and zipfile raise on files that are damaged or not what they seem."""


@dataclass(frozen=True)
class Input:
    """An array as bit patterns, its format dtype, and its name if an `.npz` file gave one."""

    patterns: NDArray[Any]
    dtype: str
    member: str | None = None

    def values(self) -> NDArray[Any]:
        """The array itself."""
        values: NDArray[Any] = self.patterns.view(DTYPES[self.dtype].numpy)
        return values


@dataclass(frozen=True)
class Selection:
    """How the command line wants a file to be read.

    `dtype` and `shape` describe raw files; `dtype` also says what unsigned integers are the bit
    patterns of. `member` picks one array of an `.npz` file.
    """

    dtype: str | None = None
    shape: Sequence[int] | None = None
    member: str | None = None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file, or standard input for `-`, open for reading and seekable.

    Raises:
        Failure: it cannot be read.
    """
    if path == "-":
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def read(path: str, selection: Selection) -> list[Input]:
    """The arrays of a file: one, except of an `.npz` file.

    What the file is shows in its first bytes; a file that is neither `.npy` nor `.npz` is raw.

    Raises:
        Failure: the file is damaged, or holds values that are not of `DTYPES`.
        UsageError: the selection does not suit the file.
    """
    with opened(path) as file:
        start = file.read(6)
        file.seek(0)
        if start.startswith(b"PK"):
            return _read_npz(path, file, selection)
        if selection.member is not None:
            raise UsageError(f"{path}: --member is for .npz files")
        if start != b"\x93NUMPY":
            return [_read_raw(path, file, selection)]
        if selection.shape is not None:
            raise UsageError(f"{path}: --shape is for raw files; an .npy file states its shape")
        try:
            values = np.load(file, allow_pickle=False)
        except UNREADABLE as error:
            raise Failure(f"{path}: not a sound .npy file: {error}") from None
        return [_input(path, values, selection.dtype)]


def _read_npz(path: str, file: BinaryIO, selection: Selection) -> list[Input]:
    if selection.shape is not None:
        raise UsageError(f"{path}: --shape is for raw files; an .npz file states its shapes")
    try:
        with np.load(file, allow_pickle=False) as arrays:
            members = list(arrays.files)
            if selection.member in members:
                members = [selection.member]
            elif selection.member is not None:
                known = ", ".join(members[:8]) + (", ..." if len(members) > 8 else "")
                raise UsageError(f"{path}: no array {selection.member!r}; it holds {known}")
            loaded = {member: arrays[member] for member in members}
    except UNREADABLE as error:
        raise Failure(f"{path}: not a sound .npz file: {error}") from None
    if not loaded:
        raise Failure(f"{path}: holds no array")
    return [
        _input(f"{path}: array {member!r}", values, selection.dtype, member)
        for member, values in loaded.items()
    ]


def _read_raw(path: str, file: BinaryIO, selection: Selection) -> Input:
    if selection.dtype is None:
        raise UsageError(
            f"{path}: neither .npy nor .npz; for raw values give --dtype {', '.join(DTYPES)}"
        )
    data, dtype = file.read(), DTYPES[selection.dtype]
    if len(data) % dtype.bytes:
        raise Failure(
            f"{path}: {len(data)} bytes are not a whole number of {selection.dtype} values"
        )
    values = np.frombuffer(data, np.dtype(dtype.bits).newbyteorder("<"))
    if selection.shape is not None:
        try:
            values = values.reshape(selection.shape)
        except ValueError:
            shape = ",".join(map(str, selection.shape))
            raise UsageError(f"{path}: {values.size} values have no shape {shape}") from None
    return _input(path, values, selection.dtype)


def _input(where: str, values: NDArray[Any], dtype: str | None, member: str | None = None) -> Input:
    if values.dtype in (np.dtype("V1"), np.dtype("V2")):  # how .npy keeps types of ml_dtypes
        values = values.view(f"u{values.itemsize}")
    names = [d.name for d in DTYPES.values() if d.bits == values.dtype.name]
    if dtype is None and names:
        raise UsageError(
            f"{where} holds {values.dtype.name} values; if these are bit patterns, give --dtype "
            + " or ".join(names)
        )
    if member is not None and not names:
        dtype = None  # what is said of unsigned integers is not said of the other arrays
    try:
        found, patterns = bit_patterns(values, dtype)
    except UnsupportedDtypeError as error:
        raise (Failure if dtype is None else UsageError)(f"{where}: {error}") from None
    except EntrolithError as error:
        raise Failure(f"{where}: {error}") from None
    return Input(patterns, found.name, member)
