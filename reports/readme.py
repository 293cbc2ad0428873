# SPDX-License-Identifier: Apache-2.0
"""reports/README.md: the tables, and how the figures came about."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from reports import progress, synth, table
from reports.library import NANGATE45, OSU018

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reports.baselines import Baseline
    from reports.published import Design
    from reports.summary import Entry, Summary

TEXT = """\
<!-- Written by `python reports/build.py` (`./nox -s reports`); edit reports/readme.py instead. -->

# Area, timing and throughput of the Verilog in `rtl/`

![Area against throughput](area_throughput.svg)

`./nox -s reports` measures every configuration of `rtl/` and writes this page, the chart and
[`summary.json`](summary.json), which has every figure; `-- --only CONFIG` measures one and
`-- --fast` leaves place and route out, both into `build/reports`. Results of unchanged RTL, tools
and scripts are reused. The ceilings in [`budgets.toml`](budgets.toml) must hold.

## In standard cells

Thousand 2-input NAND equivalents (kGE), **memories excluded**, in two libraries, whose figures do
not compare: a flip-flop is {flip_flop_ge} GE in {family}, {second_flip_flop_ge} in {second_family}.
Everything but the column of {second_family} is of {library}.

### Encoders and decoders

{top_area}
### Their blocks, each by itself

{block_area}
The sum of the blocks is not the whole: alone, a block keeps what its neighbours would let
synthesis remove. A dash marks a block without a steady throughput of values.

## What enters and leaves

Encoders take values and give chunks, decoders the reverse. Chunks are taken at the ratio of the
test sample that is compressed least, {worst} ([`ratios.json`](ratios.json)).
Gbit/s per kGE counts values and the area in {family}.

{throughput}
## Since the last baseline

`./nox -s reports -- --baseline NAME` keeps the figures of all configurations in
[`baselines.csv`](baselines.csv), to which later ones are compared here.

{progress}
## Beside published hardware

Uncompressed bits. Gates of two processes compare but roughly, memories are left out of ours, and
the designs code different data. Bits a cycle per kGE compares without a clock; a dash is a figure
that is not quoted here.

Encoders:

{published_encoders}
Decoders:

{published_decoders}
{sources}
## On FPGAs

Resources as on an UltraScale+ device (Alveo U250 and others). Frequency after place and route on
an ECP5 {ecp5_device}, for encoders and decoders: the median over {seeds} seeds, largest
less smallest, and each seed.

{fpga}
## How it is measured

**Area.** Yosys {yosys} flattens the design and maps it to {library} ({corner}),
{source}, SHA-256 `{library_digest}`;
the library is read where it is installed, no part of it is in this repository. Each of {scripts}
abc scripts, from small to fast, makes a netlist ({script_names}; a goal of
{abc_target} ps; spelt out in `summary.json`). The smallest that meets {period} ns is reported, its
area and its period together; if none does, the fastest. All of them:

{trials}
Area is the sum of the cells' areas over that of {unit_cell}, {unit_area} square micrometres.

The script that was best maps to {second_library} as well ({second_corner}, a goal of
{second_target} ps), {second_source},
SHA-256 `{second_digest}`; its area is over that of {second_unit_cell}, {second_unit_area} square
micrometres. Nothing else is reported of it.

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


PROGRESS = """\
{changes}
Encoders and decoders in every baseline, kGE in {family}, MHz on ECP5:

{history}"""
NO_BASELINE = "There is none yet.\n"


def progress_of(baselines: Sequence[Baseline], entries: Sequence[Entry], family: str) -> str:
    """What has changed since the last baseline, and the history of encoders and decoders."""
    if not baselines:
        return NO_BASELINE
    tops = [entry for entry in entries if entry["top"]]
    last = baselines[-1]
    return PROGRESS.format(
        changes=f"*{last.name}*: {progress.differences(last, entries)}",
        family=family,
        history=progress.history(baselines, tops),
    )


def render(
    summary: Summary,
    *,
    baselines: Sequence[Baseline],
    designs: Sequence[Design],
    worst: Mapping[str, float],
) -> str:
    """The page for `summary`.

    Args:
        summary: What was measured.
        baselines: What was measured before, oldest first.
        designs: Hardware of others.
        worst: Compressed over original size of the least compressible sample, by dtype.
    """
    header, entries = summary["header"], summary["entries"]
    tops = [entry for entry in entries if entry["top"]]
    blocks = [entry for entry in entries if not entry["top"]]
    library, second, around = header["library"], header["second_library"], header["constraints"]
    sources = dict.fromkeys(f"- {design.source} ({design.process})" for design in designs)
    return TEXT.format(
        library=library["name"],
        family=NANGATE45.family,
        source=library["source"],
        library_digest=library["sha256"][:16],
        corner=library["corner"],
        unit_cell=library["unit_cell"],
        unit_area=library["unit_area_um2"],
        flip_flop_ge=f"{library['flip_flop_ge']:g}",
        abc_target=library["abc_target_ps"],
        period=synth.PERIOD_NS,
        second_library=second["name"],
        second_family=OSU018.family,
        second_source=second["source"],
        second_digest=second["sha256"][:16],
        second_corner=second["corner"],
        second_unit_cell=second["unit_cell"],
        second_unit_area=f"{second['unit_area_um2']:g}",
        second_flip_flop_ge=f"{second['flip_flop_ge']:g}",
        second_target=second["abc_target_ps"],
        wire_load=around["wire_load"],
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
        worst=", ".join(f"{each:.3f} in {dtype}" for dtype, each in sorted(worst.items())),
        throughput=table.throughput(tops, worst),
        progress=progress_of(baselines, entries, NANGATE45.family),
        published_encoders=table.published(designs, tops, "encoder"),
        published_decoders=table.published(designs, tops, "decoder"),
        sources="".join(f"{fill(each, 100, subsequent_indent='  ')}\n" for each in sources),
        fpga=table.fpga([*tops, *blocks]),
        memories=table.memory([*tops, *blocks]),
        paths=table.paths([*tops, *blocks]),
    )
