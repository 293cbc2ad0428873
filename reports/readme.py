# SPDX-License-Identifier: Apache-2.0
"""reports/README.md: the tables, and how the figures came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import table

if TYPE_CHECKING:
    from reports.summary import Summary

TEXT = """\
<!-- Written by `python reports/build.py` (`./nox -s reports`); edit reports/readme.py instead. -->

# Area, timing and throughput of the Verilog in `rtl/`

![Area against throughput](area_throughput.svg)

`./nox -s reports` measures every configuration of `rtl/` and writes this page, the chart and
[`summary.json`](summary.json), which has every figure; `-- --only CONFIG` measures one and
`-- --fast` leaves place and route out, both into `build/reports`. Results of unchanged RTL, tools
and scripts are reused. The ceilings in [`budgets.toml`](budgets.toml) must hold.

## In standard cells

{library}, thousand 2-input NAND equivalents (kGE), **memories excluded**.

### Encoders and decoders

{top_area}
### Their blocks, each by itself

{block_area}
The sum of the blocks is not the whole: alone, a block keeps what its neighbours would let
synthesis remove. A dash marks a block without a steady throughput of values.

## On FPGAs

Resources as on an UltraScale+ device (Alveo U250 and others). Frequency after place and route on
an ECP5 {ecp5_device}, for encoders and decoders: the median over {seeds} seeds, and each seed.

{fpga}
## How it is measured

**Area.** Yosys {yosys} flattens the design and maps it to {library} ({corner}),
{source}, SHA-256 `{library_digest}`;
the library is read where it is installed, no part of it is in this repository. Each of {scripts}
abc scripts, from small to fast, makes a netlist ({script_names}; a goal of
{abc_target} ps; spelt out in `summary.json`). The one of least area times period is reported, its
area and its period together. All of them:

{trials}
Area is the sum of the cells' areas over that of {unit_cell}, {unit_area} square micrometres.
The smallest flip-flop of this library is {flip_flop_ge} GE; another library has another ratio,
so figures of two libraries do not compare.

**Memories** are arrays of more than {threshold} bits with a write port and clocked reads. They are
taken out before mapping, and their pins become ports of what is measured. ROMs, smaller arrays
and arrays with unclocked reads are logic and flip-flops, and count. The bits taken out must be
those that the manifest of `rtl/` states.

{memories}
**Period.** OpenSTA {opensta}, ideal clock, wires as the library's default wire-load model
{wire_load} estimates them from the fan-out, no layout. Every path is constrained: a warning of
OpenSTA is an error, and a second run at the period stated must find a slack of zero. The
surroundings are assumed as follows.

| | ns |
| --- | --: |
| an input settles after the clock edge, through a {driving_cell} | {input_ns} |
| an output, loaded by {output_load} fF, settles before the next edge | {output_ns} |
| clock to data of a memory | {memory_out_ns} |
| set-up of every pin of a memory | {memory_setup_ns} |

The memory's figures are those of `fakeram45_1024x32` in OpenROAD's public Nangate45 platform;
larger memories are banks of such. The worst path, net by net, is in
`build/reports-work/CONFIG/sta_SCRIPT.log` after a run. Shortest period in nanoseconds by where a
path starts and ends:

{paths}
**Throughput** in Gbit/s is values a cycle, by the block's contract, times the bits of an
uncompressed value, over the period.

**FPGA.** `synth_xilinx -family xcup` of the same Yosys; no vendor tool takes part, so there is no
frequency for that device. A LUT used as memory counts as one LUT, block RAM in units of 36 kbit.
ECP5: `synth_ecp5` and nextpnr-ecp5 {nextpnr}. There the design sits in a harness of registers,
so that paths from inputs and to outputs are paths between registers, and count. The spread over
the seeds is the noise of place and route: a smaller difference says nothing.

**Left out everywhere:** power, the clock tree, scan chains, layout.
"""


def render(summary: Summary) -> str:
    """The page for `summary`."""
    header, entries = summary["header"], summary["entries"]
    tops = [entry for entry in entries if entry["top"]]
    blocks = [entry for entry in entries if not entry["top"]]
    library, around = header["library"], header["constraints"]
    return TEXT.format(
        library=library["name"],
        source=library["source"],
        library_digest=library["sha256"][:16],
        corner=library["corner"],
        unit_cell=library["unit_cell"],
        unit_area=library["unit_area_um2"],
        wire_load=library["wire_load"],
        flip_flop_ge=library["flip_flop_ge"],
        abc_target=around["abc_target_ps"],
        scripts=len(around["abc_scripts"]),
        script_names=", ".join(f"`{name}`" for name in around["abc_scripts"]),
        trials=table.trials([*tops, *blocks], list(around["abc_scripts"])),
        threshold=header["memory_threshold_bits"],
        input_ns=around["input_ns"],
        output_ns=around["output_ns"],
        memory_out_ns=around["memory_clock_to_output_ns"],
        memory_setup_ns=around["memory_setup_ns"],
        driving_cell=around["driving_cell"],
        output_load=around["output_load_ff"],
        yosys=header["tools"]["yosys"],
        opensta=header["tools"]["opensta"],
        nextpnr=header["tools"]["nextpnr-ecp5"],
        ecp5_device=header["ecp5_device"],
        seeds=len(header["ecp5_seeds"]),
        top_area=table.area(tops),
        block_area=table.area(blocks),
        fpga=table.fpga([*tops, *blocks]),
        memories=table.memory([*tops, *blocks]),
        paths=table.paths([*tops, *blocks]),
    )
