# SPDX-License-Identifier: Apache-2.0
"""The cell library: what is read of a Liberty file, and areas from it."""

from pathlib import Path

import pytest

from reports import library
from reports.library import Library
from reports.toolrun import ToolError

LIBERTY = """\
library (small) {
  area : 99;
  cell (NAND2_X1) {
    area : 0.5;
    pin (A) { direction : input; }
  }
  cell (DFF_X1) {
    area : 3.0;
    ff ("IQ", "IQN") { clocked_on : "CK"; }
  }
  cell ("DLH_X1") {
    area : 2.0;
    latch ("IQ", "IQN") { enable : "G"; }
  }
}
"""


@pytest.fixture
def small() -> Library:
    return Library(path=Path("small.lib"), sha256="0" * 64, cells=library.parse(LIBERTY))


def test_cells_are_read_with_their_kind(small: Library) -> None:
    assert small.cells == {
        "NAND2_X1": library.Cell(area=0.5, is_flip_flop=False, is_latch=False),
        "DFF_X1": library.Cell(area=3.0, is_flip_flop=True, is_latch=False),
        "DLH_X1": library.Cell(area=2.0, is_flip_flop=False, is_latch=True),
    }


def test_area_is_in_nand2_equivalents(small: Library) -> None:
    counts = {"NAND2_X1": 3, "DFF_X1": 2}
    assert small.gate_equivalents(counts) == pytest.approx(3 + 2 * 6)
    assert small.flip_flops(counts) == 2


def test_foreign_cells_and_latches_are_refused(small: Library) -> None:
    with pytest.raises(ToolError, match=r"\$_AND_, which is no cell"):
        small.gate_equivalents({"$_AND_": 1})
    with pytest.raises(ToolError, match="has a latch, DLH_X1"):
        small.gate_equivalents({"DLH_X1": 1})


def test_incomplete_library_is_refused() -> None:
    with pytest.raises(ToolError, match="no cell DFF_X1"):
        library.parse(LIBERTY.replace("DFF_X1", "DFFR_X1"))
    with pytest.raises(ToolError, match="DFF_X1 of the library has no area"):
        library.parse(LIBERTY.replace("area : 3.0;", ""))


def test_installed_library_is_the_one_described() -> None:
    found = library.find()
    text = found.path.read_text(encoding="utf-8")
    assert found.unit_area == pytest.approx(0.798)
    assert found.cells[library.FLIP_FLOP].is_flip_flop
    assert found.cells["DLH_X1"].is_latch
    assert {library.DRIVING_CELL, library.TIE_HIGH, library.TIE_LOW} <= found.cells.keys()
    assert f'default_wire_load : "{library.WIRE_LOAD}"' in text
    assert "nom_voltage             \t\t: 1.10" in text
