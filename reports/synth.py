# SPDX-License-Identifier: Apache-2.0
"""Yosys to the cell library: gate netlists with memories as ports, their area, their flip-flops.

A design is mapped by several abc scripts, from small to fast, since none is best for all logic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports import library, memories, yosys
from reports.library import Library
from reports.memories import Memory

if TYPE_CHECKING:
    from pathlib import Path

REVISION = 1  # raise it when this file's results change and no script below does
TARGET_PS = 300  # gates are sized until the logic between registers meets this, if it can
OUTPUT_LOAD_FF = 3.0  # about two gate inputs

CONSTRAINTS = f"""\
set_driving_cell {library.DRIVING_CELL}
set_load {OUTPUT_LOAD_FF}
"""

CLEAN = "strash; &get -n; &fraig -x; &put; scorr; dc2"
SIZE = f"topo; buffer -c; topo; upsize -D {TARGET_PS}; dnsize -D {TARGET_PS}"
COVER = f"dch -f; map -B 0.9 -D {TARGET_PS}"
SCRIPTS = {
    "area": f"{CLEAN}; strash; &get -n; &dch -f; &nf -D {TARGET_PS}; &put; {SIZE}\n",
    "delay": f"{CLEAN}; {COVER}; {SIZE}\n",
    # Sum-of-products balancing first: shorter carries and selections, more gates.
    "balance": f"{CLEAN}; st; if -g -K 6; strash; {COVER}; {SIZE}\n",
}

COARSE = """\
read_verilog {module}.v
hierarchy -check -top {module}
proc
check -assert
synth -flatten -top {module} -run begin:fine
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr
write_json coarse.json
"""

MAP = f"""\
read_liberty -lib "{{liberty}}"
read_json logic.json
synth -noabc -top {{module}} -run fine:
dfflibmap -liberty "{{liberty}}"
abc -liberty "{{liberty}}" -constr abc.constr -script {{script}}.abc
opt_clean -purge
hilomap -singleton -hicell {library.TIE_HIGH} Z -locell {library.TIE_LOW} Z
setundef -zero
splitnets -ports
opt_clean -purge
check -assert -mapped
write_json {{script}}.json
write_verilog -noattr -noexpr -nohex -nodec {{script}}.v
"""


@dataclass(frozen=True)
class Logic:
    """A design without its memories, not yet mapped: `folder`/logic.json.

    Attributes:
        folder: Where it is, and where everything made of it goes.
        module: Its only module.
        clock: Its clock port.
        memories: The memories that were taken out.
    """

    folder: Path
    module: str
    clock: str
    memories: list[Memory]


@dataclass(frozen=True)
class Netlist:
    """A design mapped to cells.

    Attributes:
        path: The Verilog file.
        module: Its only module.
        clock: Its clock port.
        script: Name of the abc script that made it.
        inputs: Input ports other than the clock, bit by bit, memory outputs included.
        outputs: Output ports, bit by bit, memory inputs included.
        constants: Those of the outputs that are constant.
        kge: Area in thousand NAND2 equivalents, memories excluded.
        flip_flops: Number of flip-flops.
    """

    path: Path
    module: str
    clock: str
    script: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: tuple[str, ...]
    kge: float
    flip_flops: int


def recipe() -> tuple[object, ...]:
    """Everything of this step that a result depends on, besides the RTL and the tools."""
    return REVISION, CONSTRAINTS, SCRIPTS, COARSE, MAP, memories.THRESHOLD_BITS


def read_logic(folder: Path, module: str, clock: str) -> Logic:
    """Read `folder`/`module`.v, flatten it and take the memories out.

    Raises:
        ToolError: Yosys failed, or the design has a latch, an undriven net or a loop.
    """
    yosys.run(COARSE.format(module=module), folder, "coarse")
    design = json.loads((folder / "coarse.json").read_text(encoding="utf-8"))
    taken = memories.take_out(design["modules"][module], clock)
    (folder / "logic.json").write_text(json.dumps(design), encoding="utf-8")
    (folder / "abc.constr").write_text(CONSTRAINTS, encoding="utf-8")
    return Logic(folder=folder, module=module, clock=clock, memories=taken)


def map_to_cells(logic: Logic, script: str, cells: Library) -> Netlist:
    """Map `logic` to `cells` with one of SCRIPTS.

    Raises:
        ToolError: Yosys failed, or left something that is no cell.
    """
    folder = logic.folder
    (folder / f"{script}.abc").write_text(SCRIPTS[script], encoding="utf-8")
    commands = MAP.format(module=logic.module, liberty=cells.path, script=script)
    yosys.run(commands, folder, f"map_{script}")
    counts = yosys.cell_counts(folder / f"{script}.json", logic.module)
    netlist = yosys.read_json(folder / f"{script}.json", logic.module)
    ports = {name: port["direction"] for name, port in netlist["ports"].items()}
    outputs = tuple(name for name in ports if ports[name] == "output")
    tied = {
        net
        for cell in netlist["cells"].values()
        if cell["type"] in {library.TIE_HIGH, library.TIE_LOW}
        for net in cell["connections"]["Z"]
    }
    return Netlist(
        path=folder / f"{script}.v",
        module=logic.module,
        clock=logic.clock,
        script=script,
        inputs=tuple(n for n in ports if ports[n] == "input" and n != logic.clock),
        outputs=outputs,
        constants=tuple(name for name in outputs if tied & set(netlist["ports"][name]["bits"])),
        kge=cells.gate_equivalents(counts) / 1000,
        flip_flops=cells.flip_flops(counts),
    )
