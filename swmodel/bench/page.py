# SPDX-License-Identifier: Apache-2.0
"""A report as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import ours
from bench.ours import PRODUCT
from bench.report import Report, Speed
from bench.targets import Verdict, evaluate
from reports.table import table

LEFT, RIGHT = "---", "--:"
WAYS = ("compress", "decompress")
PLACES = {"cache": "in cache", "memory": "in memory"}

HEAD = """\
<!-- Written by `./nox -s bench` ({mode}); edit swmodel/bench/page.py instead. -->

# Entrolith beside other compressors

Lossless compression of gradients by {count} products, on the same arrays and in turn, in one run;
every round trip was compared bit for bit. Data: {source}, from our own training runs of minutes,
nothing converged. A {mode} run; figures of a machine that others use at the same time are noisy.

{machine}

![Ratio against speed](bench.svg)
"""
HOW = """\
## How it is measured

**Sizes** are whole streams, with headers, tables and checks. Entrolith codes with its shipped
tables, which were learned on earlier steps of the same models; `./nox -s reports` quotes ratios
with tables of other models only. It is given named tensors in their shapes, and its stream gives
them back; a profile is given all values in one row. So are the others, as the type that serves them
best: bf16 is a type of ZipNN and OpenZL, unsigned integers for pcodec, widened to float32 for ZFP,
pairs in a float32 for FPZIP.

**Speeds** are GB/s, 10^9 bytes of the original a second: medians over calls, all codecs taking
their turn in each round. With one thread, which is the case unless the name says another number,
it is by processor time of the whole process, because ZipNN hands even that work to another
thread; with more, by the clock. "In cache" is about a mebibyte: bands of rows from the largest
tensors of a file. "In memory" is 64 MiB: its tensors again and again, the values shuffled along
columns and with other signs and mantissas, so that no repetition is found.
{allocator}
Not timed: conversions that a product's interface asks for, and the copy for ZipNN, which
overwrites its input. memcpy copies into memory that has been written before.
"""


def render(report: Report) -> str:
    """The page."""
    machine = report.machine
    described = (
        f"{machine.cpu}, {machine.cores} cores; load {machine.load_before} before the run and "
        f"{machine.load_after} after it, to which the run itself adds about 1. "
        f"Kernel of Entrolith: {machine.kernel}. Python {machine.python}, NumPy {machine.numpy}. "
        "Versions: "
        + ", ".join(f"{product} {version}" for product, version in report.versions.items())
        + "."
    )
    head = HEAD.format(
        mode=report.mode,
        count=1 + len(report.peers()),
        source=report.source,
        machine=described,
    )
    allocator = (
        "Memory that was freed stays with the process (glibc's mallopt), so buffers are warm."
        if machine.warm_allocator
        else "This C library may return freed memory to the system, so buffers may be cold."
    )
    parts = [
        head,
        *skipped(report),
        "## Targets\n\n" + targets(evaluate(report)),
        "## Sizes\n\n" + sizes(report),
        "Entrolith's settings, compressed over original:\n\n" + own_sizes(report),
        *("## Speeds: " + speeds(each, report) for each in report.speed_tables()),
        HOW.format(allocator=allocator),
    ]
    return "\n".join(parts)


def skipped(report: Report) -> Iterator[str]:
    """What was left out."""
    if report.skipped:
        lines = (f"- {each.name}: {each.reason}\n" for each in report.skipped)
        yield "Not measured:\n\n" + "".join(lines)
    if report.too_slow:
        yield f"Left out in memory, too slow for a quick run: {', '.join(report.too_slow)}.\n"


def targets(verdicts: Sequence[Verdict]) -> str:
    """The table of targets."""
    columns = [(name, LEFT) for name in ("target", "must", "met", "ambitious", "met", "measured")]
    rows = [
        (
            verdict.target,
            verdict.must,
            answer(verdict.meets_must),
            verdict.ambitious,
            answer(verdict.meets_ambitious),
            verdict.measured,
        )
        for verdict in verdicts
    ]
    return table(columns, rows)


def answer(meets: bool | None) -> str:
    """Yes or no."""
    return {True: "yes", False: "**no**", None: ""}[meets]


def sizes(report: Report) -> str:
    """The best ratio of every product for every file; the smallest is bold."""
    products = [PRODUCT, *report.peers()]
    columns = [("file", LEFT), *((product, RIGHT) for product in products), ("best peer", LEFT)]
    rows = []
    for name in report.files():
        found = {product: report.smallest(name, product) for product in products}
        best = min(size.stream_bytes for size in found.values() if size)
        peer = report.smallest_peer(name)
        rows.append(
            [
                f"`{name}`",
                *(
                    ratio(size.ratio, size.stream_bytes == best) if size else ""
                    for size in found.values()
                ),
                peer.codec if peer else "",
            ]
        )
    caption = "The smallest of each product's settings, compressed over original:\n\n"
    return caption + table(columns, rows)


def own_sizes(report: Report) -> str:
    """Our settings that change the stream."""
    entries = [entry.name for entry in ours.ENTRIES if entry.sized]
    found = {(size.data, size.codec): size for size in report.sizes}
    shown = [name for name in entries if any(codec == name for _, codec in found)]
    columns = [("file", LEFT), *((name, RIGHT) for name in shown)]
    rows = [
        [f"`{file}`", *(ratio(found[file, name].ratio) for name in shown)]
        for file in report.files()
    ]
    return table(columns, rows)


def ratio(value: float, best: bool = False) -> str:
    """A ratio."""
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def speeds(side_by_side: Sequence[Speed], report: Report) -> str:
    """All codecs on the same data, and how many times as fast our default is."""
    first = side_by_side[0]
    own = report.speed(first.data, first.where, ours.DEFAULT.name)
    title = (
        f"{first.data} {PLACES[first.where]}\n\n{first.original_bytes / 1e6:.1f} MB, "
        f'{first.zeros:.1%} zeros. `{PRODUCT}` over each in the columns "times".\n\n'
    )
    heads = ("ratio", *(head for way in WAYS for head in (f"{way}, GB/s", "times", "by the clock")))
    columns = [("codec", LEFT), *((head, RIGHT) for head in heads)]
    rows = []
    for speed in side_by_side:
        cells = [speed.codec, f"{speed.ratio:.4f}"]
        for way, rate in enumerate((speed.compress, speed.decompress)):
            times = f"{own.gb_s[way] / speed.gb_s[way]:.1f}" if own else ""
            cells += [f"{speed.gb_s[way]:.3f}", times, f"{rate.wall_gb_s:.3f}"]
        rows.append(cells)
    return title + table(columns, rows)
