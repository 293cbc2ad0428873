# SPDX-License-Identifier: Apache-2.0
"""`entrolith compress` and `entrolith decompress`."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import entrolith
from entrolith.cli.arrays import Input, Selection, opened, read
from entrolith.cli.failure import Failure, UsageError
from entrolith.cli.output import check_target, make_folder, write

SUFFIX = ".elz"


def compress(arguments: Namespace) -> int:
    """Write one stream, or one for each array of an `.npz` file."""
    tables = read_tables(arguments.tables)
    selection = Selection(arguments.dtype, arguments.shape, arguments.member)
    inputs = read(arguments.file, selection)
    if selection.member is not None or inputs[0].member is None:
        targets = [arguments.output or _default_target(arguments.file, selection.member)]
    else:
        targets = _member_targets(arguments.file, arguments.output, inputs)
    for target in targets:
        check_target(target, force=arguments.force)
    for one, target in zip(inputs, targets, strict=True):
        stream = entrolith.compress(
            one.patterns, dtype=one.dtype, profile=arguments.profile, tables=tables
        )
        write(target, [stream])
    return 0


def decompress(arguments: Namespace) -> int:
    """Write the array of a stream as `.npy` or raw."""
    tables = read_tables(arguments.tables)
    target = arguments.output or _restored(arguments.file, raw=arguments.raw)
    check_target(target, force=arguments.force)
    with opened(arguments.file) as file:
        stream = file.read()
    try:
        values = entrolith.decompress(stream, tables=tables)
    except entrolith.TableMismatchError as error:
        raise Failure(f"{arguments.file}: {error}; give --tables SET.json") from None
    except entrolith.EntrolithError as error:
        raise Failure(f"{arguments.file}: {error}") from None
    if values.dtype.name == "bfloat16":  # which .npy cannot name
        values = values.view(np.uint16)
        if not arguments.raw:
            print("entrolith: bf16 values are written as uint16 patterns", file=sys.stderr)
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


def _default_target(file: str, member: str | None) -> str:
    if file == "-":
        return "-"
    return file + SUFFIX if member is None else f"{file}.{_file_name(member)}{SUFFIX}"


def _member_targets(file: str, output: str | None, inputs: list[Input]) -> list[str]:
    """One path in the output folder for each array of an .npz file."""
    if output is None or output == "-":
        raise UsageError(
            f"{file} holds {len(inputs)} arrays: give a folder, -o DIR, for a stream of each, or "
            "--member NAME for one"
        )
    names = [_file_name(one.member or "") for one in inputs]
    if len(set(names)) < len(names):
        raise Failure(f"{file}: names of arrays become equal as names of files; use --member")
    make_folder(output)
    return [str(Path(output, name + SUFFIX)) for name in names]


def _file_name(member: str) -> str:
    """An array's name as a file's: what could lead out of the folder is replaced."""
    for separator in "/\\\0":
        member = member.replace(separator, ".")
    return member.lstrip(".") or "array"


def _restored(file: str, *, raw: bool) -> str:
    if file == "-":
        return "-"
    if not file.endswith(SUFFIX):
        raise UsageError(f"{file}: does not end in {SUFFIX}; give -o OUT")
    name = file.removesuffix(SUFFIX)
    return name if raw or name.endswith(".npy") else name + ".npy"


def _npy_header(values: NDArray[Any]) -> bytes:
    header = io.BytesIO()
    fields = np.lib.format.header_data_from_array_1_0(values)
    np.lib.format.write_array_header_1_0(header, fields)
    return header.getvalue()
