# SPDX-License-Identifier: Apache-2.0
"""FPGA: counting of primitives, the register harness, nextpnr's report."""

from pathlib import Path

import pytest

from reports import fpga, yosys
from reports.toolrun import ToolError

DESIGN = """\
module design (input clk, input rst, input signed [7:0] d, output reg signed [7:0] q, output any);
assign any = |d;
always @(posedge clk) q <= rst ? 8'd0 : q + d;
endmodule
"""


def test_primitives_are_added_up() -> None:
    counts = {"LUT2": 3, "LUT6": 4, "INV": 1, "RAM32M16": 1, "FDRE": 5, "FDSE": 2, "CARRY4": 9}
    assert fpga.count_resources(counts | {"DSP48E2": 2, "RAMB36E2": 3, "RAMB18E2": 1}) == {
        "lut": 3 + 4 + 1 + 8,
        "ff": 7,
        "dsp": 2,
        "bram": 3.5,
    }


@pytest.mark.parametrize("name", ["LDCE", "URAM288", "$_AND_"])
def test_unknown_primitive_is_no_zero(name: str) -> None:
    with pytest.raises(ToolError, match="cannot count"):
        fpga.count_resources({name: 1})


def test_resources_of_a_design(tmp_path: Path) -> None:
    (tmp_path / "design.v").write_text(DESIGN)
    used = fpga.resources(tmp_path, "design")
    assert used["ff"] == 8
    assert 8 <= used["lut"] <= 12
    assert (used["dsp"], used["bram"]) == (0, 0)


def test_harness_registers_every_port(tmp_path: Path) -> None:
    (tmp_path / "design.v").write_text(DESIGN)
    fpga.prepare(tmp_path, "design", "clk")
    text = (tmp_path / "harness.v").read_text()
    assert ".rst(drive[0:0]), .d(drive[8:1]), .q(watch[7:0]), .any(watch[8:8])" in text
    counts = yosys.cell_counts(tmp_path / "ecp5.json", fpga.HARNESS)
    # 9 inputs, the design's 8, and twice 9 outputs; nothing of it is optimised away.
    assert counts["TRELLIS_FF"] == 9 + 8 + 2 * 9


def test_frequency_is_that_of_the_only_clock() -> None:
    clock = {"achieved": 187.3456, "constraint": 250}
    assert fpga.frequency({"fmax": {"$glbnet$clock": clock}}) == 187.3
    for clocks in ({}, {"a": clock, "b": clock}, None):
        with pytest.raises(ToolError, match="no single clock"):
            fpga.frequency({"fmax": clocks})
