# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.chart import role
from reports.library import NANGATE45, OSU018
from reports.throughput import bits_per_cycle, rates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reports.published import Design
    from reports.summary import Entry

AREA_COLUMNS = (
    ("configuration", "---"),
    (f"kGE, {NANGATE45.family}", "--:"),
    (f"kGE, {OSU018.family}", "--:"),
    ("flip-flops", "--:"),
    ("memory, kbit", "--:"),
    ("period, ns", "--:"),
    ("set by the path", "---"),
    ("values a cycle", "--:"),
    ("Gbit/s", "--:"),
)
THROUGHPUT_COLUMNS = (
    ("configuration", "---"),
    ("memory, bits", "--:"),
    (f"{NANGATE45.family}, MHz", "--:"),
    ("in, Gbit/s", "--:"),
    ("out, Gbit/s", "--:"),
    ("Gbit/s of values per kGE", "--:"),
    ("ECP5, MHz", "--:"),
    ("in, Gbit/s", "--:"),
    ("out, Gbit/s", "--:"),
)
PUBLISHED_COLUMNS = (
    ("design", "---"),
    ("process", "---"),
    ("kGE", "--:"),
    ("bits a cycle", "--:"),
    ("bits a cycle per kGE", "--:"),
    ("Gbit/s", "--:"),
    ("Gbit/s per kGE", "--:"),
)
FPGA_COLUMNS = (
    ("configuration", "---"),
    ("LUT", "--:"),
    ("FF", "--:"),
    ("DSP", "--:"),
    ("BRAM, 36 kbit", "--:"),
    ("ECP5, MHz", "--:"),
    ("spread", "--:"),
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
            number(entry["kge_osu018"], 2),
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


def throughput(entries: Sequence[Entry], worst: Mapping[str, float]) -> str:
    """What enters and leaves encoders and decoders, at the library's and the FPGA's clock."""
    rows = []
    for entry in entries:
        cells = [f"`{entry['config']}`", number(entry["memory_bits"])]
        for mhz in (1000 / entry["period_ns"], entry["ecp5_mhz"]):
            both = rates(entry, mhz, worst)
            sides = (both.into, both.out) if both else (None, None)
            cells += [number(mhz), *(number(side, 1) for side in sides)]
        cells.insert(5, number(ratio(entry["gbit_per_s"], entry["kge"]), 2))
        rows.append(cells)
    return table(THROUGHPUT_COLUMNS, rows)


def published(designs: Sequence[Design], entries: Sequence[Entry], kind: str) -> str:
    """Designs of others, and of this project, that are all encoders or all decoders."""
    rows = [
        (
            f"{design.name}: {design.codes}",
            design.process,
            plain(design.kge),
            plain(design.bits_per_cycle),
            number(ratio(design.bits_per_cycle, design.kge), 2),
            plain(design.gbit_per_s),
            number(ratio(design.gbit_per_s, design.kge), 2),
        )
        for design in designs
        if design.role == kind
    ]
    rows += [
        (
            f"`{entry['config']}`",
            NANGATE45.family,
            number(entry["kge"], 1),
            number(bits_per_cycle(entry), 1),
            number(ratio(bits_per_cycle(entry), entry["kge"]), 2),
            number(entry["gbit_per_s"], 1),
            number(ratio(entry["gbit_per_s"], entry["kge"]), 2),
        )
        for entry in entries
        if role(entry["config"]) == kind
    ]
    return table(PUBLISHED_COLUMNS, rows)


def ratio(over: float | None, under: float | None) -> float | None:
    """A quotient of two figures, or None when one is not known."""
    return None if over is None or under is None else over / under


def spread(figures: Sequence[float] | None) -> float | None:
    """Largest less smallest figure, or None without any."""
    return None if figures is None else max(figures) - min(figures)


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
            number(spread(entry["ecp5_mhz_seeds"]), 1),
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
