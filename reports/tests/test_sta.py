# SPDX-License-Identifier: Apache-2.0
"""Timing: what is read of OpenSTA's log, and OpenSTA itself where it is installed."""

import shutil
from pathlib import Path

import pytest

from reports import library, sta, synth
from reports.synth import Netlist
from reports.toolrun import ToolError

LOG = """\
OpenSTA 2.0.17 GITDIR-NOT Copyright (c) 2019, Parallax Software, Inc.
path kind: input to register
max_delay/setup group clk

                                      Required    Actual
Endpoint                                 Delay     Delay     Slack
------------------------------------------------------------------
_8749_/D (DFF_X1)                       9.9652    0.3202    9.6450 (MET)

path kind: input to memory
No paths found.
path kind: memory to register
max_delay/setup group clk

                                      Required    Actual
Endpoint                                 Delay     Delay     Slack
------------------------------------------------------------------
_8837_/D (DFF_X1)                       9.9700   11.2162   -1.2462 (VIOLATED)

worst slack -1.2462
"""
MISSING_DELAY = """\
Warning: There is 1 input port missing set_input_delay.
  m_axis_tready
"""
NO_PATH_TO = """\
Warning: There are 2 unconstrained endpoints.
  keep[0]
  keep[1]
"""
needs_opensta = pytest.mark.skipif(
    shutil.which(sta.PROGRAM) is None, reason="OpenSTA is not installed (apt-get install opensta)"
)


def test_periods_give_zero_slack() -> None:
    timing = sta.shortest_periods(LOG, 10.0)
    assert timing.paths_ns == {"input to register": 0.355, "memory to register": 11.246}
    assert timing.period_ns == 11.246
    assert timing.worst_path == "memory to register"
    assert sta.worst(LOG) == -1.2462


def test_unconstrained_port_is_an_error() -> None:
    sta.refuse_warnings(LOG, ())
    with pytest.raises(ToolError, match=r"missing set_input_delay.*m_axis_tready"):
        sta.refuse_warnings(MISSING_DELAY + LOG, ("m_axis_tready",))
    with pytest.raises(ToolError, match="no file"):
        sta.refuse_warnings("Warning: no file\n", ())


def test_only_a_constant_output_may_have_no_path() -> None:
    sta.refuse_warnings(NO_PATH_TO + LOG, ("keep[0]", "keep[1]", "keep[2]"))
    with pytest.raises(ToolError, match=r"2 unconstrained endpoints\. keep\[0\] keep\[1\]"):
        sta.refuse_warnings(NO_PATH_TO + LOG, ("keep[0]",))


def test_log_without_a_slack_is_an_error() -> None:
    with pytest.raises(ToolError, match="no slack for the paths from input to memory"):
        sta.slacks(LOG.replace("No paths found.\n", ""))
    with pytest.raises(ToolError, match="no path at all"):
        sta.slacks("")
    with pytest.raises(ToolError, match="worst slack"):
        sta.worst("")


def test_every_port_is_constrained_by_the_script() -> None:
    netlist = Netlist(
        path=Path("area.v"),
        module="design",
        clock="clk",
        script="area",
        inputs=("rst", "d[0]", "memory__m__rd_data[0]"),
        outputs=("q", "memory__m__wr_en"),
        constants=(),
        kge=0.1,
        flip_flops=3,
    )
    script = sta.script(netlist, "cells.lib", 10.0)
    assert f"set_input_delay {sta.INPUT_NS} -clock clk [get_ports {{rst d[0]}}]" in script
    memory_out = "[get_ports {memory__m__rd_data[0]}]"
    assert f"set_input_delay {sta.MEMORY_CLOCK_TO_OUTPUT_NS} -clock clk {memory_out}" in script
    assert f"set_output_delay {sta.OUTPUT_NS} -clock clk [get_ports {{q}}]" in script
    memory_in = "[get_ports {memory__m__wr_en}]"
    assert f"set_output_delay {sta.MEMORY_SETUP_NS} -clock clk {memory_in}" in script
    assert script.count(sta.KIND) == 9


CHAIN = """\
module chain (input clk, input [7:0] a, input [7:0] b, input we, input [9:0] at,
              output reg [7:0] q, output tap, output one);
assign one = 1'b1;
reg [7:0] store [0:1023];
reg [7:0] word, sum;
assign tap = a[0] & b[0];
always @(posedge clk) begin
    if (we) store[at] <= sum;
    word <= store[at];
    sum <= a + b;
    q <= word * sum;
end
endmodule
"""


@needs_opensta
def test_every_kind_of_path_is_measured(tmp_path: Path) -> None:
    (tmp_path / "chain.v").write_text(CHAIN)
    cells = library.nangate45()
    logic = synth.read_logic(tmp_path, "chain", "clk")
    netlist = synth.map_to_cells(logic, "area", cells)
    timing = sta.measure(netlist, cells)
    assert set(timing.paths_ns) == {
        "input to output",
        "input to register",
        "input to memory",
        "register to output",
        "register to register",
        "register to memory",
        "memory to register",
    }
    assert timing.worst_path == "memory to register"  # the multiplier, after the memory's delay
    difference = timing.period_ns - timing.paths_ns["register to register"]
    assert 0.1 < difference < sta.MEMORY_CLOCK_TO_OUTPUT_NS
    assert timing.paths_ns["register to memory"] > sta.MEMORY_SETUP_NS
    assert timing.paths_ns["input to output"] > sta.INPUT_NS + sta.OUTPUT_NS


@needs_opensta
def test_opensta_errors_stop_the_flow(tmp_path: Path) -> None:
    path = tmp_path / "area.v"
    path.write_text("module design (input signed d, output q); endmodule\n")
    netlist = Netlist(path, "design", "clk", "area", ("d",), ("q",), (), 0.0, 0)
    with pytest.raises(ToolError, match="status 0"):
        sta.run(netlist, library.nangate45(), 10.0, "sta")


@needs_opensta
def test_falling_edge_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "half.v").write_text(
        "module half (input clk, input d, output reg q); reg m;\n"
        "always @(posedge clk) m <= d;\nalways @(negedge clk) q <= m;\nendmodule\n"
    )
    cells = library.nangate45()
    netlist = synth.map_to_cells(synth.read_logic(tmp_path, "half", "clk"), "area", cells)
    with pytest.raises(ToolError, match="not 0, at the period"):
        sta.measure(netlist, cells)
