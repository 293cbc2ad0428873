# SPDX-License-Identifier: Apache-2.0
"""What simulation.py tells the process of a simulation, and what that process reports back."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

from reference.profile import PROFILES, Profile

from hls.configuration import Configuration, find
from hls.point import MOST_PAIRS, POINT, NumberFormat, Tables

CONFIGURATION, FULL, MEASURES = "COSIM_CONFIGURATION", "COSIM_FULL", "COSIM_MEASURES"


@cache  # benches ask word by word
def configuration() -> Configuration:
    """The configuration that is simulated."""
    return find(os.environ[CONFIGURATION])


def codec() -> tuple[NumberFormat, Tables]:
    """Number format and tables of a configuration that has both."""
    fmt, tables = configuration().codec
    return fmt, tables.tables


def width() -> int:
    """Items of a group, where the configuration moves groups."""
    return configuration().parameters.get("width", 1)


def runs() -> bool:
    """Whether the configuration has known runs."""
    return bool(configuration().parameters.get("runs"))


def loadable() -> bool:
    """Whether the configuration's tables are written over a port."""
    return bool(configuration().parameters.get("loadable"))


def profile(of: Configuration | None = None) -> Profile:
    """What a configuration, that of the simulation unless another is named, writes."""
    parameters = (of or configuration()).parameters
    return replace(
        PROFILES[POINT.profile],
        known_pairs=MOST_PAIRS if parameters.get("runs") else 0,
        trailing=8 if parameters.get("trailing") else 0,
        step=parameters.get("stride", 1),
    )


def full() -> bool:
    """Whether the run is to be thorough; quick unless a simulation is told so."""
    return os.environ.get(FULL) == "1"


def seed() -> int:
    """The seed that the run was given."""
    return int(os.environ["COCOTB_RANDOM_SEED"])


def report_compared(*, frames: int, values: int, size: int, cycles: int) -> None:
    """Frames that were compared with the golden and equal: their values, bytes, and the cycles."""
    _report(frames=frames, values=values, bytes=size, cycles=cycles)


def report_sustained(values_per_cycle: float) -> None:
    """The rate that was measured without stalls, over several chunks."""
    _report(values_per_cycle=values_per_cycle)


def _report(**measured: float) -> None:
    with Path(os.environ[MEASURES]).open("a") as file:
        file.write(json.dumps(measured) + "\n")
