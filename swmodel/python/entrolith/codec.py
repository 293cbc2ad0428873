# SPDX-License-Identifier: Apache-2.0
"""Arrays and mappings of arrays to streams and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from entrolith import _core, dtypes, tensors
from entrolith.errors import ArgumentError, EntrolithError, UnsupportedModeError
from entrolith.options import DEFAULT_LEVEL, check_profile, contiguous, plan, thread_count
from entrolith.table_set import TableSet, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    Tables = TableSet | str | os.PathLike[str] | None

Out = TypeVar("Out")


@overload
def compress(
    array: Any,
    *,
    dtype: str | None = None,
    level: int = DEFAULT_LEVEL,
    mode: str | None = None,
    check: bool = True,
    threads: int = 1,
    profile: str | None = None,
    tables: Tables = None,
    out: None = None,
) -> bytes: ...
@overload
def compress(
    array: Any,
    *,
    dtype: str | None = None,
    level: int = DEFAULT_LEVEL,
    mode: str | None = None,
    check: bool = True,
    threads: int = 1,
    profile: str | None = None,
    tables: Tables = None,
    out: Buffer,
) -> int: ...
def compress(
    array: Any,
    *,
    dtype: str | None = None,
    level: int = DEFAULT_LEVEL,
    mode: str | None = None,
    check: bool = True,
    threads: int = 1,
    profile: str | None = None,
    tables: Tables = None,
    out: Buffer | None = None,
) -> bytes | int:
    """Compress an array, or a mapping of names to arrays, without loss: every bit comes back.

    Args:
        array: floating-point values (`entrolith.dtypes.DTYPES`: fp32, bf16, fp16, fp64, two fp8) of
            any shape, memory layout and byte order: a NumPy array, a buffer, a tensor of PyTorch or
            another library that speaks DLPack in host memory, or what NumPy makes an array of. Or a
            mapping of names to such arrays, such as a state dict or an `.npz` file: one stream, in
            which small tensors share chunks. Nothing is copied that is contiguous and native, and
            nothing is changed.
        dtype: "fp32", "bf16", ... Only needed for unsigned integers, which are then taken for bit
            patterns of that type (uint16 for bf16 and fp16). In a mapping it is for all arrays.
        level: 1 (fast) to 9 (small), as FORMAT.md section 8 has them.
        mode: "static", "dynamic" or "hybrid" tables; None: what the level does.
        check: write a check of every chunk and of the stream. Without, damage may go unseen.
        threads: how many to use; 0 is one for each core. The bytes are the same for any number.
        profile: instead of a level, a fixed point of the format: a name of `PROFILES`.
        tables: the table set to code with, or the path of its JSON file. Default: the shipped set.
            Streams coded with another set need it to be read.
        out: a writable buffer to write the stream to.

    Returns:
        A stream (FORMAT.md section 1); or, with `out`, the bytes of it that were written there.

    Raises:
        UnsupportedDtypeError: values are of another type; in a mapping the array is named.
        UnknownProfileError, ArgumentError: an argument is out of range, or `out` is too small, of
            which nothing is then written.
        TableSetError: the file does not hold a table set.
        EntrolithError: more than 32 dimensions or 2^48 values.
    """
    profile_ = plan(level, mode, profile, check=check)
    count = thread_count(threads)
    core_tables = compiled(tables)
    mapping = isinstance(array, Mapping)
    if mapping and profile is not None:
        raise ArgumentError("a profile is for one array; a mapping needs a level", "profile")
    rows = _rows(array, dtype) if mapping else [_row("", array, dtype)]
    if not mapping:
        check_profile(profile, dtypes.of_code(rows[0][1]))
    if out is None:
        return _core.compress(rows, profile_, mapping, core_tables, count)
    room = memoryview(out)
    if room.readonly or not room.c_contiguous:
        raise ArgumentError("out: the buffer is read-only or not in one piece", "out")
    tensors.check_apart(room, (values for _, _, values in rows))
    size = _core.compress_into(rows, profile_, mapping, core_tables, count, room)
    if size > room.nbytes:
        raise ArgumentError(f"out: {room.nbytes} bytes for a stream of {size}", "out")
    return size


@overload
def decompress(
    data: Buffer,
    *,
    tables: Tables = None,
    as_bits: bool = False,
    threads: int = 1,
    out: None = None,
) -> Any: ...
@overload
def decompress(
    data: Buffer, *, tables: Tables = None, as_bits: bool = False, threads: int = 1, out: Out
) -> Out: ...
def decompress(
    data: Buffer,
    *,
    tables: Tables = None,
    as_bits: bool = False,
    threads: int = 1,
    out: Any = None,
) -> Any:
    """Restore the array, or the mapping of names to arrays, of a stream.

    Args:
        data: a stream: bytes, bytearray, memoryview, mmap or any other contiguous buffer.
        tables: the table set that it was coded with, or the path of its JSON file. Default: the
            shipped set.
        as_bits: return bit patterns as unsigned integers instead of floating-point values.
        threads: how many to use; 0 is one for each core.
        out: an array to fill, or a mapping of all names to such arrays: writable, of the recorded
            shape, and of the recorded type or unsigned integers of its size; any memory layout,
            contiguous ones without a copy. If the stream turns out to be damaged its values are
            undefined.

    Returns:
        A new array of the recorded shape and type in native byte order (bf16 and fp8 of
        `ml_dtypes`), or a dict of them in the order they were given in; or `out`.

    Raises:
        CorruptStreamError: the stream is damaged; TruncatedStreamError if its end is missing.
        UnsupportedVersionError: it is of a later version of the format.
        UnsupportedModeError: it uses what is reserved.
        TableMismatchError: it was coded with another table set.
        TableSetError: the file does not hold a table set.
        ArgumentError: `out` or `threads` will not do; nothing is written.

        Those of the stream have `field` and `offset`. Nothing is allocated for the values until the
        chunks of the stream are seen to account for them.
    """
    count = thread_count(threads)
    core_tables = compiled(tables)
    view = contiguous(data)
    index = _core.scan(view, core_tables)
    if out is None:
        made = _new_arrays(index.header, as_bits=as_bits)
        _core.decompress(view, index, core_tables, list(made.values()), count)
        return made if index.header.mapping else made[""]
    targets = _targets(out, index.header)
    tensors.check_apart(view, targets)
    patterns = [bits if _plain(bits) else _like(bits) for bits in targets]
    _core.decompress(view, index, core_tables, patterns, count)
    for bits, filled in zip(targets, patterns, strict=True):
        if filled is not bits:
            bits[...] = filled
    return out


def _new_arrays(header: _core.Header, *, as_bits: bool) -> dict[str, NDArray[Any]]:
    kinds = {code: dtypes.of_code(code).kind(as_bits=as_bits) for code in header.dtypes}
    try:
        return _core.new_arrays(header, kinds)
    except ValueError as error:  # without values, dimensions may be what they like in a stream
        raise UnsupportedModeError(f"NumPy has no such array: {error}", "dimension") from None


def _row(name: str, array: Any, dtype: str | None) -> _core.Row:
    found, values = tensors.contents(array, dtype)
    return name, found.code, values


def _rows(arrays: Mapping[str, Any], dtype: str | None) -> list[_core.Row]:
    rows = []
    for name, array in arrays.items():
        if not isinstance(name, str):
            raise ArgumentError(f"the name {name!r} of an array is not a string", "array")
        try:
            name.isascii() or name.encode()
            rows.append(_row(name, array, dtype))
        except UnicodeEncodeError:
            raise ArgumentError(f"the name {name!r} cannot be written as UTF-8", "array") from None
        except EntrolithError as error:
            raise type(error)(f"{name!r}: {error}", error.field) from None
    return rows


def _targets(out: Any, header: _core.Header) -> list[NDArray[Any]]:
    """The memory of `out` for each tensor, all of it checked."""
    if not header.mapping:
        ((_, code, shape, _),) = header.tensors
        return [tensors.target(out, dtypes.of_code(code), shape)]
    if not isinstance(out, Mapping):
        raise ArgumentError("out: the stream holds a mapping, so give a mapping of arrays", "out")
    names = [name for name, _, _, _ in header.tensors]
    if set(out) != set(names):
        different = sorted(map(repr, set(out) ^ set(names)))
        raise ArgumentError(f"out: not the names of the stream: {', '.join(different[:8])}", "out")
    found = []
    for name, code, shape, _ in header.tensors:
        try:
            found.append(tensors.target(out[name], dtypes.of_code(code), shape))
        except EntrolithError as error:
            raise type(error)(f"{name!r}: {error}", error.field) from None
    return found


def _plain(bits: NDArray[Any]) -> bool:
    return bits.flags.c_contiguous and bits.flags.aligned and bits.dtype.isnative


def _like(bits: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.empty(bits.shape, bits.dtype.newbyteorder("="))
