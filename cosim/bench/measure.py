# SPDX-License-Identifier: Apache-2.0
"""What a simulation adds to the closing table: lines of JSON, read by simulation.py."""

from __future__ import annotations

import json
import os
from pathlib import Path

VARIABLE = "COSIM_MEASURES"


def _append(**measured: float) -> None:
    if VARIABLE in os.environ:
        with Path(os.environ[VARIABLE]).open("a") as file:
            file.write(json.dumps(measured) + "\n")


def compared(*, frames: int, values: int, size: int, cycles: int) -> None:
    """Frames that were compared with the golden and equal: their values, bytes, and the cycles."""
    _append(frames=frames, values=values, bytes=size, cycles=cycles)


def sustained(values_per_cycle: float) -> None:
    """The rate that was measured without stalls, over several chunks."""
    _append(values_per_cycle=values_per_cycle)
