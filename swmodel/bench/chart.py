# SPDX-License-Identifier: Apache-2.0
"""The chart of ratio against speed, in the style of reports/chart.py.

A row of panels for each file: compressing on the left, decompressing on the right; the speed of a
part that fits the cache, the ratio of the whole file. Up is faster and left is smaller. Filled
marks are Entrolith's, hollow ones its peers'.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from bench import ours
from bench.ours import PRODUCT
from bench.report import Report, Speed
from bench.targets import TIMED
from reports.chart import (
    FONT,
    FRAME,
    HEIGHT,
    PAPER,
    QUIET,
    WIDTH,
    LogAxis,
    Mark,
    axes,
    draw_label,
    draw_mark,
    place_labels,
    text,
)

OWN, PEER = "#1565c0", "#66727f"
DRAWN = {entry.name for entry in (ours.FAST, ours.DEFAULT, ours.SMALLEST)}
MARGIN = 0.08  # of the ratios' extent, on each side of it
TITLES = ("compressed over original", "GB/s (log scale)")
WAYS = ("compress", "decompress")


@dataclass(frozen=True)
class LinearAxis:
    """A linear map of values from `low` to `high` to pixels from `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, stop: float) -> LinearAxis:
        """An axis that shows all `values` with a margin."""
        listed = list(values)
        margin = MARGIN * max(max(listed) - min(listed), 0.01)
        return cls(min(listed) - margin, max(listed) + margin, start, stop)

    def __call__(self, value: float) -> float:
        """Pixel of a value."""
        part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.stop - self.start)

    def ticks(self) -> list[float]:
        """Round values on the axis, four to ten of them."""
        rough = (self.high - self.low) / 9
        decade = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [step * each for each in range(first, last + 1)]


def shown(report: Report) -> list[list[Speed]]:
    """What is drawn: speeds in cache on one thread, our levels and all peers, for each file."""
    tables = {(speeds[0].where, speeds[0].data): speeds for speeds in report.speed_tables()}
    return [
        [
            speed
            for speed in tables["cache", data]
            if speed.codec in DRAWN or speed.product not in (PRODUCT, "memcpy")
        ]
        for data in TIMED
        if ("cache", data) in tables
    ]


def ratios(report: Report, data: str) -> dict[str, float]:
    """The ratio of a whole file by every codec."""
    return {size.codec: size.ratio for size in report.sizes if size.data == data}


def panel(speeds: Sequence[Speed], ratio: Mapping[str, float], way: int) -> list[str]:
    """One panel, in the frame of a chart by itself."""
    across = LinearAxis.around([ratio[speed.codec] for speed in speeds], FRAME.left, FRAME.right)
    up = LogAxis.around([speed.gb_s[way] for speed in speeds], FRAME.bottom, FRAME.top)
    marks = [
        Mark(
            x=across(ratio[speed.codec]),
            y=up(speed.gb_s[way]),
            label=speed.codec.removeprefix(f"{PRODUCT} "),
            detail=f"{ratio[speed.codec]:.3f}, {speed.gb_s[way]:.3g} GB/s",
            top=speed.product == PRODUCT,
            colour=OWN if speed.product == PRODUCT else PEER,
        )
        for speed in speeds
    ]
    first = speeds[0]
    title = f"{first.data}, {WAYS[way]}"
    subtitle = f"{first.original_bytes / 1e6:.1f} MB, {first.zeros:.0%} zeros, one thread"
    parts = [
        text(FRAME.left, 54, title, size=17, more=' font-weight="600"'),
        text(FRAME.left, 74, subtitle, fill=QUIET),
        *axes(across, up, TITLES),
        *(draw_mark(mark) for mark in marks),
    ]
    for mark, label in zip(marks, place_labels(marks, []), strict=True):
        parts += draw_label(mark, label)
    return parts


def render(report: Report) -> str:
    """The chart as SVG."""
    rows = shown(report)
    panels = [
        f'<g transform="translate({way * WIDTH:g} {row * HEIGHT:g})">\n'
        + "\n".join(panel(speeds, ratios(report, speeds[0].data), way))
        + "\n</g>"
        for row, speeds in enumerate(rows)
        for way in range(len(WAYS))
    ]
    wide, high = len(WAYS) * WIDTH, len(rows) * HEIGHT
    body = "\n".join(panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" '
        f'width="{wide:g}" height="{high:g}" role="img" font-family="{escape(FONT)}">\n'
        "<title>Compression ratio against speed</title>\n"
        f'<rect width="{wide:g}" height="{high:g}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )
