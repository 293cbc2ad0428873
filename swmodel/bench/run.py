# SPDX-License-Identifier: Apache-2.0
"""Entrolith beside other compressors on the same gradients: `./nox -s bench`.

A quick run, of about three minutes, writes build/bench; `--full`, of about fifteen, measures every
codec and every file, and writes reports. Both write bench.json, bench.md and bench.svg. Ends with
status 1, naming it, if a codec does not give back what it was given.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from bench import chart, ndzip, ours, page, peers
from bench.codec import Codec, RoundTripError, Skipped
from bench.data import (
    CACHE_BYTES,
    GRADIENTS,
    MEMORY_BYTES,
    ROOT,
    Source,
    gradients,
    resized,
    samples,
)
from bench.machine import import_ms, keep_freed_memory, load, machine
from bench.measure import Effort, size, speeds
from bench.report import Report, Size, Speed
from bench.targets import TIMED, evaluate

DTYPES = ("fp32", "bf16")
SLOW_GB_S = 0.4  # what is slower in cache is left out of memory in a quick run


@dataclass(frozen=True)
class Plan:
    """How thorough a run is: a quick one times `TIMED` only, and leaves slow codecs out."""

    mode: str
    cache: Effort
    memory: Effort


QUICK = Plan("quick", Effort(7, 0.01), Effort(3, 0.05))
FULL = Plan("full", Effort(15, 0.02), Effort(3, 0.1))


def codecs(
    ndzip_library: Path | None, only: Sequence[str]
) -> tuple[dict[str, list[Codec]], list[Skipped]]:
    """What can be measured, by dtype, and what cannot.

    Args:
        ndzip_library: a built library, or None.
        only: products to be measured, besides our own; none of them means all.
    """
    found: dict[str, list[Codec]] = {}
    skipped: dict[Skipped, None] = {}
    for dtype in DTYPES:
        listed: list[Codec | Skipped] = [*ours.load(dtype), *peers.memcpy(dtype)]
        for product in peers.PEERS:
            if only and product not in only:
                listed.append(Skipped(product, "--only leaves it out"))
            else:
                listed += peers.load(product, dtype)
        listed += ndzip.load(ndzip_library, dtype)
        found[dtype] = [each for each in listed if isinstance(each, Codec)]
        skipped |= {each: None for each in listed if isinstance(each, Skipped)}
    return found, list(skipped)


def measure(
    source: Source, found: dict[str, list[Codec]], plan: Plan
) -> tuple[list[Size], list[Speed], list[str]]:
    """Sizes, speeds, and the codecs that were too slow for memory.

    Raises:
        RoundTripError: the values do not come back from a codec.
    """
    sizes, timed = [], []
    unsized = {"memcpy", *(entry.name for entry in ours.ENTRIES if not entry.sized)}
    for data in source.data:
        say(f"sizes: {data.name}")
        sizes += [size(codec, data) for codec in found[data.dtype] if codec.name not in unsized]
    too_slow: dict[str, None] = {}
    for data in source.data:
        if plan is FULL or data.name in TIMED:
            say(f"speeds in cache: {data.name}")
            small = resized(data, CACHE_BYTES)
            timed += speeds(found[data.dtype], small, "cache", plan.cache)
    for data in source.data:
        if data.name in TIMED:
            say(f"speeds in memory: {data.name}")
            slow = set()
            if plan is QUICK:
                slow = {s.codec for s in timed if s.data == data.name and min(s.gb_s) < SLOW_GB_S}
            chosen = [codec for codec in found[data.dtype] if codec.name not in slow]
            too_slow |= dict.fromkeys(sorted(slow))
            timed += speeds(chosen, resized(data, MEMORY_BYTES), "memory", plan.memory)
    return sizes, timed, list(too_slow)


def write(report: Report, folder: Path) -> None:
    """Write the report in its three forms."""
    folder.mkdir(parents=True, exist_ok=True)
    found = asdict(report) | {"targets": [asdict(verdict) for verdict in evaluate(report)]}
    (folder / "bench.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (folder / "bench.md").write_text(page.render(report), encoding="utf-8")
    (folder / "bench.svg").write_text(chart.render(report), encoding="utf-8")
    say(f"wrote bench.json, bench.md and bench.svg to {folder}")


def say(line: str) -> None:
    """Tell how far the run is."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write.

    Returns:
        1 if a round trip was not exact.
    """
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="measure everything, write reports")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--gradients",
        type=Path,
        help="folder of whole files; default: ../shared/data/gradients if it is there",
    )
    where.add_argument("--samples", action="store_true", help="take tables/samples instead")
    parser.add_argument(
        "--only", action="append", default=[], choices=[*peers.PEERS], metavar="PEER"
    )
    parser.add_argument(
        "--ndzip",
        type=Path,
        default=os.environ.get("ENTROLITH_NDZIP"),
        help="a library around ndzip (bench/ndzip.py); default: the variable ENTROLITH_NDZIP",
    )
    parser.add_argument("--out", type=Path, help="folder to write to")
    chosen = parser.parse_args(arguments)

    plan = FULL if chosen.full else QUICK
    folder = GRADIENTS if chosen.gradients is None and GRADIENTS.is_dir() else chosen.gradients
    source = samples() if chosen.samples or folder is None else gradients(folder)
    load_before, warm = load(), keep_freed_memory()
    found, skipped = codecs(chosen.ndzip, chosen.only)
    for each in skipped:
        say(f"skipped: {each.name}: {each.reason}")
    try:
        sizes, timed, too_slow = measure(source, found, plan)
    except RoundTripError as error:
        say(f"NOT LOSSLESS: {error}")
        return 1
    products = dict.fromkeys(size.product for size in sizes)
    report = Report(
        machine=machine(load_before, warm),
        mode=plan.mode,
        source=source.label,
        whole=source.whole,
        versions={
            ours.PRODUCT: metadata.version(ours.PRODUCT),
            **{product: peers.version(product) for product in products if product in peers.PEERS},
        },
        skipped=skipped,
        too_slow=too_slow,
        sizes=sizes,
        speeds=timed,
        ndzip_bytes=source.ndzip_bytes,
        import_ms=import_ms(),
    )
    folder = chosen.out or ROOT / ("reports" if chosen.full else "build/bench")
    write(report, folder)
    print(page.targets(evaluate(report)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
