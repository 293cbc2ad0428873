# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reports.summary import Entry

AREA_COLUMNS = (
    ("configuration", "---"),
    ("kGE", "--:"),
    ("flip-flops", "--:"),
    ("memory, kbit", "--:"),
    ("period, ns", "--:"),
    ("set by the path", "---"),
    ("values a cycle", "--:"),
    ("Gbit/s", "--:"),
)
FPGA_COLUMNS = (
    ("configuration", "---"),
    ("LUT", "--:"),
    ("FF", "--:"),
    ("DSP", "--:"),
    ("BRAM, 36 kbit", "--:"),
    ("ECP5, MHz", "--:"),
    ("each seed", "---"),
)
MEMORY_COLUMNS = (
    ("configuration", "---"),
    ("memory", "---"),
    ("words", "--:"),
    ("bits", "--:"),
    ("ports, read + write", "--:"),
)
PATH_ENDS = ("register", "memory", "input", "output")
NONE = "-"


def number(value: float | None, digits: int = 0) -> str:
    """A figure with a fixed count of decimals, or a dash."""
    return NONE if value is None else f"{value:,.{digits}f}"


def plain(value: float | None) -> str:
    """A figure without trailing zeros, or a dash."""
    return NONE if value is None else f"{value:g}"


def table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table.

    Args:
        columns: Heading and alignment of each column.
        rows: Cells of each row.
    """
    heads = [[head for head, _ in columns], [rule for _, rule in columns]]
    return "".join(f"| {' | '.join(row)} |\n" for row in [*heads, *rows])


def area(entries: Sequence[Entry]) -> str:
    """Area, period and throughput in the cell library."""
    rows = [
        (
            f"`{entry['config']}`",
            number(entry["kge"], 2),
            number(entry["flipflops"]),
            number(entry["memory_bits"] / 1024, 1),
            number(entry["period_ns"], 3),
            entry["worst_path"],
            number(entry["values_per_cycle"], 3),
            number(entry["gbit_per_s"], 1),
        )
        for entry in entries
    ]
    return table(AREA_COLUMNS, rows)


def fpga(entries: Sequence[Entry]) -> str:
    """FPGA resources and frequency."""
    rows = [
        (
            f"`{entry['config']}`",
            number(entry["xcup"]["lut"]),
            number(entry["xcup"]["ff"]),
            number(entry["xcup"]["dsp"]),
            plain(entry["xcup"]["bram"]),
            number(entry["ecp5_mhz"], 1),
            ", ".join(number(mhz, 1) for mhz in entry["ecp5_mhz_seeds"] or ()) or NONE,
        )
        for entry in entries
    ]
    return table(FPGA_COLUMNS, rows)


def memory(entries: Sequence[Entry]) -> str:
    """The memories that area leaves out."""
    rows = [
        (
            f"`{entry['config']}`",
            f"`{memory['name']}`",
            number(memory["depth"]),
            number(memory["width"]),
            f"{memory['reads']} + {memory['writes']}",
        )
        for entry in entries
        for memory in entry["memories"]
    ]
    return table(MEMORY_COLUMNS, rows)


def trials(entries: Sequence[Entry], scripts: Sequence[str]) -> str:
    """Area and period of every netlist; the one reported is bold."""
    heads = [(f"{script}: kGE, ns", "--:") for script in scripts]
    rows = []
    for entry in entries:
        cells = [f"`{entry['config']}`"]
        for script in scripts:
            trial = entry["trials"][script]
            figures = f"{number(trial['kge'], 2)}, {number(trial['period_ns'], 3)}"
            cells.append(f"**{figures}**" if script == entry["abc_script"] else figures)
        rows.append(cells)
    return table([("configuration", "---"), *heads], rows)


def paths(entries: Sequence[Entry]) -> str:
    """Shortest period by kind of path, for the kinds that any entry has."""
    kinds = [
        f"{start} to {stop}"
        for start in PATH_ENDS
        for stop in PATH_ENDS
        if any(f"{start} to {stop}" in entry["paths_ns"] for entry in entries)
    ]
    columns = (("configuration", "---"), *((kind, "--:") for kind in kinds))
    rows = [
        (f"`{entry['config']}`", *(number(entry["paths_ns"].get(kind), 3) for kind in kinds))
        for entry in entries
    ]
    return table(columns, rows)
