# SPDX-License-Identifier: Apache-2.0
"""Yosys to a cell library: gate netlists with memories as ports, their area, their flip-flops.

A design is mapped by several abc scripts, from small to fast, since none is best for all logic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports import memories, yosys

if TYPE_CHECKING:
    from pathlib import Path

    from reports.library import Kit, Library
    from reports.memories import Memory

REVISION = 1  # raise it when this file's results change and no script below does
PERIOD_NS = 0.75  # that a design is to meet
CLEAN = "strash; &get -n; &fraig -x; &put; scorr; dc2"
SCRIPTS = ("area", "sparing", "compact", "delay", "balance")

COARSE = """\
read_verilog {module}.v
hierarchy -check -top {module}
proc
check -assert
synth -flatten -top {module} -run begin:fine
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr
write_json coarse.json
"""

MAP = """\
read_liberty -lib "{{liberty}}"
read_json logic.json
synth -noabc -top {{module}} -run fine:
dfflibmap -liberty "{{liberty}}"
abc -liberty "{{liberty}}" -constr abc.constr -script {{script}}.abc
opt_clean -purge
{ties}setundef -zero
splitnets -ports
opt_clean -purge
check -assert -mapped
write_json {{script}}.json
write_verilog -noattr -noexpr -nohex -nodec {{script}}.v
"""


def abc_scripts(kit: Kit) -> dict[str, str]:
    """The abc scripts for a library, by name."""
    goal = kit.goal_ps

    def size(fan_out: int) -> str:
        sized = f"upsize -D {goal}; dnsize -D {goal}"
        return f"topo; buffer -c -N {fan_out}; topo; {sized}"

    def cover(bias: float) -> str:
        return f"dch -f; map -B {bias} -D {goal}"

    shared = "&get -n; &syn4; &put"
    # Long conjunctions are balanced, then what is equal is shared again.
    compact = f"{CLEAN}; {balance(3)}; {shared}; {cover(0.2)}"
    return {
        "area": f"{CLEAN}; strash; {shared}; dch -f; amap -m; {size(16)}\n",
        "sparing": f"{compact}; {size(20)}\n",
        "compact": f"{compact}; {size(16)}\n",
        "delay": f"{CLEAN}; {cover(0.9)}; {size(10)}\n",
        # Shorter carries and selections, more gates.
        "balance": f"{CLEAN}; {balance(6)}; {cover(0.9)}; {size(10)}\n",
    }


def balance(inputs: int) -> str:
    """The abc commands that balance sums of products of so many inputs."""
    return f"st; if -g -K {inputs}; strash"


def constraints(kit: Kit) -> str:
    """What abc assumes around a design."""
    return f"set_driving_cell {kit.driving_cell}\nset_load {kit.output_load_ff}\n"


def mapping(kit: Kit) -> str:
    """The Yosys script that maps to a library; the file, module and abc script are still open."""
    ties = ""
    if kit.ties:
        ties = f"hilomap -singleton -hicell {kit.ties[0]} Z -locell {kit.ties[1]} Z\n"
    return MAP.format(ties=ties)


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


def recipe(kit: Kit) -> tuple[object, ...]:
    """Everything of this step that a result depends on, besides the RTL and the tools."""
    scripts, around = abc_scripts(kit), constraints(kit)
    return REVISION, PERIOD_NS, around, scripts, COARSE, mapping(kit), memories.THRESHOLD_BITS


def read_logic(folder: Path, module: str, clock: str) -> Logic:
    """Read `folder`/`module`.v, flatten it and take the memories out.

    Raises:
        ToolError: Yosys failed, or the design has a latch, an undriven net or a loop.
    """
    yosys.run(COARSE.format(module=module), folder, "coarse")
    design = json.loads((folder / "coarse.json").read_text(encoding="utf-8"))
    taken = memories.take_out(design["modules"][module], clock)
    (folder / "logic.json").write_text(json.dumps(design), encoding="utf-8")
    return Logic(folder=folder, module=module, clock=clock, memories=taken)


def map_to_cells(logic: Logic, script: str, cells: Library) -> Netlist:
    """Map `logic` to `cells` with one of SCRIPTS.

    Raises:
        ToolError: Yosys failed, or left something that is no cell.
    """
    folder = logic.folder
    (folder / "abc.constr").write_text(constraints(cells.kit), encoding="utf-8")
    (folder / f"{script}.abc").write_text(abc_scripts(cells.kit)[script], encoding="utf-8")
    commands = mapping(cells.kit).format(module=logic.module, liberty=cells.path, script=script)
    yosys.run(commands, folder, f"map_{script}")
    counts = yosys.cell_counts(folder / f"{script}.json", logic.module)
    netlist = yosys.read_json(folder / f"{script}.json", logic.module)
    ports = {name: port["direction"] for name, port in netlist["ports"].items()}
    outputs = tuple(name for name in ports if ports[name] == "output")
    tied = {"0", "1"} | {
        net
        for cell in netlist["cells"].values()
        if cell["type"] in (cells.kit.ties or ())
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
