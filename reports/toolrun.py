# SPDX-License-Identifier: Apache-2.0
"""Run one external tool, keep its log, and believe neither its silence nor its exit status.

Yosys ends its process on an error, OpenSTA prints `Error` and goes on with exit status 0: a run
counts as good only when the status is 0 and no line of the log is an error.
"""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ERROR_LINE = re.compile(r"^\s*(?:\S*:\s*)?(?:error|fatal)\b", re.IGNORECASE | re.MULTILINE)
TAIL_LINES = 12


class ToolError(Exception):
    """A tool failed, is missing, or printed what this flow does not understand."""


def error_in(log: str) -> str | None:
    """Return the first line of `log` that is an error message, or None."""
    found = ERROR_LINE.search(log)
    if found is None:
        return None
    return log[found.start() :].lstrip().splitlines()[0]


def run(argv: Sequence[str], folder: Path, log: Path) -> str:
    """Run `argv` in `folder` and return its standard output and error, also written to `log`.

    Raises:
        ToolError: The program is missing, ended with another status than 0, or printed an error.
    """
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as missing:
        message = f"{argv[0]} does not start: {missing.strerror}"
        raise ToolError(message) from missing
    log.write_text(done.stdout, encoding="utf-8")
    error = error_in(done.stdout)
    if done.returncode != 0 or error is not None:
        said = error or "\n".join(done.stdout.splitlines()[-TAIL_LINES:])
        message = f"{log.stem} ended with status {done.returncode}: {said} (log: {log})"
        raise ToolError(message)
    return done.stdout


def output(argv: Sequence[str]) -> str:
    """Return what `argv` prints, without the line end; for asking a tool its version.

    Raises:
        ToolError: The program is missing or ended with another status than 0.
    """
    try:
        done = subprocess.run(argv, capture_output=True, encoding="utf-8", check=True)
    except (OSError, subprocess.CalledProcessError) as failed:
        message = f"{argv[0]} does not answer: {failed}"
        raise ToolError(message) from failed
    return done.stdout.strip()


def installed(package: str) -> str:
    """Version of an installed Python package.

    Raises:
        ToolError: It is not installed.
    """
    try:
        return version(package)
    except PackageNotFoundError as missing:
        message = f"{package} is not installed: it is in the dependency group `synthesis`"
        raise ToolError(message) from missing
