# SPDX-License-Identifier: Apache-2.0
"""OpenSTA on a mapped netlist: the shortest clock period with every path constrained.

Ports are constrained as if the neighbour had registers on them, memory pins as those of a memory
macro. Each of the nine kinds of path (from register, memory or input, to register, memory or
output) is measured by itself; the longest is the period, and a second run at that period must
report a slack of zero.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports import library, toolrun
from reports.library import NANGATE45
from reports.memories import PREFIX
from reports.toolrun import ToolError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from reports.library import Library
    from reports.synth import Netlist

REVISION = 1  # raise it when this file's results change and no constant below does
PROGRAM = "sta"
TRIAL_NS = 10.0
INPUT_NS = 0.1  # clock-to-output of the register before an input
OUTPUT_NS = 0.05  # set-up of the register after an output
MEMORY_CLOCK_TO_OUTPUT_NS = 0.31  # of OpenROAD's fakeram45_1024x32 (.309), rounded up
MEMORY_SETUP_NS = 0.05  # of the same macro
RESOLUTION_NS = 0.001

WARNING = re.compile(r"^Warning: (.*)\n((?:  .*\n)*)", re.MULTILINE)
SLACK = re.compile(r"^\S.*\s(-?\d+\.\d+) \((?:MET|VIOLATED)\)\s*$", re.MULTILINE)
WORST = re.compile(r"^worst slack (-?\d+\.\d+)\s*$", re.MULTILINE)
FORMAT = "-path_delay max -format end -digits 4 -no_line_splits"
NO_PATHS = "No paths found."
KIND = "path kind: "


@dataclass(frozen=True)
class Timing:
    """Shortest clock periods in nanoseconds.

    Attributes:
        period_ns: Shortest period of the design.
        worst_path: Kind of the path that sets it.
        paths_ns: Shortest period by kind of path, for the kinds that the design has.
    """

    period_ns: float
    worst_path: str
    paths_ns: dict[str, float]


def recipe() -> tuple[object, ...]:
    """Everything of this step that a result depends on, besides the netlist and the tools."""
    delays = INPUT_NS, OUTPUT_NS, MEMORY_CLOCK_TO_OUTPUT_NS, MEMORY_SETUP_NS
    return REVISION, library.WIRE_LOAD, NANGATE45.driving_cell, NANGATE45.output_load_ff, delays


def tool_version() -> str:
    """Version that the installed OpenSTA states.

    Raises:
        ToolError: It is not installed.
    """
    if shutil.which(PROGRAM) is None:
        message = "OpenSTA (`sta`) is not on PATH: apt-get install opensta"
        raise ToolError(message)
    return toolrun.output([PROGRAM, "-version"])


def ports(names: Iterable[str]) -> str:
    """Tcl that returns the ports of these names."""
    return "[get_ports {" + " ".join(names) + "}]"


def ends(netlist: Netlist) -> tuple[dict[str, str], dict[str, str]]:
    """Where paths start and where they end, as Tcl by kind, without the kinds not there."""
    ins = [name for name in netlist.inputs if not name.startswith(PREFIX)]
    outs = [name for name in netlist.outputs if not name.startswith(PREFIX)]
    memory_outs = [name for name in netlist.inputs if name.startswith(PREFIX)]
    memory_ins = [name for name in netlist.outputs if name.startswith(PREFIX)]
    starts = {"input": ports(ins) if ins else ""}
    stops = {"output": ports(outs) if outs else ""}
    if netlist.flip_flops:
        starts["register"] = "[all_registers -clock_pins]"
        stops["register"] = "[all_registers -data_pins]"
    starts["memory"] = ports(memory_outs) if memory_outs else ""
    stops["memory"] = ports(memory_ins) if memory_ins else ""
    return {k: v for k, v in starts.items() if v}, {k: v for k, v in stops.items() if v}


def script(netlist: Netlist, liberty: str, period_ns: float) -> str:
    """The OpenSTA script: constraints, the worst path of each kind, what is unconstrained."""
    starts, stops = ends(netlist)
    lines = [
        f"read_liberty {{{liberty}}}",
        f"read_verilog {netlist.path.name}",
        f"link_design {netlist.module}",
        f"set_wire_load_model -name {library.WIRE_LOAD}",
        f"create_clock -name {netlist.clock} -period {period_ns} {ports([netlist.clock])}",
    ]
    delays = {"input": INPUT_NS, "memory": MEMORY_CLOCK_TO_OUTPUT_NS}
    for kind in (kind for kind in delays if kind in starts):
        lines += [
            f"set_input_delay {delays[kind]} -clock {netlist.clock} {starts[kind]}",
            f"set_driving_cell -lib_cell {NANGATE45.driving_cell} {starts[kind]}",
        ]
    margins = {"output": OUTPUT_NS, "memory": MEMORY_SETUP_NS}
    for kind in (kind for kind in margins if kind in stops):
        lines += [
            f"set_output_delay {margins[kind]} -clock {netlist.clock} {stops[kind]}",
            f"set_load {NANGATE45.output_load_ff} {stops[kind]}",
        ]
    lines.append("check_setup -verbose")
    lines.append("report_checks -path_delay max -fields {net capacitance slew} -digits 4")
    for start, tcl_from in starts.items():
        for stop, tcl_to in stops.items():
            lines.append(f'puts "{KIND}{start} to {stop}"')
            lines.append(f"report_checks -from {tcl_from} -to {tcl_to} {FORMAT}")
    return "\n".join([*lines, "report_worst_slack -digits 4", ""])


def refuse_warnings(log: str, constants: Collection[str]) -> None:
    """Refuse a log in which OpenSTA warns of anything but that no path ends at a constant output.

    Args:
        log: The log.
        constants: The outputs that are constant.

    Raises:
        ToolError: Another warning, as OpenSTA gives of a port or path without a constraint.
    """
    for warning in WARNING.finditer(log):
        text, listed = warning[1], warning[2].split()
        if "unconstrained endpoint" in text and listed and set(listed) <= set(constants):
            continue
        message = f"OpenSTA: {text} {' '.join(listed[:5])}".rstrip()
        raise ToolError(message)


def slacks(log: str) -> dict[str, float]:
    """Worst slack in nanoseconds by kind of path, for the kinds with a path.

    Raises:
        ToolError: The log does not read as expected.
    """
    found: dict[str, float] = {}
    for part in log.split(KIND)[1:]:
        kind, _, body = part.partition("\n")
        slack = SLACK.findall(body)
        if len(slack) == 1:
            found[kind] = float(slack[0])
        elif slack or NO_PATHS not in body:
            message = f"OpenSTA reports no slack for the paths from {kind}"
            raise ToolError(message)
    if not found:
        message = "OpenSTA finds no path at all"
        raise ToolError(message)
    return found


def worst(log: str) -> float:
    """Worst slack in nanoseconds over all paths.

    Raises:
        ToolError: The log does not state it.
    """
    found = WORST.search(log)
    if found is None:
        message = "OpenSTA does not report the worst slack"
        raise ToolError(message)
    return float(found[1])


def shortest_periods(log: str, trial_ns: float) -> Timing:
    """Periods that give each kind of path zero slack, from a run at the period `trial_ns`."""
    paths = {kind: round(trial_ns - slack, 3) for kind, slack in slacks(log).items()}
    kind = max(paths, key=lambda name: paths[name])
    return Timing(period_ns=paths[kind], worst_path=kind, paths_ns=paths)


def measure(netlist: Netlist, cells: Library) -> Timing:
    """Find the shortest clock period of `netlist`.

    Raises:
        ToolError: OpenSTA failed, left a path unconstrained, or finds another slack than zero at
            the period found, as it would for a design that uses both clock edges.
    """
    log = run(netlist, cells, TRIAL_NS, f"sta_{netlist.script}")
    refuse_warnings(log, netlist.constants)
    timing = shortest_periods(log, TRIAL_NS)
    slack = worst(run(netlist, cells, timing.period_ns, f"sta_{netlist.script}_at_period"))
    if abs(slack) > RESOLUTION_NS:
        message = f"{netlist.module}: slack {slack} ns, not 0, at the period {timing.period_ns} ns"
        raise ToolError(message)
    return timing


def run(netlist: Netlist, cells: Library, period_ns: float, name: str) -> str:
    """Run OpenSTA once at `period_ns` and return its log."""
    folder = netlist.path.parent
    text = script(netlist, str(cells.path), period_ns)
    (folder / f"{name}.tcl").write_text(text, encoding="utf-8")
    return toolrun.run([PROGRAM, "-exit", f"{name}.tcl"], folder, folder / f"{name}.log")
