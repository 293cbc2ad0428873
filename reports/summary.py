# SPDX-License-Identifier: Apache-2.0
"""The committed measurements, reports/summary.json: its fields, its text, what is reused of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypedDict

from reports.fpga import Resources
from reports.memories import Memory

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 2


class Trial(TypedDict):
    """Area and period of the netlist that one abc script made."""

    kge: float
    period_ns: float


class Cells(TypedDict):
    """Area and timing in the cell library; periods in nanoseconds.

    All but `trials` is of the netlist of `abc_script`, the smallest that meets the period.
    """

    abc_script: str
    trials: dict[str, Trial]
    kge: float
    flipflops: int
    period_ns: float
    worst_path: str
    paths_ns: dict[str, float]
    memory_bits: int
    memories: list[Memory]


class Entry(Cells):
    """One configuration, measured.

    `kge` and `flipflops` exclude `memories` and are of `library`; `kge_osu018` is the area of what
    the same script makes of OSU018; `ecp5_mhz` is the median of `ecp5_mhz_seeds`, both
    None where place and route was not run; `gbit_per_s` counts uncompressed bits at `period_ns`,
    None for a block without a throughput.
    """

    config: str
    block: str
    top: bool
    width: int
    dtype: str | None
    rtl_sha256: str
    library: str
    kge_osu018: float
    xcup: Resources
    ecp5_mhz: float | None
    ecp5_mhz_seeds: list[float] | None
    values_per_cycle: float | None
    bits_per_value: int | None
    gbit_per_s: float | None


class LibraryFacts(TypedDict):
    """A cell library and where it comes from; areas in square micrometres."""

    name: str
    source: str
    sha256: str
    corner: str
    unit_cell: str
    unit_area_um2: float
    flip_flop_ge: float
    abc_target_ps: int


class Constraints(TypedDict):
    """What the timing analysis assumes around a design; times in nanoseconds."""

    input_ns: float
    output_ns: float
    memory_clock_to_output_ns: float
    memory_setup_ns: float
    driving_cell: str
    output_load_ff: float
    wire_load: str
    abc_scripts: dict[str, str]


class Header(TypedDict):
    """How every entry was measured; `recipes` are digests of tools and scripts by step."""

    schema: int
    tools: dict[str, str]
    library: LibraryFacts
    second_library: LibraryFacts
    constraints: Constraints
    memory_threshold_bits: int
    ecp5_device: str
    ecp5_seeds: list[int]
    recipes: dict[str, str]


class Summary(TypedDict):
    """The whole file; entries by configuration name."""

    header: Header
    entries: list[Entry]


class SummaryError(Exception):
    """The summary is missing or malformed."""


def to_text(summary: Summary) -> str:
    """Canonical JSON: sorted keys, one item a line, no time and no place."""
    return json.dumps(summary, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read(path: Path) -> Summary:
    """Read a summary.

    Raises:
        SummaryError: The file is missing, not JSON, or of another schema.
    """
    try:
        summary: Summary = json.loads(path.read_text(encoding="utf-8"))
        schema = summary["header"]["schema"]
        names = [entry["config"] for entry in summary["entries"]]
    except (OSError, ValueError, KeyError, TypeError) as unreadable:
        message = f"{path} cannot be read: {unreadable!r}"
        raise SummaryError(message) from unreadable
    if schema != SCHEMA or names != sorted(set(names)):
        message = f"{path} has schema {schema}, not {SCHEMA}, or entries out of order"
        raise SummaryError(message)
    return summary


def reusable(
    summary: Summary | None, step: str, recipe: str, config: str, sha256: str
) -> Entry | None:
    """Entry whose `step` still holds: same RTL, and the step done by the same recipe."""
    if summary is None or summary["header"]["recipes"].get(step) != recipe:
        return None
    for entry in summary["entries"]:
        if entry["config"] == config and entry["rtl_sha256"] == sha256:
            return entry
    return None
