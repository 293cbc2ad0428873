# SPDX-License-Identifier: Apache-2.0
"""Output files that are there whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from entrolith.cli.failure import Failure, UsageError


def check_target(target: str, *, force: bool) -> None:
    """Refuse an output before any work is done.

    Args:
        target: a path, or `-` for standard output.
        force: an existing file may be overwritten.

    Raises:
        Failure: the file exists and may not be overwritten.
        UsageError: standard output is a terminal.
    """
    if target == "-":
        if sys.stdout.isatty():
            raise UsageError("will not write binary data to a terminal; give -o FILE")
    elif not force and (path := Path(target)).exists() and not path.is_char_device():
        raise Failure(f"{target}: exists; -f overwrites it")


def make_folder(folder: str) -> None:
    """Make a folder, and those above it, where they are missing.

    Raises:
        Failure: it cannot be made.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror}") from None


def write(target: str, parts: Iterable[Any]) -> None:
    """Write buffers to a file, by way of a temporary file beside it, or to standard output.

    Raises:
        Failure: the file cannot be written; nothing of it is left.
    """
    if target == "-":
        for part in parts:
            rest = memoryview(part)
            while rest:  # under python -u a write may stop short
                rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()  # a link stays, the file behind it is replaced
    special = path.exists() and not path.is_file()
    draft = path if special else path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            for part in parts:
                file.write(part)
        if not special:
            draft.replace(path)
    except OSError as error:
        raise Failure(f"{target}: {error.strerror}") from None
    finally:
        if not special:
            draft.unlink(missing_ok=True)
