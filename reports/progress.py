# SPDX-License-Identifier: Apache-2.0
"""Markdown of what has changed since the baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import library
from reports.baselines import figures_of
from reports.table import NONE, number, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reports.baselines import Baseline, Figures
    from reports.summary import Entry

DIFFERENCE_COLUMNS = (
    ("configuration", "---"),
    (f"kGE, {library.NANGATE45.family}", "--:"),
    ("period, ns", "--:"),
    ("flip-flops", "--:"),
    ("memory, kbit", "--:"),
    ("ECP5, MHz", "--:"),
)


def change(was: float | None, now: float | None, digits: int = 0) -> str:
    """A figure that stayed, or both and their difference in percent."""
    if was == now:
        return number(now, digits)
    both = f"{number(was, digits)} to {number(now, digits)}"
    return f"{both}, {(now / was - 1) * 100:+.1f} %" if was and now is not None else both


def difference(was: Figures, now: Figures) -> tuple[str, ...]:
    """The cells of one configuration."""
    return (
        change(was.kge, now.kge, 2),
        change(was.period_ns, now.period_ns, 3),
        change(was.flipflops, now.flipflops),
        change(was.memory_bits / 1024, now.memory_bits / 1024, 1),
        change(was.ecp5_mhz, now.ecp5_mhz, 1),
    )


def differences(baseline: Baseline, entries: Sequence[Entry]) -> str:
    """The configurations that have other figures than in `baseline`, and how many there are."""
    now = {entry["config"]: figures_of(entry) for entry in entries}
    both = [name for name in now if name in baseline.figures]
    changed = [name for name in both if now[name] != baseline.figures[name]]
    rows = [(f"`{name}`", *difference(baseline.figures[name], now[name])) for name in changed]
    lists = {
        "New": [name for name in now if name not in baseline.figures],
        "Gone": [name for name in baseline.figures if name not in now],
    }
    lines = [f"{len(changed)} of {len(both)} configurations have other figures than then.\n"]
    if rows:
        lines += ["\n", table(DIFFERENCE_COLUMNS, rows)]
    for what, names in lists.items():
        if names:
            listed = ",\n".join(f"`{name}`" for name in names)
            lines.append(f"\n{what}: {listed}.\n")
    return "".join(lines)


def history(baselines: Sequence[Baseline], tops: Sequence[Entry]) -> str:
    """Area, period and frequency of encoders and decoders in every baseline and now."""
    times = [baseline.figures for baseline in baselines]
    times.append({entry["config"]: figures_of(entry) for entry in tops})
    names = [entry["config"] for entry in tops]
    columns = (
        ("configuration", "---"),
        *((f"{name}: kGE, ns, MHz", "--:") for name in (*(b.name for b in baselines), "now")),
    )
    rows = [(f"`{name}`", *(moment(time.get(name)) for time in times)) for name in names]
    return table(columns, rows)


def moment(figures: Figures | None) -> str:
    """The cell of one configuration at one time."""
    if figures is None:
        return NONE
    return ", ".join(
        (number(figures.kge, 2), number(figures.period_ns, 3), number(figures.ecp5_mhz, 1))
    )
