# SPDX-License-Identifier: Apache-2.0
"""Which arrays leave the netlist, and as which ports."""

import copy
from typing import Any

import pytest

from reports import memories
from reports.toolrun import ToolError

CLOCK, WRITE = 2, 90


def binary(value: int) -> str:
    """A parameter as Yosys writes it."""
    return f"{value:032b}"


def netlist(**parameters: int) -> dict[str, Any]:
    """A module with one array of 4 bits by 512, one port each way, write enables on one net."""
    parameter = {
        "SIZE": 512,
        "WIDTH": 4,
        "RD_PORTS": 1,
        "RD_CLK_ENABLE": 1,
        "RD_CLK_POLARITY": 1,
        "WR_PORTS": 1,
        "WR_CLK_ENABLE": 1,
        "WR_CLK_POLARITY": 1,
    } | parameters
    cell = {
        "type": "$mem_v2",
        "parameters": {name: binary(value) for name, value in parameter.items()},
        "connections": {
            "RD_CLK": [CLOCK],
            "RD_EN": ["1"],
            "RD_ADDR": list(range(10, 19)),
            "RD_DATA": list(range(20, 24)),
            "WR_CLK": [CLOCK],
            "WR_EN": [WRITE] * 4,
            "WR_ADDR": list(range(30, 39)),
            "WR_DATA": [40, 41, "0", 40],
        },
    }
    return {
        "ports": {"clk": {"direction": "input", "bits": [CLOCK]}},
        "cells": {"buffer.store": cell, "other": {"type": "$and"}},
    }


def test_memory_becomes_ports() -> None:
    module = netlist()
    assert memories.take_out(module, "clk") == [
        {"name": "buffer.store", "depth": 512, "width": 4, "reads": 1, "writes": 1}
    ]
    assert set(module["cells"]) == {"other"}
    prefix = "memory__buffer_store__"
    assert {name: port["direction"] for name, port in module["ports"].items()} == {
        "clk": "input",
        f"{prefix}rd_addr": "output",
        f"{prefix}rd_data": "input",
        f"{prefix}wr_en": "output",
        f"{prefix}wr_addr": "output",
        f"{prefix}wr_data": "output",
    }
    assert module["ports"][f"{prefix}wr_en"]["bits"] == [WRITE]
    assert module["ports"][f"{prefix}wr_data"]["bits"] == [40, 41]


@pytest.mark.parametrize(
    "parameters",
    [
        {"SIZE": 256},  # 1 kbit: as large as an array of flip-flops may be
        {"RD_CLK_ENABLE": 0},  # read in the cycle of the address: a register file
        {"WR_PORTS": 0},  # a ROM
    ],
)
def test_logic_stays(parameters: dict[str, int]) -> None:
    module = netlist(**parameters)
    before = copy.deepcopy(module)
    assert memories.take_out(module, "clk") == []
    assert module == before


def test_threshold_is_exclusive() -> None:
    assert memories.take_out(netlist(SIZE=257), "clk")[0]["depth"] == 257


@pytest.mark.parametrize("parameters", [{"RD_CLK_POLARITY": 0}, {"WR_CLK_POLARITY": 0}])
def test_falling_edge_is_refused(parameters: dict[str, int]) -> None:
    with pytest.raises(ToolError, match="not clocked by the rising edge of clk"):
        memories.take_out(netlist(**parameters), "clk")


def test_second_clock_is_refused() -> None:
    module = netlist()
    module["cells"]["buffer.store"]["connections"]["WR_CLK"] = [3]
    with pytest.raises(ToolError, match="not clocked by the rising edge of clk"):
        memories.take_out(module, "clk")


def test_prefix_of_memory_pins_is_reserved() -> None:
    module = netlist()
    module["ports"]["memory__x"] = {"direction": "input", "bits": [99]}
    with pytest.raises(ToolError, match="port memory__x"):
        memories.take_out(module, "clk")
