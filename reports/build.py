# SPDX-License-Identifier: Apache-2.0
"""Measure area, timing and throughput of rtl/ and write reports/.

    python reports/build.py                     everything, into reports/
    python reports/build.py --only CONFIG       one configuration, into build/reports/
    python reports/build.py --fast              no place and route, into build/reports/
    python reports/build.py --baseline NAME     everything, and keep it in baselines.csv

Writes summary.json, README.md and area_throughput.svg. Exit status: 0, or 1 when a tool fails, the
RTL is not what its manifest lists, or a ceiling of budgets.toml is exceeded (the files are written
then, so that their difference shows by how much).
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if not __package__:  # started as a script: make `reports` importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reports import (
    baselines,
    budgets,
    chart,
    library,
    manifest,
    published,
    readme,
    summary,
    table,
    throughput,
)
from reports.cache import Cache
from reports.measure import Bench, header
from reports.toolrun import ToolError

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
BUILD = ROOT / "build"
PARTIAL = BUILD / "reports"

PROBLEMS = ToolError, manifest.ManifestError, budgets.BudgetError, baselines.BaselineError


def arguments(given: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Measure area, timing and throughput of rtl/.")
    parser.add_argument("--only", metavar="CONFIG", action="append", help="measure just this one")
    parser.add_argument("--fast", action="store_true", help="run no place and route")
    parser.add_argument("--baseline", metavar="NAME", help="keep the figures under this name")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write here (see above for where)")
    parser.add_argument("--rtl", metavar="DIR", type=Path, default=ROOT / "rtl", help="read this")
    parser.add_argument("--budgets", metavar="FILE", type=Path, default=REPORTS / "budgets.toml")
    parsed = parser.parse_args(given)
    if parsed.baseline and (parsed.only or parsed.fast):
        parser.error("a baseline is of everything: --baseline goes with neither --only nor --fast")
    return parsed


def chosen(
    found: list[manifest.Configuration], only: list[str] | None
) -> list[manifest.Configuration]:
    """The configurations asked for.

    Raises:
        ManifestError: One of them does not exist.
    """
    names = {config.name for config in found}
    for name in only or ():
        if name not in names:
            message = f"no configuration {name}; there are: {', '.join(sorted(names))}"
            raise manifest.ManifestError(message)
    return [config for config in found if not only or config.name in only]


def committed() -> summary.Summary | None:
    """The summary in the repository, or None when there is none to reuse."""
    path = REPORTS / "summary.json"
    if not path.exists():
        return None
    try:
        return summary.read(path)
    except summary.SummaryError as unreadable:
        print(f"nothing is reused: {unreadable}", flush=True)
        return None


def page(result: summary.Summary, *, partial: bool) -> str:
    """The text of README.md, with what it shows beside the figures measured."""
    measured = {entry["config"] for entry in result["entries"]}
    kept = baselines.read(REPORTS / "baselines.csv")
    if partial:  # what was not measured is not gone
        kept = [baseline.without_others(measured) for baseline in kept]
    return readme.render(
        result,
        baselines=kept,
        designs=published.read(REPORTS / "published.toml"),
        worst=throughput.ratios(REPORTS / "ratios.json"),
    )


def write(result: summary.Summary, out: Path, *, partial: bool) -> None:
    """Write a report; there is no chart when no entry has a throughput."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "summary.json").write_text(summary.to_text(result), encoding="utf-8")
    result = summary.read(out / "summary.json")  # page and chart see what a reader of it sees
    (out / "README.md").write_text(page(result, partial=partial), encoding="utf-8")
    if chart.points(result["entries"]):
        (out / "area_throughput.svg").write_text(chart.render(result), encoding="utf-8")


def measure(
    bench: Bench, wanted: list[manifest.Configuration], *, place_and_route: bool
) -> list[summary.Entry]:
    """Measure configurations on as many cores as there are, encoders and decoders first."""
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        started = {
            config.name: pool.submit(bench.entry, config, place_and_route=place_and_route)
            for config in sorted(wanted, key=lambda config: not config.top)
        }
        try:
            return [started[config.name].result() for config in wanted]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def build(given: argparse.Namespace) -> list[str]:
    """Measure and write; return what exceeds its budget."""
    configs = manifest.read(given.rtl)
    wanted = chosen(configs, given.only)
    ceilings = budgets.read(given.budgets)
    cells = library.nangate45()
    how = header(cells)
    bench = Bench(
        cells=cells,
        osu018=lambda: library.osu018(BUILD / "cells"),
        header=how,
        committed=committed(),
        cache=Cache(BUILD / "reports-cache"),
        work=BUILD / "reports-work",
        say=lambda words: print(f"  {words}", flush=True),
    )
    entries = measure(bench, wanted, place_and_route=not given.fast)
    if given.baseline:
        baselines.add(REPORTS / "baselines.csv", given.baseline, entries)
    partial = bool(given.fast or given.only)
    out = given.out or (PARTIAL if partial else REPORTS)
    write(summary.Summary(header=how, entries=entries), out, partial=partial)
    print(f"\n{table.area(entries)}\n{table.fpga(entries)}\nwritten to {out}")
    return budgets.exceeded(entries, ceilings) + budgets.unused([c.name for c in configs], ceilings)


def main(given: list[str] | None = None) -> int:
    """Command line; see the top of the file."""
    try:
        faults = build(arguments(given))
    except PROBLEMS as problem:
        print(f"reports: {problem}", file=sys.stderr)
        return 1
    for fault in faults:
        print(f"reports: {fault} (reports/budgets.toml)", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
