# SPDX-License-Identifier: Apache-2.0
"""Yosys for real, on designs whose cells can be counted by hand."""

from pathlib import Path

import pytest

from reports import library, synth, yosys
from reports.library import Library
from reports.synth import Logic
from reports.toolrun import ToolError

BUFFER = """\
module buffer (input clk, input [8:0] addr, input we, input [15:0] d, output reg [15:0] q);
reg [15:0] store [0:511];
reg [15:0] word;
always @(posedge clk) begin
    if (we) store[addr] <= d;
    word <= store[addr];
    q <= word;
end
endmodule
"""


def logic_of(folder: Path, name: str, verilog: str) -> Logic:
    """Read a module and take its memories out."""
    (folder / f"{name}.v").write_text(verilog)
    return synth.read_logic(folder, name, "clk")


def test_registers_are_counted_exactly(tmp_path: Path) -> None:
    verilog = (
        "module delay (input clk, input signed [7:0] d, output reg signed [7:0] q);\n"
        "always @(posedge clk) q <= d;\nendmodule\n"
    )
    cells = library.nangate45()
    netlist = synth.map_to_cells(logic_of(tmp_path, "delay", verilog), "area", cells)
    assert netlist.flip_flops == 8
    area = 8 * cells.cells["DFF_X1"].area
    assert netlist.kge == pytest.approx(area / cells.cells["NAND2_X1"].area / 1000)
    assert netlist.inputs == tuple(f"d[{i}]" for i in range(8))
    assert netlist.outputs == tuple(f"q[{i}]" for i in range(8))
    assert netlist.constants == ()
    assert "signed" not in netlist.path.read_text()  # OpenSTA rejects the word


def test_large_memory_is_not_area(tmp_path: Path) -> None:
    logic = logic_of(tmp_path, "buffer", BUFFER)
    assert [(m["depth"], m["width"]) for m in logic.memories] == [(512, 16)]
    netlist = synth.map_to_cells(logic, "area", library.nangate45())
    assert netlist.flip_flops == 16  # q; the read register is the memory's own
    assert "memory__store__rd_data[15]" in netlist.inputs
    assert "memory__store__wr_en" in netlist.outputs


def test_small_memory_is_area(tmp_path: Path) -> None:
    logic = logic_of(tmp_path, "buffer", BUFFER.replace("511", "63"))  # 1 kbit
    assert logic.memories == []
    netlist = synth.map_to_cells(logic, "area", library.nangate45())
    assert netlist.flip_flops == 64 * 16 + 16 + 16


STEP = """\
module step (input clk, input rst, input [7:0] a, input [7:0] b, output reg [7:0] q, output one);
assign one = 1'b1;
always @(posedge clk) if (rst) q <= 0; else if (a > b) q <= q + (a ^ b);
endmodule
"""
PROOF = """\
read_liberty -ignore_miss_func -ignore_miss_data_latch "{liberty}"
read_verilog {script}.v
prep -flatten -top step
delete A:liberty_cell=1
rename step gate
design -stash mapped
read_json logic.json
prep -flatten -top step
splitnets -ports
rename step gold
design -copy-from mapped -as gate gate
equiv_make gold gate equiv
prep -flatten -top equiv
equiv_simple -undef
equiv_induct -undef
equiv_status -assert
"""


@pytest.mark.parametrize("script", synth.SCRIPTS)
@pytest.mark.parametrize("kit", ["nangate45", "osu018"])
def test_every_script_keeps_the_function(
    tmp_path: Path, kit: str, script: str, request: pytest.FixtureRequest
) -> None:
    cells: Library = request.getfixturevalue(kit)
    netlist = synth.map_to_cells(logic_of(tmp_path, "step", STEP), script, cells)
    assert (netlist.flip_flops, netlist.constants) == (8, ("one",))
    proof = PROOF.format(liberty=cells.path, script=script)
    yosys.run(proof, tmp_path, "proof")

    text = netlist.path.read_text()
    nand, nor = cells.kit.unit_cell, cells.kit.unit_cell.replace("NAND", "NOR")
    assert f"  {nand} " in text
    netlist.path.write_text(text.replace(f"  {nand} ", f"  {nor} ", 1))
    with pytest.raises(ToolError, match=r"Found \d+ unproven"):
        yosys.run(proof, tmp_path, "disproof")


SYNTAX_ERROR = "module broken (input clk;\nendmodule\n"
ANOTHER_MODULE = "module other (input clk);\nendmodule\n"
UNDRIVEN_NET = """\
module broken (input clk, output reg q);
wire d;
always @(posedge clk) q <= d;
endmodule
"""
LOOP = """\
module broken (input clk, input d, output q);
wire r;
assign r = !(q & d);
assign q = !(r & clk);
endmodule
"""
LATCH = """\
module broken (input clk, input enable, input d, output reg q);
always @(*) if (enable) q = d;
endmodule
"""


@pytest.mark.parametrize(
    ("verilog", "message"),
    [
        (SYNTAX_ERROR, r"broken\.v:1: ERROR: syntax error"),
        (ANOTHER_MODULE, r"Module `broken' not found"),
        (UNDRIVEN_NET, r"1 problems in 'check -assert'"),
        (LOOP, r"1 problems in 'check -assert'"),
        (LATCH, r"Assertion failed: .* t:\$dlatch"),
    ],
)
def test_bad_verilog_raises_and_this_process_lives(
    tmp_path: Path, verilog: str, message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        logic_of(tmp_path, "broken", verilog)


def test_missing_module_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"modules": {"y": {"cells": {}}}}')
    with pytest.raises(ToolError, match="holds y, not just x"):
        yosys.read_json(tmp_path / "x.json", "x")
