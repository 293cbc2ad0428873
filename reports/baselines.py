# SPDX-License-Identifier: Apache-2.0
"""Figures kept to tell later ones apart from: reports/baselines.csv, oldest first.

A baseline holds the figures of every configuration at a time that has a name. Lines are only ever
added (`python reports/build.py --baseline NAME`), so the file is the history.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from reports.summary import Entry

COLUMNS = ("baseline", "configuration", "kge", "period_ns", "flipflops", "memory_bits", "ecp5_mhz")


class BaselineError(Exception):
    """The file of baselines is malformed, or the name is taken."""


@dataclass(frozen=True)
class Figures:
    """What is kept of a configuration; area and period in Nangate45, `ecp5_mhz` of tops only."""

    kge: float
    period_ns: float
    flipflops: int
    memory_bits: int
    ecp5_mhz: float | None


@dataclass(frozen=True)
class Baseline:
    """Figures by configuration, under a name that says when they were so."""

    name: str
    figures: dict[str, Figures]

    def without_others(self, names: Collection[str]) -> Baseline:
        """This baseline with the configurations of `names` only."""
        kept = {name: each for name, each in self.figures.items() if name in names}
        return Baseline(self.name, kept)


def figures_of(entry: Entry) -> Figures:
    """What a baseline keeps of an entry."""
    return Figures(
        kge=entry["kge"],
        period_ns=entry["period_ns"],
        flipflops=entry["flipflops"],
        memory_bits=entry["memory_bits"],
        ecp5_mhz=entry["ecp5_mhz"],
    )


def read(path: Path) -> list[Baseline]:
    """The baselines of a file, oldest first; none if there is no file.

    Raises:
        BaselineError: A line does not read as one.
    """
    found: dict[str, Baseline] = {}
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        if tuple(next(lines, ())) != COLUMNS:
            message = f"{path}: the first line is not {','.join(COLUMNS)}"
            raise BaselineError(message)
        for line in lines:
            try:
                name, configuration, kge, period, flipflops, memory, mhz = line
                figures = Figures(
                    kge=float(kge),
                    period_ns=float(period),
                    flipflops=int(flipflops),
                    memory_bits=int(memory),
                    ecp5_mhz=float(mhz) if mhz else None,
                )
            except ValueError as malformed:
                message = f"{path}, line {lines.line_num}: {malformed}"
                raise BaselineError(message) from malformed
            found.setdefault(name, Baseline(name, {})).figures[configuration] = figures
    return list(found.values())


def add(path: Path, name: str, entries: Sequence[Entry]) -> None:
    """Add a baseline of `entries` to the file, which is made if there is none.

    Raises:
        BaselineError: There is one of that name.
    """
    known = read(path)
    if name in (baseline.name for baseline in known):
        message = f"{path} has a baseline {name}: take another name"
        raise BaselineError(message)
    with path.open("a", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        if not known:
            lines.writerow(COLUMNS)
        for entry in entries:
            now = figures_of(entry)
            mhz = "" if now.ecp5_mhz is None else now.ecp5_mhz
            lines.writerow(
                (name, entry["config"], now.kge, now.period_ns, now.flipflops, now.memory_bits, mhz)
            )
