# SPDX-License-Identifier: Apache-2.0
"""How far long work has come, on stderr."""

from __future__ import annotations

import sys
import time


class Progress:
    """Call it with what is done, steps done and steps in all.

    A terminal shows one line that changes up to ten times a second; a file or pipe gets a line
    every ten seconds, so that short work leaves nothing there.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + (0.0 if self._terminal else 10.0)
        self._width = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show it if it is time."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.1 if self._terminal else 10.0)
        line = f"{what}: {done} of {total}"
        if self._terminal:
            sys.stderr.write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the terminal's line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
