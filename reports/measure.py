# SPDX-License-Identifier: Apache-2.0
"""Measure configurations, doing nothing twice.

A result is taken from the committed summary or from the cache of this working copy whenever the
RTL, the tools and the scripts are those it was made with; otherwise the tools run.
"""

from __future__ import annotations

import fcntl
import shutil
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports import fpga, library, memories, sta, synth, yosys
from reports.cache import Cache, fingerprint
from reports.library import NANGATE45, OSU018
from reports.summary import (
    SCHEMA,
    Cells,
    Constraints,
    Entry,
    Header,
    LibraryFacts,
    Summary,
    Trial,
    reusable,
)
from reports.toolrun import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reports.fpga import Resources
    from reports.library import Kit, Library
    from reports.manifest import Configuration
    from reports.sta import Timing
    from reports.synth import Netlist


def header(cells: Library) -> Header:
    """State how this installation measures.

    Raises:
        ToolError: A tool is missing.
    """
    tools = {
        "yosys": yosys.tool_version(),
        "opensta": sta.tool_version(),
        "nextpnr-ecp5": fpga.nextpnr_version(),
    }
    mapping = fingerprint(
        tools["yosys"], tools["opensta"], cells.sha256, synth.recipe(NANGATE45), sta.recipe()
    )
    recipes = {
        "cells": mapping,
        # Of the script that was best for the first library.
        "osu018": fingerprint(mapping, library.OSU018_SHA256, synth.recipe(OSU018)),
        "xcup": fingerprint(tools["yosys"], fpga.xcup_recipe()),
        "ecp5": fingerprint(tools["yosys"], tools["nextpnr-ecp5"], fpga.ecp5_recipe()),
    }
    return Header(
        schema=SCHEMA,
        tools=tools,
        library=facts(
            NANGATE45, cells.sha256, cells.unit_area, cells.cells[NANGATE45.flip_flop].area
        ),
        second_library=facts(
            OSU018,
            library.OSU018_SHA256,
            library.OSU018_UNIT_UM2,
            library.OSU018_FLIP_FLOP_UM2,
        ),
        constraints=Constraints(
            input_ns=sta.INPUT_NS,
            output_ns=sta.OUTPUT_NS,
            memory_clock_to_output_ns=sta.MEMORY_CLOCK_TO_OUTPUT_NS,
            memory_setup_ns=sta.MEMORY_SETUP_NS,
            driving_cell=NANGATE45.driving_cell,
            output_load_ff=NANGATE45.output_load_ff,
            wire_load=library.WIRE_LOAD,
            abc_scripts=synth.abc_scripts(NANGATE45),
        ),
        memory_threshold_bits=memories.THRESHOLD_BITS,
        ecp5_device=fpga.DEVICE,
        ecp5_seeds=list(fpga.SEEDS),
        recipes=recipes,
    )


def facts(kit: Kit, sha256: str, unit_um2: float, flip_flop_um2: float) -> LibraryFacts:
    """What the summary says of a library."""
    return LibraryFacts(
        name=kit.name,
        source=kit.source,
        sha256=sha256,
        corner=kit.corner,
        unit_cell=kit.unit_cell,
        unit_area_um2=unit_um2,
        flip_flop_ge=round(flip_flop_um2 / unit_um2, 2),
        abc_target_ps=kit.goal_ps,
    )


def cells_of(entry: Cells) -> Cells:
    """The part of an entry that comes from the cell library."""
    return Cells(
        abc_script=entry["abc_script"],
        trials=entry["trials"],
        kge=entry["kge"],
        flipflops=entry["flipflops"],
        period_ns=entry["period_ns"],
        worst_path=entry["worst_path"],
        paths_ns=entry["paths_ns"],
        memory_bits=entry["memory_bits"],
        memories=entry["memories"],
    )


def choose(timed: Sequence[tuple[Netlist, Timing]]) -> tuple[Netlist, Timing]:
    """The smallest netlist that meets the period of designs, or the fastest if none does."""
    fit = [pair for pair in timed if pair[1].period_ns <= synth.PERIOD_NS]
    if fit:
        return min(fit, key=lambda pair: pair[0].kge)
    return min(timed, key=lambda pair: pair[1].period_ns)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold `folder`, made if need be, against other processes; wait for it as long as it takes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass
class Bench:
    """Everything that measuring needs.

    Attributes:
        cells: Nangate45.
        osu018: Returns OSU018; called only when an area in it is not known.
        header: How this installation measures.
        committed: The summary to reuse entries of, or None.
        cache: Results of this working copy.
        work: Folder for netlists, scripts and logs, one folder for each configuration.
        say: Called with a line of progress.
    """

    cells: Library
    osu018: Callable[[], Library]
    header: Header
    committed: Summary | None
    cache: Cache
    work: Path
    say: Callable[[str], None]

    def entry(self, config: Configuration, *, place_and_route: bool) -> Entry:
        """Measure one configuration.

        Args:
            config: What to measure.
            place_and_route: Whether to run place and route for a top that has no result yet.

        Raises:
            ToolError: A tool failed, or the memories are not those of the manifest.
        """
        with alone_in(self.work / config.name):
            return self.entry_alone(config, place_and_route=place_and_route)

    def entry_alone(self, config: Configuration, *, place_and_route: bool) -> Entry:
        """As `entry`, in a folder that no other process uses meanwhile."""
        area = self.area_and_timing(config)
        if area["memory_bits"] != config.memory_bits:
            found = ", ".join(f"{m['name']} {m['depth']}x{m['width']}" for m in area["memories"])
            message = (
                f"{config.name}: {area['memory_bits']} bits of memory found ({found or 'none'}), "
                f"{config.memory_bits} in the manifest"
            )
            raise ToolError(message)
        seeds = self.frequencies(config, run=place_and_route) if config.top else None
        values, bits = config.values_per_cycle, config.bits_per_value
        throughput = None if values is None or bits is None else values * bits / area["period_ns"]
        return Entry(
            **area,
            config=config.name,
            block=config.block,
            top=config.top,
            width=config.width,
            dtype=config.dtype,
            rtl_sha256=config.sha256,
            library=NANGATE45.name,
            kge_osu018=self.second_area(config, area["abc_script"]),
            xcup=self.resources(config),
            ecp5_mhz=None if seeds is None else round(statistics.median(seeds), 1),
            ecp5_mhz_seeds=seeds,
            values_per_cycle=values,
            bits_per_value=bits,
            gbit_per_s=None if throughput is None else round(throughput, 2),
        )

    def area_and_timing(self, config: Configuration) -> Cells:
        """Area in the cell library and shortest period."""
        kept = self.kept("cells", config)
        if kept is not None:
            return cells_of(kept)

        def run() -> Cells:
            logic = synth.read_logic(self.folder(config), config.module, config.clock)
            netlists = [synth.map_to_cells(logic, script, self.cells) for script in synth.SCRIPTS]
            timed = [(netlist, sta.measure(netlist, self.cells)) for netlist in netlists]
            best, timing = choose(timed)
            return Cells(
                abc_script=best.script,
                trials={
                    netlist.script: Trial(kge=round(netlist.kge, 3), period_ns=each.period_ns)
                    for netlist, each in timed
                },
                kge=round(best.kge, 3),
                flipflops=best.flip_flops,
                period_ns=timing.period_ns,
                worst_path=timing.worst_path,
                paths_ns=timing.paths_ns,
                memory_bits=sum(memories.bits_of(memory) for memory in logic.memories),
                memories=logic.memories,
            )

        cells: Cells = self.cached("cells", config, run)
        return cells

    def second_area(self, config: Configuration, script: str) -> float:
        """Area in OSU018 of what `script` makes, in kGE."""
        kept = self.kept("osu018", config)
        if kept is not None:
            return kept["kge_osu018"]

        def run() -> dict[str, float]:
            folder = self.folder(config, "osu018")
            logic = synth.read_logic(folder, config.module, config.clock)
            return {"kge": round(synth.map_to_cells(logic, script, self.osu018()).kge, 3)}

        kge: float = self.cached("osu018", config, run)["kge"]
        return kge

    def resources(self, config: Configuration) -> Resources:
        """UltraScale+ resources."""
        kept = self.kept("xcup", config)
        if kept is not None:
            return kept["xcup"]

        def run() -> Resources:
            return fpga.resources(self.folder(config), config.module)

        resources: Resources = self.cached("xcup", config, run)
        return resources

    def frequencies(self, config: Configuration, *, run: bool) -> list[float] | None:
        """ECP5 frequencies in MHz, one a seed; None when one is missing and `run` is false."""
        kept = self.kept("ecp5", config)
        if kept is not None and kept["ecp5_mhz_seeds"] is not None:
            return kept["ecp5_mhz_seeds"]
        found: list[float] = []
        prepared = False
        for seed in fpga.SEEDS:
            result = self.cache.get(*self.place("ecp5", config, seed))
            if result is None:
                if not run:
                    return None
                start = time.monotonic()
                folder = self.folder(config)
                if not prepared:
                    fpga.prepare(folder, config.module, config.clock)
                    prepared = True
                result = {"mhz": fpga.place_and_route(folder, seed)}
                self.cache.put(*self.place("ecp5", config, seed), result)
                spent = time.monotonic() - start
                self.say(f"{config.name}: ecp5 seed {seed}, {result['mhz']} MHz ({spent:.0f} s)")
            found.append(result["mhz"])
        return found

    def kept(self, step: str, config: Configuration) -> Entry | None:
        """Committed entry in which `step` still holds."""
        recipe = self.header["recipes"][step]
        return reusable(self.committed, step, recipe, config.name, config.sha256)

    def place(self, step: str, config: Configuration, *more: object) -> tuple[str, str]:
        """Name and fingerprint under which the cache keeps a result."""
        key = fingerprint(
            self.header["recipes"][step], config.sha256, config.module, config.clock, *more
        )
        return f"{config.name}-{step}", key

    def cached(
        self, step: str, config: Configuration, run: Callable[[], Mapping[str, object]]
    ) -> Any:
        """Result of `step` from the cache, or of `run`, which is then kept."""
        result: Mapping[str, object] | None = self.cache.get(*self.place(step, config))
        if result is None:
            start = time.monotonic()
            result = run()
            self.cache.put(*self.place(step, config), result)
            self.say(f"{config.name}: {step} ({time.monotonic() - start:.0f} s)")
        return result

    def folder(self, config: Configuration, part: str = "") -> Path:
        """Working folder of a configuration, or a part of it, with its Verilog as MODULE.v."""
        folder = self.work / config.name / part
        folder.mkdir(exist_ok=True)
        shutil.copyfile(config.path, folder / f"{config.module}.v")
        return folder
