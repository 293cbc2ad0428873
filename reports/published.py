# SPDX-License-Identifier: Apache-2.0
"""Hardware of others, as published: reports/published.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("published.toml")


@dataclass(frozen=True)
class Design:
    """What a publication says; None where it says nothing. Fields as in the file."""

    name: str
    source: str
    role: str
    codes: str
    process: str
    kge: float | None = None
    bits_per_cycle: float | None = None
    gbit_per_s: float | None = None


def read(path: Path = PATH) -> list[Design]:
    """The designs, in the order of the file.

    Raises:
        TypeError: A field is missing or unknown.
    """
    with path.open("rb") as file:
        return [Design(**fields) for fields in tomllib.load(file).values()]
