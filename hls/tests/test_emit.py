# SPDX-License-Identifier: Apache-2.0
"""hls/emit.py: the same text on every run, and rtl/ is that text."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from myhdl import Signal, always, block, instances, intbv

from hls import emit
from hls.configuration import ROOT, Configuration
from hls.stream import Contract


def run(out: Path, seed: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hls.emit", "--out", str(out)]
    environment = os.environ | {"PYTHONHASHSEED": seed}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_writes_what_rtl_holds(tmp_path: Path) -> None:
    tmp_path.joinpath("gone.v").write_text(f"{emit.MARK} from a block that is no more.\n")
    tmp_path.joinpath("other.v").write_text("// of someone else\n")
    finished = run(tmp_path, "0")
    assert (finished.returncode, finished.stderr) == (0, "")
    tmp_path.joinpath("other.v").unlink()
    written, kept = contents(tmp_path), contents(ROOT / "rtl")
    assert written.keys() == kept.keys()
    for name, text in written.items():
        assert text == kept[name], f"rtl/{name} is out of date: ./nox -s rtl"


@pytest.mark.parametrize("seed", ["1", "random"])
def test_refuses_a_random_hash_seed(tmp_path: Path, seed: str) -> None:
    out = tmp_path / "rtl"
    finished = run(out, seed)
    assert finished.returncode == 2
    assert "PYTHONHASHSEED=0" in finished.stderr
    assert not out.exists()


def test_the_text_names_no_place() -> None:
    for name, text in contents(ROOT / "rtl").items():
        assert str(ROOT) not in text, name
        assert not [line for line in text.splitlines() if line != line.rstrip()], name


@block
def hoard(clk, data, shown):
    """An array of 2048 bits that is not a ram."""
    array = [Signal(intbv(0)[8:]) for _ in range(256)]

    @always(clk.posedge)
    def store():
        array[data].next = data
        shown.next = array[data]

    return instances()


@block
def deaf(clk, data, shown):
    """An input that nothing reads."""

    @always(clk.posedge)
    def store():
        shown.next = 1

    return instances()


@pytest.mark.parametrize(
    ("function", "why"), [(hoard, "2048 bits and is not a ram"), (deaf, "Port is not used: data")]
)
def test_refuses_what_would_synthesize_badly(function: Callable[..., Any], why: str) -> None:
    class Poor(Configuration):
        contract = Contract(latency=1, interval=1)

        def instance(self, ports: dict[str, Any]) -> Any:
            return function(ports["clk"], Signal(intbv(0)[8:]), Signal(intbv(0)[8:]))

        def ports(self) -> dict[str, Any]:
            return {"clk": Signal(bool(0))}

    with pytest.raises(emit.EmitError, match=f"poor: .*{why}"):
        emit.emit(Poor("poor", "poor"))


def test_refuses_a_parameter_that_nothing_takes() -> None:
    queue = Configuration("queue", "fifo", parameters={"bits": 8, "depth": 4, "speed": 2})
    with pytest.raises(TypeError, match="fifo has no parameter speed"):
        emit.emit(queue)
