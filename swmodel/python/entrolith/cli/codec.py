# SPDX-License-Identifier: Apache-2.0
"""`entrolith compress` and `entrolith decompress`."""

from __future__ import annotations

import io
import mmap
import sys
import zipfile
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

import entrolith
from entrolith.cli.arrays import Selection, opened, read
from entrolith.cli.failure import Failure, UsageError
from entrolith.cli.output import check_target, write

if TYPE_CHECKING:
    from typing_extensions import Buffer

SUFFIX = ".elz"


def compress(arguments: Namespace) -> int:
    """Write one stream: of an array, or of all arrays of an `.npz` file."""
    tables = read_tables(arguments.tables)
    selection = Selection(arguments.dtype, arguments.shape, arguments.member)
    inputs = read(arguments.file, selection)
    target = arguments.output or _default_target(arguments.file, selection.member)
    check_target(target, force=arguments.force)
    many = inputs[0].member is not None and selection.member is None
    arrays = {one.member: one.values() for one in inputs} if many else inputs[0].values()
    try:
        stream = entrolith.compress(
            arrays,
            level=arguments.level,
            mode=arguments.mode,
            check=not arguments.no_check,
            threads=arguments.threads,
            profile=arguments.profile,
            tables=tables,
        )
    except entrolith.ArgumentError as error:
        raise UsageError(f"{arguments.file}: {error}") from None
    write(target, [stream])
    return 0


def decompress(arguments: Namespace) -> int:
    """Write the array of a stream as `.npy` or raw, a mapping as `.npz`."""
    tables = read_tables(arguments.tables)
    stem = _stem(arguments.file) if arguments.output is None else ""
    with opened(arguments.file) as file:
        stream = _buffer(file)
        try:
            with entrolith.Reader(stream, tables=tables, threads=arguments.threads) as reader:
                one = arguments.name is not None or not reader.mapping
                if not one and (arguments.raw or arguments.range):
                    raise UsageError(
                        f"{arguments.file}: --raw and --range are for one array; give --name"
                    )
                ending = "" if arguments.raw else ".npy" if one else ".npz"
                target = arguments.output or _target(stem, arguments.name, ending)
                check_target(target, force=arguments.force)
                values = _values(reader, arguments)
            if values is None:
                values = entrolith.decompress(stream, tables=tables, threads=arguments.threads)
        except entrolith.TableMismatchError as error:
            raise Failure(f"{arguments.file}: {error}; give --tables SET.json") from None
        except entrolith.EntrolithError as error:
            raise Failure(f"{arguments.file}: {error}") from None
    if isinstance(values, Mapping):
        write(target, [_npz(arguments.file, values, arguments)])
        return 0
    values = _nameable(values, arguments)
    content = values.reshape(-1).view(np.uint8).data
    write(target, [content] if arguments.raw else [_npy_header(values), content])
    return 0


def read_tables(path: str | None) -> entrolith.TableSet | None:
    """The table set of a JSON file, or None for none.

    Raises:
        Failure: it cannot be read or is no table set.
    """
    if path is None:
        return None
    with opened(path) as file:
        text = file.read()
    try:
        return entrolith.TableSet.from_json(text)
    except entrolith.TableSetError as error:
        raise Failure(f"{path}: {error}") from None


def _buffer(file: BinaryIO) -> Buffer:
    """A file's bytes, mapped where that can be done: a few values need a few of them."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # no file behind it, or an empty one
        return file.read()


def _values(reader: entrolith.Reader, arguments: Namespace) -> NDArray[Any] | None:
    """The values that the command line asks for; None if that is the whole stream."""
    name, span = arguments.name, arguments.range
    if name is not None and name not in reader.names:
        known = ", ".join(reader.names[:8]) + (", ..." if len(reader.names) > 8 else "")
        raise UsageError(f"{arguments.file}: no array {name!r}; it holds {known or 'one'}")
    if span is None:
        return None if name is None else reader[name]
    try:
        return reader.read(name, *span)
    except entrolith.ArgumentError as error:
        raise UsageError(f"{arguments.file}: --range: {error}") from None


def _default_target(file: str, member: str | None) -> str:
    if file == "-":
        return "-"
    return file + SUFFIX if member is None else f"{file}.{_file_name(member)}{SUFFIX}"


def _file_name(member: str) -> str:
    """An array's name as a file's: what could lead out of the folder is replaced."""
    for separator in "/\\\0":
        member = member.replace(separator, ".")
    return member.lstrip(".") or "array"


def _stem(file: str) -> str:
    if file != "-" and not file.endswith(SUFFIX):
        raise UsageError(f"{file}: does not end in {SUFFIX}; give -o OUT")
    return file.removesuffix(SUFFIX)


def _target(stem: str, name: str | None, ending: str) -> str:
    if stem == "-":
        return "-"
    if name is not None:
        return f"{stem}.{_file_name(name)}{ending}"
    return stem if stem.endswith(ending) else stem + ending


def _nameable(values: NDArray[Any], arguments: Namespace) -> NDArray[Any]:
    """Values of a type that .npy can name: others as their bit patterns."""
    if values.dtype.isbuiltin == 1:
        return values
    patterns: NDArray[Any] = values.view(f"u{values.itemsize}")
    if not arguments.raw:
        print(
            f"entrolith: {values.dtype.name} values are written as {patterns.dtype} patterns",
            file=sys.stderr,
        )
    return patterns


def _npz(file: str, arrays: Mapping[str, NDArray[Any]], arguments: Namespace) -> memoryview:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, values in arrays.items():
            if "\0" in name:
                raise Failure(f"{file}: array {name!r} has a name that no .npz file can have")
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, _nameable(values, arguments))
    return content.getbuffer()


def _npy_header(values: NDArray[Any]) -> bytes:
    header = io.BytesIO()
    fields = np.lib.format.header_data_from_array_1_0(values)
    np.lib.format.write_array_header_1_0(header, fields)
    return header.getvalue()
