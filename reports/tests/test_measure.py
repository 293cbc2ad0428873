# SPDX-License-Identifier: Apache-2.0
"""What is measured again and what is reused; the tools are counted, not run."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from threading import Thread

import pytest

from reports import fpga, sta, synth
from reports.cache import Cache, fingerprint
from reports.fpga import Resources
from reports.library import NANGATE45, OSU018, Cell, Library
from reports.manifest import Configuration
from reports.measure import Bench, alone_in, header
from reports.memories import Memory
from reports.sta import Timing
from reports.summary import Summary, read, to_text
from reports.synth import Logic, Netlist
from reports.toolrun import ToolError

CELLS = {"NAND2_X1": Cell(1, False, False), "DFF_X1": Cell(5.67, True, False)}
LIBRARY = Library(NANGATE45, Path("cells.lib"), "a" * 64, CELLS)
SECOND = Library(OSU018, Path("osu018.lib"), "b" * 64, {"NAND2X1": Cell(24, False, False)})


class Tools:
    """Stand-ins for the tools, which write down every start."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: list[str] = []
        self.periods = dict(zip(synth.SCRIPTS, (0.9, 0.76, 0.64, 0.6, 0.5), strict=True))
        monkeypatch.setattr(synth, "read_logic", self.read_logic)
        monkeypatch.setattr(synth, "map_to_cells", self.map_to_cells)
        monkeypatch.setattr(sta, "measure", self.time)
        monkeypatch.setattr(fpga, "resources", self.count)
        monkeypatch.setattr(fpga, "prepare", self.prepare)
        monkeypatch.setattr(fpga, "place_and_route", self.place_and_route)

    def read_logic(self, folder: Path, module: str, clock: str) -> Logic:
        self.started.append("osu018" if folder.name == "osu018" else "cells")
        assert (folder / f"{module}.v").exists()
        return Logic(
            folder, module, clock, [Memory(name="m", depth=64, width=32, reads=1, writes=1)]
        )

    def map_to_cells(self, logic: Logic, script: str, cells: Library) -> Netlist:
        path = logic.folder / f"{script}.v"
        kge = {"area": 11, "sparing": 12, "compact": 12.34567, "delay": 13, "balance": 20}[script]
        if cells is SECOND:
            kge *= 0.75
        return Netlist(path, logic.module, logic.clock, script, ("d",), ("q",), (), kge, 7)

    def time(self, netlist: Netlist, _cells: Library) -> Timing:
        period = self.periods[netlist.script]
        return Timing(period, "input to output", {"input to output": period})

    def count(self, _folder: Path, _module: str) -> Resources:
        self.started.append("xcup")
        return Resources(lut=1, ff=2, dsp=3, bram=4)

    def prepare(self, _folder: Path, _module: str, _clock: str) -> None:
        self.started.append("prepare")

    def place_and_route(self, _folder: Path, seed: int) -> float:
        self.started.append(f"seed {seed}")
        return 100.0 + (1 << seed)


ALL = ["cells", "prepare", *(f"seed {seed}" for seed in fpga.SEEDS), "osu018", "xcup"]


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Tools:
    return Tools(monkeypatch)


@pytest.fixture
def config(tmp_path: Path) -> Configuration:
    path = tmp_path / "gradient_enc_w1_fp32.v"
    path.write_text("module gradient_enc ...")
    return Configuration(
        name="gradient_enc_w1_fp32",
        block="gradient_enc",
        top=True,
        width=1,
        dtype="fp32",
        path=path,
        module="gradient_enc",
        sha256="5" * 64,
        clock="clk",
        memory_bits=2048,
        values_per_cycle=0.5,
        bits_per_value=32,
    )


@pytest.fixture
def bench(tmp_path: Path, summary: Summary) -> Bench:
    return Bench(
        cells=LIBRARY,
        osu018=lambda: SECOND,
        header=summary["header"],
        committed=None,
        cache=Cache(tmp_path / "cache"),
        work=tmp_path / "work",
        say=lambda _: None,
    )


def test_everything_is_measured_once(tools: Tools, bench: Bench, config: Configuration) -> None:
    entry = bench.entry(config, place_and_route=True)
    assert tools.started == ALL
    assert (entry["abc_script"], entry["kge"]) == ("compact", 12.346)  # the smallest in time
    assert entry["kge_osu018"] == 9.259  # of the same script
    assert entry["trials"]["balance"] == {"kge": 20.0, "period_ns": 0.5}
    assert entry["ecp5_mhz"] == 108.0  # the median, not the mean
    assert entry["ecp5_mhz_seeds"] == [102.0, 104.0, 108.0, 116.0, 132.0]
    assert entry["gbit_per_s"] == 25  # .5 values of 32 bits in .64 ns
    assert bench.entry(config, place_and_route=True) == entry
    assert tools.started == ALL


def test_the_fastest_is_reported_if_all_are_late(
    tools: Tools, bench: Bench, config: Configuration
) -> None:
    tools.periods |= dict.fromkeys(synth.SCRIPTS, 0.8) | {"delay": 0.76}
    entry = bench.entry(config, place_and_route=False)
    assert (entry["abc_script"], entry["period_ns"]) == ("delay", 0.76)


def test_changed_rtl_is_measured_again(tools: Tools, bench: Bench, config: Configuration) -> None:
    bench.entry(config, place_and_route=True)
    bench.entry(dataclasses.replace(config, sha256="6" * 64), place_and_route=True)
    assert tools.started == ALL + ALL


@pytest.mark.parametrize("step", ["cells", "osu018", "xcup", "ecp5"])
def test_changed_recipe_repeats_its_step(
    tools: Tools, bench: Bench, config: Configuration, step: str
) -> None:
    bench.entry(config, place_and_route=True)
    tools.started.clear()
    header = copy.deepcopy(bench.header)
    header["recipes"][step] = "another"
    dataclasses.replace(bench, header=header).entry(config, place_and_route=True)
    assert tools.started == (ALL[1:-2] if step == "ecp5" else [step])


def test_committed_entry_is_reused_until_it_is_stale(
    tools: Tools, bench: Bench, config: Configuration, tmp_path: Path
) -> None:
    entry = bench.entry(config, place_and_route=True)
    tools.started.clear()
    committed = Summary(header=bench.header, entries=[entry])
    fresh = dataclasses.replace(bench, committed=committed, cache=Cache(tmp_path / "empty"))
    assert fresh.entry(config, place_and_route=True) == entry
    assert tools.started == []
    fresh.entry(dataclasses.replace(config, sha256="6" * 64), place_and_route=True)
    assert tools.started == ALL


def test_contract_is_never_reused(tools: Tools, bench: Bench, config: Configuration) -> None:
    bench.entry(config, place_and_route=True)
    faster = dataclasses.replace(config, values_per_cycle=1.0)
    assert bench.entry(faster, place_and_route=True)["gbit_per_s"] == 50
    assert tools.started == ALL


def test_interrupted_place_and_route_goes_on(
    tools: Tools, bench: Bench, config: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_at_3(_folder: Path, seed: int) -> float:
        if seed == 3:
            message = "interrupted"
            raise ToolError(message)
        return tools.place_and_route(_folder, seed)

    monkeypatch.setattr(fpga, "place_and_route", fail_at_3)
    with pytest.raises(ToolError, match="interrupted"):
        bench.entry(config, place_and_route=True)
    assert tools.started == ["cells", "prepare", "seed 1", "seed 2"]
    monkeypatch.setattr(fpga, "place_and_route", tools.place_and_route)
    tools.started.clear()
    bench.entry(config, place_and_route=True)
    assert tools.started == ["prepare", "seed 3", "seed 4", "seed 5", "osu018", "xcup"]


def test_no_place_and_route_when_fast_or_when_no_top(
    tools: Tools, bench: Bench, config: Configuration
) -> None:
    block = dataclasses.replace(config, top=False)
    for entry in (
        bench.entry(config, place_and_route=False),
        bench.entry(block, place_and_route=True),
    ):
        assert (entry["ecp5_mhz"], entry["ecp5_mhz_seeds"]) == (None, None)
    assert tools.started == ["cells", "osu018", "xcup"]


def test_memory_that_became_registers_is_an_error(
    tools: Tools, bench: Bench, config: Configuration
) -> None:
    other = dataclasses.replace(config, memory_bits=4096)
    with pytest.raises(ToolError, match=r"2048 bits of memory found \(m 64x32\), 4096 in the man"):
        bench.entry(other, place_and_route=True)
    assert tools.started == ["cells"]


def test_two_runs_do_not_share_a_folder(
    tools: Tools, bench: Bench, config: Configuration, tmp_path: Path
) -> None:
    folder = tmp_path / "work" / config.name
    with alone_in(folder):
        other = Thread(target=bench.entry, args=(config,), kwargs={"place_and_route": True})
        other.start()
        other.join(timeout=0.2)
        assert other.is_alive()
        assert tools.started == []
    other.join(timeout=60)
    assert tools.started == ALL


def test_damaged_cache_is_measured_again(
    tools: Tools, bench: Bench, config: Configuration, tmp_path: Path
) -> None:
    bench.entry(config, place_and_route=True)
    for file in (tmp_path / "cache").iterdir():
        file.write_text("{")
    bench.entry(config, place_and_route=True)
    assert tools.started == ALL + ALL


def test_recipes_hold_what_results_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def recipes() -> list[str]:
        mapped = [fingerprint(synth.recipe(kit)) for kit in (NANGATE45, OSU018)]
        return [*mapped, fingerprint(sta.recipe()), fingerprint(fpga.ecp5_recipe())]

    before = recipes()
    monkeypatch.setattr(synth, "MAP", synth.MAP + "# changed\n")
    monkeypatch.setattr(sta, "MEMORY_CLOCK_TO_OUTPUT_NS", 0.4)
    monkeypatch.setattr(fpga, "NEXTPNR_GOAL", ("--freq", "100"))
    assert all(old != new for old, new in zip(before, recipes(), strict=True))


def test_second_area_depends_on_how_the_first_was_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sta, "tool_version", lambda: "1")
    before = header(LIBRARY)["recipes"]
    monkeypatch.setattr(sta, "INPUT_NS", 0.2)  # another script may be best then
    after = header(LIBRARY)["recipes"]
    assert before["osu018"] != after["osu018"]
    assert before["xcup"] == after["xcup"]


def test_second_library_is_not_touched_while_its_areas_are_known(
    tools: Tools, bench: Bench, config: Configuration
) -> None:
    entry = bench.entry(config, place_and_route=True)

    def missing() -> Library:
        message = "not to be had"
        raise ToolError(message)

    offline = dataclasses.replace(bench, osu018=missing)
    assert offline.entry(config, place_and_route=True) == entry
    with pytest.raises(ToolError, match="not to be had"):
        offline.entry(dataclasses.replace(config, sha256="6" * 64), place_and_route=True)


def test_summary_text_is_canonical(summary: Summary, tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(to_text(summary))
    assert read(path) == summary
    assert to_text(read(path)) == path.read_text()
