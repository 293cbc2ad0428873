# SPDX-License-Identifier: Apache-2.0
"""Failures that end a command with one line on stderr."""

from __future__ import annotations


class Failure(Exception):
    """The data or a file is at fault: exit code 1. The message names it and what to do."""

    code = 1


class UsageError(Failure):
    """The command line is at fault: exit code 2."""

    code = 2
