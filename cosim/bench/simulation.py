# SPDX-License-Identifier: Apache-2.0
"""Build a module and run a bench on it, in a process of its own with a time limit."""

from __future__ import annotations

import json
import logging
import os
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol

from cocotb_tools.runner import Icarus, Runner, Verilator

from cosim.bench import setting, verilated
from hls.configuration import ROOT, Configuration

BUILD = ROOT / "build" / "cosim"
TIMESCALE = ("1ns", "1ps")
WALL_SECONDS = 900  # a loop without delay never reaches the timeout of a test
SHOWN_LINES = 60


Edit = Callable[[str], str]  # of the text of a module


class Simulator(Enum):
    """VERILATOR is ten times as fast once it has compiled; ICARUS knows unknown values."""

    ICARUS = "icarus"
    VERILATOR = "verilator"


class Simulate(Protocol):
    """The fixture `simulate` of conftest.py."""

    def __call__(self, name: str) -> None:
        """Run the bench of a configuration; see `simulate`."""


class BuildError(Exception):
    """Icarus refused the Verilog."""


@dataclass
class Outcome:
    """What the tests of a bench said: names of those that passed and failed, and measurements."""

    log: Path
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    measured: list[dict[str, float]] = field(default_factory=list)

    def check(self) -> None:
        """Raise AssertionError, with the end of the log, unless tests ran and all passed."""
        assert not self.failed, f"{', '.join(self.failed)}\n{self.tail}"
        assert self.passed, f"no test ran\n{self.tail}"

    @property
    def tail(self) -> str:
        """The end of the log, without what tells of progress."""
        lines = self.log.read_text(errors="replace").splitlines()
        telling = [line for line in lines if " INFO " not in line and "** " not in line]
        return "\n".join(line.strip() for line in telling[-SHOWN_LINES:])


def simulate(
    configuration: Configuration,
    folder: Path,
    *,
    simulator: Simulator = Simulator.ICARUS,
    edit: Edit | None = None,
    only: str | None = None,
    full: bool = False,
    seed: int = 1,
) -> Outcome:
    """Build rtl/<configuration>.v, perhaps edited, and run the tests of cosim/tb_<block>.py.

    Args:
        configuration: which.
        folder: takes the build and the log; made anew.
        simulator: which.
        edit: what to change in the Verilog.
        only: expression for the names of the tests to run; default: all.
        full: whether the tests are to be thorough.
        seed: of the tests' random numbers.

    Raises:
        BuildError: Icarus refused the Verilog.
        VerilatorError: Verilator did.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = ROOT / "rtl" / f"{configuration.name}.v"
    if edit:
        edited = folder / source.name
        edited.write_text(edit(source.read_text()))
        source = edited
    if simulator is Simulator.ICARUS:
        runner = build(source, configuration.name, folder)
        return run(runner, folder, configuration, folder, only=only, full=full, seed=seed)
    model = verilated.model(source, configuration)
    return run(Verilator(), model, configuration, folder, only=only, full=full, seed=seed)


def build(source: Path, module: str, folder: Path) -> Icarus:
    """Compile a file. Raises BuildError, with what Icarus printed."""
    runner = Icarus()
    runner.log.setLevel(logging.CRITICAL)  # it would call every failed test an error
    log = folder / "build.log"
    try:
        runner.build(
            sources=[source],
            hdl_toplevel=module,
            build_dir=folder,
            timescale=TIMESCALE,
            log_file=log,
        )
    except RuntimeError as error:
        raise BuildError(f"{source}: {error}\n{log.read_text()}") from error
    return runner


def run(
    runner: Runner,
    built: Path,
    configuration: Configuration,
    folder: Path,
    *,
    only: str | None,
    full: bool,
    seed: int,
) -> Outcome:
    """Run tests; a simulation that died or ran out of time has failed the test "simulation"."""
    results, measures, log = folder / "results.xml", folder / "measures", folder / "sim.log"
    environment = {
        setting.CONFIGURATION: configuration.name,
        setting.FULL: str(int(full)),
        setting.MEASURES: str(measures),
    }
    prefix = os.environ.get("SIM_CMD_PREFIX")
    os.environ["SIM_CMD_PREFIX"] = f"timeout --kill-after=5 {WALL_SECONDS}"
    outcome = Outcome(log)
    try:
        runner.test(
            test_module=f"cosim.tb_{configuration.block}",
            hdl_toplevel=configuration.name,
            hdl_toplevel_lang="verilog",
            build_dir=built,
            test_dir=folder,
            plusargs=verilated.random_start(seed) if isinstance(runner, Verilator) else [],
            results_xml=str(results),
            log_file=log,
            test_filter=only,
            seed=seed,
            extra_env=environment,
        )
    except (RuntimeError, SystemExit):
        if not results.exists():
            outcome.failed.append("simulation")
    finally:
        os.environ.pop("SIM_CMD_PREFIX")
        if prefix is not None:
            os.environ["SIM_CMD_PREFIX"] = prefix
    if results.exists():
        for case in ET.parse(results).iter("testcase"):  # noqa: S314 # cocotb wrote it
            failed = case.find("failure") is not None or case.find("error") is not None
            (outcome.failed if failed else outcome.passed).append(str(case.get("name")))
    if measures.exists():
        outcome.measured = [json.loads(line) for line in measures.read_text().splitlines()]
    return outcome
