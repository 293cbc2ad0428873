# SPDX-License-Identifier: Apache-2.0
"""The command, with the real tools, on a design of a few gates."""

import dataclasses
import hashlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from reports import baselines, build, fpga, library, manifest, sta, summary
from reports.library import Library
from reports.manifest import Configuration
from reports.toolrun import ToolError

VERILOG = """\
module parity (input clk, input [31:0] d, output reg q);
always @(posedge clk) q <= ^d;
endmodule
"""
BUDGET = """\
[parity_w1]
kge = 1
flipflops = 1
period_ns = 1
memory_bits = 0
reason = "a register behind 31 gates"
"""
needs_opensta = pytest.mark.skipif(
    shutil.which(sta.PROGRAM) is None, reason="OpenSTA is not installed (apt-get install opensta)"
)


@pytest.fixture
def second_library(osu018: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second library, from where the other tests have it."""
    monkeypatch.setattr(library, "osu018", lambda _folder: osu018)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rtl/, budgets.toml and a build folder of its own."""
    monkeypatch.setattr(build, "BUILD", tmp_path / "build")
    monkeypatch.setattr(build, "PARTIAL", tmp_path / "build" / "reports")
    (tmp_path / "budgets.toml").write_text(BUDGET)
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "parity_w1.v").write_text(VERILOG)
    config = {
        "block": "parity",
        "top": True,
        "width": 1,
        "dtype": "fp32",
        "file": "parity_w1.v",
        "module": "parity",
        "sha256": hashlib.sha256(VERILOG.encode()).hexdigest(),
        "contract": {"values_per_cycle": 1, "bits_per_value": 32},
        "memory_bits": 0,
        "clock": "clk",
    }
    manifest = json.dumps({"configs": {"parity_w1": config}})
    (tmp_path / "rtl" / "MANIFEST.json").write_text(manifest)
    return tmp_path


def run(place: Path, *more: str) -> int:
    """Run the command on the folder, without place and route."""
    given = ["--fast", "--rtl", str(place / "rtl"), "--budgets", str(place / "budgets.toml")]
    return build.main([*given, *more])


@needs_opensta
@pytest.mark.usefixtures("second_library")
def test_report_is_written_and_repeatable(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place) == 0
    assert "parity_w1: cells" in capsys.readouterr().out
    out = place / "build" / "reports"
    (entry,) = summary.read(out / "summary.json")["entries"]
    assert entry["flipflops"] == 1
    assert 0.05 < entry["kge"] < 0.12  # 31 exclusive ors and a flip-flop
    assert entry["worst_path"] == "input to register"
    assert 0.05 < entry["kge_osu018"] < 0.12
    assert 7 <= entry["xcup"]["lut"] <= 11  # 32 inputs, 6 a LUT at best
    assert entry["ecp5_mhz"] is None
    assert entry["gbit_per_s"] == round(32 / entry["period_ns"], 2)
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {"summary.json", "README.md", "area_throughput.svg"}
    assert not any(str(place).encode() in content for content in first.values())

    shutil.rmtree(place / "build" / "reports-cache")
    assert run(place, "--out", str(place / "again")) == 0
    assert {path.name: path.read_bytes() for path in (place / "again").iterdir()} == first


@needs_opensta
@pytest.mark.usefixtures("second_library")
def test_exceeded_budget_fails_after_writing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "budgets.toml").write_text(BUDGET.replace("kge = 1\n", "kge = 0.01\n"))
    assert run(place) == 1
    assert "parity_w1: kge is 0." in capsys.readouterr().err
    assert (place / "build" / "reports" / "summary.json").exists()


@needs_opensta
@pytest.mark.usefixtures("second_library")
def test_baseline_is_kept_under_its_name(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = place / "reports"
    shutil.copytree(build.REPORTS, reports, ignore=shutil.ignore_patterns("*.csv", "tests"))
    monkeypatch.setattr(build, "REPORTS", reports)
    monkeypatch.setattr(fpga, "place_and_route", lambda _folder, seed: 100.0 + seed)
    given = ["--rtl", str(place / "rtl"), "--budgets", str(place / "budgets.toml")]
    assert build.main([*given, "--baseline", "the start"]) == 0
    assert "*the start*: 0 of 1 configurations" in (reports / "README.md").read_text()
    (baseline,) = baselines.read(reports / "baselines.csv")
    assert baseline.figures["parity_w1"].flipflops == 1
    assert baseline.figures["parity_w1"].ecp5_mhz == 103
    assert build.main([*given, "--baseline", "the start"]) == 1
    assert "take another name" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(place, "--baseline", "part")


class Benches:
    """A bench that only writes down what it is asked for, and fails at `broken`."""

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.asked: list[str] = []

    def entry(self, config: Configuration, *, place_and_route: bool) -> str:
        if self.broken in self.asked:
            time.sleep(0.1)  # a tool that runs while the error becomes known
        self.asked.append(config.name)
        if config.name == self.broken:
            message = f"{config.name} is broken"
            raise ToolError(message)
        return f"{config.name} {place_and_route}"


def test_entries_keep_their_order_and_an_error_ends_the_run(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    (top,) = manifest.read(place / "rtl")
    parts = [dataclasses.replace(top, name=name, top=False) for name in "abcdefgh"]
    benches: Any = Benches()
    wanted = [*parts[:4], top, *parts[4:]]
    entries: Any = build.measure(benches, wanted, place_and_route=True)
    assert entries == [f"{config.name} True" for config in wanted]
    assert benches.asked == ["parity_w1", *"abcdefgh"]  # what takes longest begins first

    broken: Any = Benches("parity_w1")
    with pytest.raises(ToolError, match="parity_w1 is broken"):
        build.measure(broken, wanted, place_and_route=True)
    assert "h" not in broken.asked


def test_unknown_configuration_names_those_there_are(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(place, "--only", "parity") == 1
    assert "no configuration parity; there are: parity_w1" in capsys.readouterr().err


def test_stale_verilog_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "rtl" / "parity_w1.v").write_text(VERILOG.replace("^d", "|d"))
    assert run(place) == 1
    assert "./nox -s rtl" in capsys.readouterr().err


def test_missing_opensta_says_how_to_get_it(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert run(place) == 1
    assert "apt-get install opensta" in capsys.readouterr().err
