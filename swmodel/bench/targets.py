# SPDX-License-Identifier: Apache-2.0
"""The project's targets, and whether a report meets them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench import ours
from bench.ours import PRODUCT, Entry
from bench.report import Report, Speed

DENSE, SPARSE, DENSE_BF16 = "vit.late.fp32", "vgg16sparse.late.fp32", "vit.late.bf16"
TIMED = (DENSE, DENSE_BF16, SPARSE)  # the files that targets for speeds are about
NDZIP_FILES = tuple(
    f"{model}.late.fp32" for model in ("vit", "resnet50", "bert", "vgg16", "vgg16sparse")
)
CLEARLY = 0.99  # of the best peer's size, the ambitious target on the files of `clearly_smaller`

RATIOS = {
    "vit.late.fp32": (0.833, 0.830),
    "resnet50.late.fp32": (0.838, 0.836),
    "bert.late.fp32": (0.740, 0.737),
    "vgg16.late.fp32": (0.760, 0.757),
    "vgg16sparse.late.fp32": (0.440, 0.436),
    "vit.late.bf16": (0.664, 0.658),
    "resnet50.late.bf16": (0.674, 0.671),
    "bert.late.bf16": (0.584, 0.579),
    "vgg16.late.bf16": (0.622, 0.617),
    "vit.late.ampf32": (0.340, 0.336),
    "vgg16.late.ampf32": (0.316, 0.310),
}
"""By file: the ratio that must be reached, and the ambitious one."""


@dataclass(frozen=True)
class Verdict:
    """A target and how a run stands to it.

    Attributes:
        target: what it is about.
        must: what must be reached, in words; empty if there is only an ambitious target.
        ambitious: the ambitious target, in words; empty if there is none.
        measured: the figure; a reason if there is none.
        meets_must: None if it was not measured or there is no such target.
        meets_ambitious: the same for the ambitious target.
    """

    target: str
    must: str
    ambitious: str
    measured: str
    meets_must: bool | None
    meets_ambitious: bool | None


@dataclass(frozen=True)
class Pair:
    """A figure for compressing and one for decompressing."""

    compress: float
    decompress: float

    def reaches(self, least: Pair) -> bool:
        """Both figures are at least those of another."""
        return self.compress >= least.compress and self.decompress >= least.decompress

    def words(self, unit: str) -> str:
        """Both figures; large ones with fewer digits."""
        return f"{self.compress:.3g} / {self.decompress:.3g} {unit}"


def evaluate(report: Report) -> list[Verdict]:
    """Every target."""
    return [
        *ratios(report),
        *against_peers(report),
        ndzip(report),
        *speeds(report),
        imports(report),
    ]


def unmeasured(target: str, must: str, ambitious: str, reason: str) -> Verdict:
    """A target without a figure."""
    return Verdict(target, must, ambitious, reason, None, None)


def ratios(report: Report) -> Iterator[Verdict]:
    """Ratio of every file at our smallest setting."""
    for name, (must, ambitious) in RATIOS.items():
        words = f"ratio of {name}", f"<= {must:.3f}", f"<= {ambitious:.3f}"
        size = report.smallest(name, PRODUCT)
        if size is None or not report.whole:
            yield unmeasured(*words, "needs the whole file")
            continue
        measured = f"{size.ratio:.4f} ({size.codec})"
        yield Verdict(*words, measured, size.ratio <= must, size.ratio <= ambitious)


def clearly_smaller(name: str, dtype: str) -> bool:
    """Whether the ambitious target asks for a margin on a file."""
    return dtype == "bf16" or name.startswith(("vit.", "bert."))


def against_peers(report: Report) -> Iterator[Verdict]:
    """Our smallest stream of every file against the smallest of any peer."""
    for name in report.files():
        own, peer = report.smallest(name, PRODUCT), report.smallest_peer(name)
        target, must = f"{name} smaller than by every peer", "< 1"
        margin = own is not None and clearly_smaller(name, own.dtype)
        ambitious = f"<= {CLEARLY}" if margin else ""
        if own is None or peer is None:
            yield unmeasured(target, must, ambitious, "no peer was measured")
            continue
        part = own.stream_bytes / peer.stream_bytes
        measured = f"{part:.4f} of {peer.codec}"
        yield Verdict(
            target, must, ambitious, measured, part < 1, part <= CLEARLY if margin else None
        )


def ndzip(report: Report) -> Verdict:
    """The mean of our five ratios against the mean of ndzip's."""
    words = "mean of five fp32 files against ndzip", ">= 15.5 % smaller", ">= 16.61 % smaller"
    own = [report.smallest(name, PRODUCT) for name in NDZIP_FILES]
    sizes = [size for size in own if size is not None and size.data in report.ndzip_bytes]
    if not report.whole or len(sizes) < len(NDZIP_FILES):
        return unmeasured(*words, "needs the whole files and ndzip's sizes of them")
    theirs = sum(report.ndzip_bytes[size.data] / size.original_bytes for size in sizes)
    gain = 100 * (1 - sum(size.ratio for size in sizes) / theirs)
    return Verdict(*words, f"{gain:.2f} % smaller", gain >= 15.5, gain >= 16.61)


def speeds(report: Report) -> Iterator[Verdict]:
    """Targets for GB/s, all of them as compressing / decompressing."""
    fast = measured_entry(report, ours.FAST, ours.DEFAULT)
    own = pair(report.speed(DENSE, "cache", fast))
    zipnn = [
        speed
        for speed in report.speeds
        if (speed.data, speed.where, speed.product) == (DENSE, "cache", "zipnn")
    ]
    # zipnn, which checks nothing, is to be compared with what checks nothing.
    for name, wanted in ((ours.UNCHECKED.name, Pair(8, 3)), (fast, None)):
        alike = pair(report.speed(DENSE, "cache", name))
        times = None
        if alike and zipnn:
            best = Pair(max(s.gb_s[0] for s in zipnn), max(s.gb_s[1] for s in zipnn))
            times = over(alike, best)
        yield judged(f"{name}, fp32 in cache, over zipnn", times, wanted, None, "times")
    yield judged(f"{fast}, fp32 in cache", own, None, Pair(12, 16))
    shape = pair(report.speed(DENSE, "cache", ours.DEFAULT.name))
    yield judged(f"{PRODUCT} (uses the shape), fp32 in cache", shape, Pair(4, 5), Pair(8, 10))
    memory = pair(report.speed(DENSE, "memory", fast))
    yield judged(f"{fast}, fp32 in memory", memory, Pair(4, 5), Pair(8, 10))
    portable = measured_entry(report, ours.FAST_PORTABLE)
    slow = pair(report.speed(DENSE, "cache", portable))
    yield judged(f"{portable}, fp32 in cache", slow, Pair(1, 1), Pair(3.5, 4))
    yield two_threads(report)
    for codec in dict.fromkeys((fast, ours.DEFAULT.name)):
        for other, least in ((SPARSE, 1.0), (DENSE_BF16, 0.6)):
            one = pair(report.speed(other, "cache", codec))
            dense = pair(report.speed(DENSE, "cache", codec))
            part = over(one, dense) if one and dense else None
            target = f"{codec}, {other} in cache over {DENSE}"
            yield judged(target, part, Pair(least, least), None, "times")


def two_threads(report: Report) -> Verdict:
    """Two threads over one by the clock, where the data does not fit a cache."""
    one = report.speed(DENSE, "memory", ours.DEFAULT.name)
    two = report.speed(DENSE, "memory", ours.TWO_THREADS.name)
    gain = None
    if one and two:
        gain = Pair(
            two.compress.wall_gb_s / one.compress.wall_gb_s,
            two.decompress.wall_gb_s / one.decompress.wall_gb_s,
        )
    return judged(
        "2 threads over 1, fp32 in memory", gain, Pair(1.7, 1.7), Pair(1.95, 1.95), "times"
    )


def measured_entry(report: Report, *entries: Entry) -> str:
    """The name of the first of some entries that was measured; else of the first of all."""
    measured = {speed.codec for speed in report.speeds}
    return next((entry.name for entry in entries if entry.name in measured), entries[0].name)


def pair(speed: Speed | None) -> Pair | None:
    """GB/s of a codec."""
    return None if speed is None else Pair(*speed.gb_s)


def over(one: Pair, other: Pair) -> Pair:
    """The quotients of two pairs."""
    return Pair(one.compress / other.compress, one.decompress / other.decompress)


def judged(
    target: str, found: Pair | None, must: Pair | None, ambitious: Pair | None, unit: str = "GB/s"
) -> Verdict:
    """The verdict on a pair of figures."""

    def words(least: Pair | None) -> str:
        return f">= {least.words(unit)}" if least else ""

    def meets(least: Pair | None) -> bool | None:
        return found.reaches(least) if found and least else None

    measured = found.words(unit) if found else "not measured"
    return Verdict(target, words(must), words(ambitious), measured, meets(must), meets(ambitious))


def imports(report: Report) -> Verdict:
    """The time of an import."""
    measured = f"{report.import_ms:.0f} ms"
    meets = report.import_ms < 100
    return Verdict("import beyond NumPy's own", "< 100 ms", "", measured, meets, None)
