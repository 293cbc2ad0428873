# SPDX-License-Identifier: Apache-2.0
"""The cell library: what is read of a Liberty file, and areas from it."""

from pathlib import Path

import pytest

from reports import debian, library
from reports.library import NANGATE45, OSU018, Library
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
    return Library(NANGATE45, Path("small.lib"), "0" * 64, library.parse(LIBERTY, NANGATE45))


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
        library.parse(LIBERTY.replace("DFF_X1", "DFFR_X1"), NANGATE45)
    with pytest.raises(ToolError, match="DFF_X1 of the library has no area"):
        library.parse(LIBERTY.replace("area : 3.0;", ""), NANGATE45)


def test_nangate45_is_the_library_described() -> None:
    found = library.nangate45()
    text = found.path.read_text(encoding="utf-8")
    assert found.unit_area == pytest.approx(0.798)
    assert found.cells[NANGATE45.flip_flop].is_flip_flop
    assert found.cells["DLH_X1"].is_latch
    assert {NANGATE45.driving_cell, *(NANGATE45.ties or ())} <= found.cells.keys()
    assert f'default_wire_load : "{library.WIRE_LOAD}"' in text
    assert "nom_voltage             \t\t: 1.10" in text


def test_osu018_is_the_library_described(osu018: Library) -> None:
    flip_flop = osu018.cells[OSU018.flip_flop]
    assert (osu018.unit_area, flip_flop.area) == (
        library.OSU018_UNIT_UM2,
        library.OSU018_FLIP_FLOP_UM2,
    )
    assert flip_flop.is_flip_flop
    assert osu018.gate_equivalents({OSU018.flip_flop: 1}) == 4
    assert osu018.cells["LATCH"].is_latch
    assert OSU018.driving_cell in osu018.cells


def test_another_file_than_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / library.OSU018_LIBERTY
    file.parent.mkdir(parents=True)
    file.write_text(LIBERTY.replace("NAND2_X1", "NAND2X1").replace("DFF_X1", "DFFPOSX1"))
    monkeypatch.setattr(debian, "unpacked", lambda _package, _folder: tmp_path)
    with pytest.raises(ToolError, match="has SHA-256"):
        library.osu018(tmp_path)
    file.unlink()
    with pytest.raises(ToolError, match=r"delete .* to fetch it anew"):
        library.osu018(tmp_path)
