# SPDX-License-Identifier: Apache-2.0
"""A small summary with one of everything, and its parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports import library
from reports.fpga import Resources
from reports.library import Library
from reports.memories import Memory
from reports.summary import Constraints, Entry, Header, LibraryFacts, Summary, Trial
from reports.toolrun import ToolError

CELLS = Path(__file__).resolve().parents[2] / "build" / "cells"


def entry(config: str, *, top: bool, kge: float, gbit_per_s: float | None) -> Entry:
    """An entry whose figures are recognisable in a table."""
    return Entry(
        config=config,
        block=config.removesuffix("_w1_fp32"),
        top=top,
        width=1,
        dtype="fp32",
        rtl_sha256="5" * 64,
        library="Nangate45 typical",
        kge_osu018=kge * 0.75,
        abc_script="delay",
        trials={
            "area": Trial(kge=kge - 0.25, period_ns=1.5),
            "delay": Trial(kge=kge, period_ns=1.25),
        },
        kge=kge,
        flipflops=1234,
        period_ns=1.25,
        worst_path="memory to register",
        paths_ns={"memory to register": 1.25, "register to output": 0.5},
        memory_bits=33 * 1024,
        memories=[Memory(name="chunk", depth=1024, width=33, reads=1, writes=1)],
        xcup=Resources(lut=4321, ff=210, dsp=0, bram=1.5),
        ecp5_mhz=123.4 if top else None,
        ecp5_mhz_seeds=[120.0, 121.0, 123.4, 125.0, 126.0] if top else None,
        values_per_cycle=None if gbit_per_s is None else 1,
        bits_per_value=32,
        gbit_per_s=gbit_per_s,
    )


@pytest.fixture
def summary() -> Summary:
    """Two tops and two blocks, one of them without a throughput."""
    return Summary(
        header=Header(
            schema=2,
            tools={"yosys": "0.70", "opensta": "2.0.17", "nextpnr-ecp5": "0.11"},
            library=LibraryFacts(
                name="Nangate45 typical",
                source="stdcells.lib",
                sha256="a" * 64,
                corner="typical process, 25 C, 1.1 V",
                unit_cell="NAND2_X1",
                unit_area_um2=0.798,
                flip_flop_ge=5.67,
                abc_target_ps=300,
            ),
            second_library=LibraryFacts(
                name="OSU018 typical",
                source="osu018_stdcells.lib",
                sha256="b" * 64,
                corner="typical process, 25 C, 1.8 V",
                unit_cell="NAND2X1",
                unit_area_um2=24.0,
                flip_flop_ge=4.0,
                abc_target_ps=1200,
            ),
            constraints=Constraints(
                input_ns=0.1,
                output_ns=0.05,
                memory_clock_to_output_ns=0.31,
                memory_setup_ns=0.05,
                driving_cell="BUF_X1",
                output_load_ff=3.0,
                wire_load="5K_hvratio_1_1",
                abc_scripts={"area": "strash; map", "delay": "strash; dch; map"},
            ),
            memory_threshold_bits=1024,
            ecp5_device="LFE5U-85F",
            ecp5_seeds=[1, 2, 3, 4, 5],
            recipes={"cells": "c1", "osu018": "o1", "xcup": "x1", "ecp5": "e1"},
        ),
        entries=[
            entry("fifo", top=False, kge=0.5, gbit_per_s=None),
            entry("gradient_dec_w1_fp32", top=True, kge=9.5, gbit_per_s=24.0),
            entry("gradient_enc_w1_fp32", top=True, kge=15.25, gbit_per_s=25.6),
            entry("lane_enc_fp32", top=False, kge=3.0, gbit_per_s=40.0),
        ],
    )


@pytest.fixture(scope="session")
def nangate45() -> Library:
    """The library of the dependency group `synthesis`."""
    return library.nangate45()


@pytest.fixture(scope="session")
def osu018() -> Library:
    """The second library, fetched if need be; without it these tests are skipped, saying why."""
    try:
        return library.osu018(CELLS)
    except ToolError as missing:
        pytest.skip(str(missing))
