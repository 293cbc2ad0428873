# SPDX-License-Identifier: Apache-2.0
"""The ports of a simulation, cycle by cycle, as an SVG drawing.

Read from a value change dump (IEEE 1364). Cycles in which nothing shown changes are cut out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

LEFT, TOP, STEP, ROW, HIGH = 118, 30, 60, 26, 16
QUIET = 1  # cycles without a change that are shown on either side of a cut
INK, DIM, FILL = "#1f2933", "#66727f", "#e8f0fe"
MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

VARIABLE = re.compile(r"\$var\s+\w+\s+(\d+)\s+(\S+)\s+(\w+)")
CHANGE = re.compile(r"^(?:b([01xz]+) (\S+)|([01xz])(\S+))$")


@dataclass(frozen=True)
class Trace:
    """A signal: its bits, and in each cycle its value just before the rising edge, None if x.

    begins: cycles in which another word is shown, though it may be the same.
    """

    name: str
    bits: int
    values: tuple[int | None, ...]
    begins: frozenset[int] = frozenset()


def read(dump: str, names: Sequence[str], clock: str = "clk") -> list[Trace]:
    """Sample signals of a dump at each rising edge of the clock.

    Raises:
        KeyError: the dump has no such signal.
    """
    found = {name: (code, int(bits)) for bits, code, name in VARIABLE.findall(dump)}
    now: dict[str, int | None] = {code: None for code, _ in found.values()}
    sampled: list[list[int | None]] = [[] for _ in names]
    codes = [found[name][0] for name in names]
    changes = []  # at one time
    for line in dump.partition("$enddefinitions")[2].splitlines():
        match = CHANGE.match(line)
        if match:
            digits, code = match[1] or match[3], match[2] or match[4]
            changes.append((code, int(digits, 2) if set(digits) <= {"0", "1"} else None))
        elif line.startswith("#"):
            settle(now, changes, found[clock][0], codes, sampled)
            changes = []
    settle(now, changes, found[clock][0], codes, sampled)
    return [
        Trace(name, found[name][1], tuple(values))
        for name, values in zip(names, sampled, strict=True)
    ]


def settle(
    now: dict[str, int | None],
    changes: Sequence[tuple[str, int | None]],
    clock: str,
    codes: Sequence[str],
    sampled: Sequence[list[int | None]],
) -> None:
    """Sample if the clock rises in these changes, then make them."""
    if (clock, 1) in changes and now[clock] == 0:
        for code, values in zip(codes, sampled, strict=True):
            values.append(now[code])
    now.update(changes)


def shown(traces: Sequence[Trace]) -> list[int]:
    """The cycles to draw: those near one in which a port changes or another word is shown."""
    count = len(traces[0].values)
    rows = [tuple(trace.values[i] for trace in traces) for i in range(count)]
    begins = {i for trace in traces for i in trace.begins}
    lively = [i for i in range(1, count) if rows[i] != rows[i - 1] or i in begins]
    keep = {j for i in lively for j in range(i - QUIET, i + QUIET)}
    first, last = lively[0] - 1, lively[-1] + 1
    return [i for i in range(count) if i in keep and first <= i <= last]


def render(title: str, traces: Sequence[Trace]) -> str:
    """The drawing."""
    cycles = shown(traces)
    width = LEFT + STEP * len(cycles) + 12
    height = TOP + ROW * len(traces) + 12
    parts = [*(number(i, at, cycles) for at, i in enumerate(cycles))]
    for row, trace in enumerate(traces):
        y = TOP + ROW * row
        parts.append(words(LEFT - 10, y + 12, trace.name, "end", INK))
        draw = bit if trace.bits == 1 else bus
        parts += draw(trace, cycles, y)
    parts += [cut(at, height) for at in range(1, len(cycles)) if cycles[at] != cycles[at - 1] + 1]
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="{MONO}" font-size="11">\n<title>{escape(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def words(x: float, y: float, text: str, anchor: str, fill: str) -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def number(cycle: int, at: int, cycles: Sequence[int]) -> str:
    """The cycle's number above its column, counted from the first that is drawn."""
    return words(LEFT + STEP * (at + 0.5), 16, str(cycle - cycles[0]), "middle", DIM)


def cut(at: int, height: int) -> str:
    """The mark where cycles are left out."""
    x = LEFT + STEP * at
    return (
        f'<rect x="{x - 3}" y="{TOP - 6}" width="6" height="{height - TOP}" fill="#ffffff"/>'
        f'<path d="M{x - 3} {TOP - 6}v{height - TOP}M{x + 3} {TOP - 6}v{height - TOP}" '
        f'stroke="{DIM}" stroke-dasharray="2 3"/>'
    )


def bit(trace: Trace, cycles: Sequence[int], y: int) -> list[str]:
    """A line that is low or high; nothing where the value is unknown."""
    path, level = "", None
    for at, cycle in enumerate(cycles):
        value, x = trace.values[cycle], LEFT + STEP * at
        if value is None:
            level = None
            continue
        new = y + (0 if value else HIGH)
        path += f"M{x} {new}" if level is None else f"V{new}" if new != level else ""
        path, level = f"{path}h{STEP}", new
    return [f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.4"/>'] if path else []


def bus(trace: Trace, cycles: Sequence[int], y: int) -> list[str]:
    """A box for each word, its value in hexadecimal; nothing where it is unknown."""
    parts, start, half = [], 0, HIGH // 2
    for at in range(1, len(cycles) + 1):
        here = trace.values[cycles[start]]
        same = at < len(cycles) and trace.values[cycles[at]] == here
        if same and cycles[at] not in trace.begins:
            continue
        x, end = LEFT + STEP * start, LEFT + STEP * at
        if here is not None:
            box = f"M{x} {y + half}l4 -{half}H{end - 4}l4 {half}l-4 {half}H{x + 4}z"
            parts.append(f'<path d="{box}" fill="{FILL}" stroke="{INK}" stroke-width="0.8"/>')
            digits = f"{here:0{-(-trace.bits // 4)}x}"
            parts.append(words((x + end) / 2, y + 12, digits, "middle", INK))
        start = at
    return parts
