# SPDX-License-Identifier: Apache-2.0
"""The chart of area against throughput, written as SVG by itself.

Both axes are logarithmic, so that equal throughput per area is a straight line of slope one; a few
such lines are drawn. Filled marks are whole encoders and decoders, hollow marks blocks alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reports.summary import Entry, Summary

WIDTH, HEIGHT = 960.0, 600.0
LEFT, RIGHT, TOP, BOTTOM = 84.0, 28.0, 104.0, 68.0
MARGIN = 0.12  # of the data's extent, on each side of it
LEAST_DECADES = 0.5  # an axis shows at least this much

INK, QUIET, GRID, PAPER = "#1f2933", "#66727f", "#e3e8ee", "#ffffff"
COLOURS = {"encoder": "#1565c0", "decoder": "#c2410c", "shared": "#5f6b76"}
WORDS = {"enc": "encoder", "dec": "decoder"}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SHORTEST_LINE = 150.0  # of equal throughput per area, in pixels
BACK = 24.0  # of the words along such a line from its upper end, in pixels
GLYPH = 0.56  # mean width of a glyph over the font size, for placing labels

TITLES = (
    "area without memories, thousand NAND2 equivalents (log scale)",
    "throughput, Gbit/s of uncompressed values (log scale)",
)

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Box:
    """An axis-parallel rectangle of the drawing, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """Area in common with another rectangle."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)

    def outside(self, frame: Box) -> float:
        """Area that does not lie in `frame`."""
        return (self.right - self.left) * (self.bottom - self.top) - self.overlap(frame)


FRAME = Box(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)


@dataclass(frozen=True)
class LogAxis:
    """A logarithmic map of values from `low` to `high` to pixels from `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, stop: float) -> LogAxis:
        """An axis that shows all `values` with a margin."""
        logs = [math.log10(value) for value in values]
        middle, extent = (min(logs) + max(logs)) / 2, max(logs) - min(logs)
        half = max(extent, LEAST_DECADES) * (0.5 + MARGIN)
        return cls(10 ** (middle - half), 10 ** (middle + half), start, stop)

    def __call__(self, value: float) -> float:
        """Pixel of a value."""
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.stop - self.start)

    def ticks(self) -> list[float]:
        """Round values on the axis, the denser the shorter it is."""
        return round_values(self.low, self.high)


def round_values(low: float, high: float) -> list[float]:
    """Round values from `low` to `high`, about equally spaced in their logarithm."""
    steps: tuple[float, ...] = (1, 2, 5)
    if high / low < 20:
        steps = (1, 2, 3, 4, 5, 6, 8)
    if high / low < 6:
        steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    values = (step * 10.0**decade for decade in decades for step in steps)
    return [value for value in values if low <= value <= high]


@dataclass(frozen=True)
class Mark:
    """One configuration on the drawing."""

    x: float
    y: float
    label: str
    detail: str
    top: bool
    colour: str

    @property
    def radius(self) -> float:
        """Radius in pixels."""
        return 7.0 if self.top else 4.5

    @property
    def box(self) -> Box:
        """What the mark covers."""
        reach = self.radius + 2
        return Box(self.x - reach, self.y - reach, self.x + reach, self.y + reach)

    @property
    def size(self) -> float:
        """Font size of its label."""
        return 13.0 if self.top else 11.0


@dataclass(frozen=True)
class Label:
    """Where the label of a mark goes: anchor point, alignment, and the box it fills."""

    x: float
    y: float
    anchor: Anchor
    box: Box


def px(value: float) -> str:
    """A coordinate with one decimal, without a negative zero."""
    return f"{value + 0.0:.1f}".replace("-0.0", "0.0")


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float = 12,
    fill: str = INK,
    anchor: Anchor = "start",
    more: str = "",
) -> str:
    """A line of text with its baseline at `y`."""
    return (
        f'<text x="{px(x)}" y="{px(y)}" font-size="{size:g}" fill="{fill}" '
        f'text-anchor="{anchor}"{more}>{escape(words)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, more: str = "") -> str:
    """A straight line."""
    return (
        f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}" stroke="{stroke}"{more}/>'
    )


def role(config: str) -> str:
    """Whether a configuration belongs to the encoder, to the decoder, or to both."""
    words = (WORDS.get(word) for word in config.split("_"))
    return next((word for word in words if word is not None), "shared")


def points(entries: Sequence[Entry]) -> list[tuple[Entry, float, float]]:
    """Entries with a throughput, with their area in kGE and their Gbit/s."""
    return [
        (entry, entry["kge"], entry["gbit_per_s"])
        for entry in entries
        if entry["gbit_per_s"] is not None
    ]


def marks(shown: Sequence[tuple[Entry, float, float]], across: LogAxis, up: LogAxis) -> list[Mark]:
    """Marks of the entries in `shown`."""
    return [
        Mark(
            x=across(kge),
            y=up(rate),
            label=entry["config"],
            detail=f"{kge:.1f} kGE, {rate:.1f} Gbit/s",
            top=entry["top"],
            colour=COLOURS[role(entry["config"])],
        )
        for entry, kge, rate in shown
    ]


def label_at(mark: Mark, angle: float, distance: float) -> Label:
    """The label of `mark` in a direction from it; `angle` in turns, 0 to the right, downwards."""
    reach = mark.radius + distance
    x = mark.x + reach * math.cos(2 * math.pi * angle)
    middle = mark.y + reach * math.sin(2 * math.pi * angle)
    longest = len(mark.label) if not mark.top else max(len(mark.label), len(mark.detail))
    wide, high = longest * GLYPH * mark.size, (2.3 if mark.top else 1.1) * mark.size
    lean = math.cos(2 * math.pi * angle)
    anchor: Anchor = "start" if lean > 0.5 else "end" if lean < -0.5 else "middle"
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
    centre = middle + math.sin(2 * math.pi * angle) * high / 2 * (anchor == "middle")
    box = Box(left, centre - high / 2, left + wide, centre + high / 2)
    return Label(x=x, y=box.top + 0.85 * mark.size, anchor=anchor, box=box)


def place_labels(drawn: Sequence[Mark], obstacles: Sequence[Box]) -> list[Label]:
    """Choose a place for every label, large marks first: the nearest that covers least.

    Args:
        drawn: The marks.
        obstacles: What else no label should cover.

    Returns:
        One label for each mark.
    """
    taken = [*obstacles, *(mark.box for mark in drawn)]
    chosen: dict[int, Label] = {}
    order = sorted(range(len(drawn)), key=lambda i: (not drawn[i].top, drawn[i].x, drawn[i].label))
    for i in order:
        mark = drawn[i]
        others = [box for box in taken if box is not mark.box]
        best = min(
            (
                label_at(mark, angle, distance)
                for distance in (5.0, 14.0, 26.0, 40.0, 58.0)
                for angle in (0, 0.5, 0.75, 0.25, 0.9, 0.1, 0.6, 0.4)
            ),
            key=lambda label: (
                sum(label.box.overlap(box) for box in others) + 4 * label.box.outside(FRAME)
            ),
        )
        chosen[i] = best
        taken.append(best.box)
    return [chosen[i] for i in range(len(drawn))]


class Axis(Protocol):
    """A map of values to pixels, with round values to name."""

    def __call__(self, value: float) -> float:
        """Pixel of a value."""

    def ticks(self) -> list[float]:
        """Values that get a line and a label."""


def axes(across: Axis, up: Axis, titles: tuple[str, str]) -> list[str]:
    """Grid lines, tick labels, and the titles of the axes."""
    parts = []
    for value in across.ticks():
        x = across(value)
        parts.append(line(x, FRAME.top, x, FRAME.bottom, GRID))
        parts.append(text(x, FRAME.bottom + 20, f"{value:g}", fill=QUIET, anchor="middle"))
    for value in up.ticks():
        y = up(value)
        parts.append(line(FRAME.left, y, FRAME.right, y, GRID))
        parts.append(text(FRAME.left - 10, y + 4, f"{value:g}", fill=QUIET, anchor="end"))
    parts.append(line(FRAME.left, FRAME.bottom, FRAME.right, FRAME.bottom, INK))
    parts.append(line(FRAME.left, FRAME.top, FRAME.left, FRAME.bottom, INK))
    middle = (FRAME.left + FRAME.right) / 2
    parts.append(text(middle, HEIGHT - 18, titles[0], size=13, anchor="middle"))
    centre = (FRAME.top + FRAME.bottom) / 2
    turn = f' transform="rotate(-90 24 {px(centre)})"'
    parts.append(text(24, centre, titles[1], size=13, anchor="middle", more=turn))
    return parts


@dataclass(frozen=True)
class EfficiencyLine:
    """A line of equal throughput per area, from end to end of the frame, in pixels."""

    ratio: float
    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def words(self) -> str:
        """What is written along its upper end."""
        return f"{self.ratio:g} Gbit/s per kGE"

    def at(self, back: float, up: float) -> tuple[float, float]:
        """The point `back` from the upper end along the line, and `up` from it across."""
        length = math.hypot(self.x2 - self.x1, self.y2 - self.y1)
        along_x, along_y = (self.x2 - self.x1) / length, (self.y2 - self.y1) / length
        return self.x2 - back * along_x + up * along_y, self.y2 - back * along_y - up * along_x

    def draw(self) -> list[str]:
        """The line, and its words along it."""
        slope = math.degrees(math.atan2(self.y2 - self.y1, self.x2 - self.x1))
        x, y = self.at(BACK, 5)
        turn = f' transform="rotate({slope:.1f} {px(x)} {px(y)})"'
        dots = ' stroke-opacity="0.5" stroke-dasharray="2 5"'
        return [
            line(self.x1, self.y1, self.x2, self.y2, QUIET, dots),
            text(x, y, self.words, size=10.5, fill=QUIET, anchor="end", more=turn),
        ]

    def boxes(self) -> list[Box]:
        """Small boxes that cover the words."""
        length = len(self.words) * GLYPH * 10.5
        centres = [self.at(BACK + length * part / 12, 9) for part in range(13)]
        return [Box(x - 6, y - 6, x + 6, y + 6) for x, y in centres]


def efficiency_lines(across: LogAxis, up: LogAxis) -> list[EfficiencyLine]:
    """Lines of equal Gbit/s per kGE, one or three a decade, where long enough for their words."""
    least, most = up.low / across.high, up.high / across.low
    steps = (1, 2, 5) if most / least < 100 else (1,)
    lines = []
    for exponent in range(math.floor(math.log10(least)), math.ceil(math.log10(most))):
        for ratio in (step * 10.0**exponent for step in steps):
            x1, x2 = max(across.low, up.low / ratio), min(across.high, up.high / ratio)
            if x1 < x2:
                each = EfficiencyLine(ratio, across(x1), up(x1 * ratio), across(x2), up(x2 * ratio))
                if math.hypot(each.x2 - each.x1, each.y2 - each.y1) > SHORTEST_LINE:
                    lines.append(each)
    return lines


def families(
    shown: Sequence[tuple[Entry, float, float]], across: LogAxis, up: LogAxis
) -> list[str]:
    """A line through the tops of each block and dtype that come in several widths."""
    groups: dict[tuple[str, str | None], list[tuple[int, str]]] = {}
    colours: dict[tuple[str, str | None], str] = {}
    for entry, kge, rate in shown:
        if entry["top"]:
            family = entry["block"], entry["dtype"]
            point = f"{px(across(kge))},{px(up(rate))}"
            groups.setdefault(family, []).append((entry["width"], point))
            colours[family] = COLOURS[role(entry["config"])]
    return [
        f'<polyline points="{" ".join(point for _, point in sorted(group))}" fill="none" '
        f'stroke="{colours[family]}" stroke-opacity="0.4"/>'
        for family, group in groups.items()
        if len(group) > 1
    ]


def draw_mark(mark: Mark) -> str:
    """A filled or a hollow circle, with its figures as a tooltip."""
    fill = mark.colour if mark.top else PAPER
    return (
        f'<circle cx="{px(mark.x)}" cy="{px(mark.y)}" r="{mark.radius:g}" fill="{fill}" '
        f'stroke="{mark.colour}" stroke-width="2">'
        f"<title>{escape(f'{mark.label}: {mark.detail}')}</title></circle>"
    )


def draw_label(mark: Mark, label: Label) -> list[str]:
    """The label of a mark, with a leader when it is not beside it, on a halo of paper."""
    halo = f' paint-order="stroke" stroke="{PAPER}" stroke-width="3" stroke-linejoin="round"'
    far = math.hypot(label.x - mark.x, label.y - mark.y) > mark.radius + mark.size + 5
    parts = []
    if far:
        near_x = min(max(mark.x, label.box.left), label.box.right)
        near_y = min(max(mark.y, label.box.top), label.box.bottom)
        parts.append(line(mark.x, mark.y, near_x, near_y, QUIET, ' stroke-opacity="0.6"'))
    bold = halo + ' font-weight="600"' if mark.top else halo
    parts.append(text(label.x, label.y, mark.label, size=mark.size, anchor=label.anchor, more=bold))
    if mark.top:
        y = label.y + 1.2 * mark.size
        parts.append(
            text(label.x, y, mark.detail, size=11, fill=QUIET, anchor=label.anchor, more=halo)
        )
    return parts


def legend(drawn: Sequence[Mark]) -> list[str]:
    """Colours, and fills where there are two, in one row under the title."""
    shown = [name for name, colour in COLOURS.items() if any(m.colour == colour for m in drawn)]
    x, y = FRAME.left, TOP - 24
    parts = []
    for name in shown:
        parts.append(f'<circle cx="{px(x + 6)}" cy="{px(y - 4)}" r="5" fill="{COLOURS[name]}"/>')
        parts.append(text(x + 18, y, name))
        x += 18 + len(name) * 7 + 18
    kinds = {mark.top for mark in drawn}
    for name, fill, radius in (("whole", INK, 6), ("block alone", PAPER, 4.5)):
        if len(kinds) > 1:
            parts.append(
                f'<circle cx="{px(x + 6)}" cy="{px(y - 4)}" r="{radius:g}" fill="{fill}" '
                f'stroke="{INK}" stroke-width="1.5"/>'
            )
            parts.append(text(x + 18, y, name))
            x += 18 + len(name) * 7 + 18
    return parts


def render(summary: Summary) -> str:
    """The chart as SVG; entries without a throughput are not on it.

    Raises:
        ValueError: No entry has a throughput.
    """
    shown = points(summary["entries"])
    if not shown:
        message = "no configuration has a throughput to draw"
        raise ValueError(message)
    across = LogAxis.around([kge for _, kge, _ in shown], FRAME.left, FRAME.right)
    up = LogAxis.around([rate for _, _, rate in shown], FRAME.bottom, FRAME.top)
    drawn = marks(shown, across, up)
    efficiencies = efficiency_lines(across, up)
    labels = place_labels(drawn, [box for each in efficiencies for box in each.boxes()])
    library = summary["header"]["library"]
    subtitle = f"{library['name']}, mapped by Yosys and timed by OpenSTA without layout"
    parts = [
        f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="{PAPER}"/>',
        text(FRAME.left, 34, "Area against throughput", size=19, more=' font-weight="600"'),
        text(FRAME.left, 54, subtitle, fill=QUIET),
        *legend(drawn),
        *axes(across, up, TITLES),
        *(part for each in efficiencies for part in each.draw()),
        *families(shown, across, up),
        *(draw_mark(mark) for mark in drawn),
    ]
    for mark, label in zip(drawn, labels, strict=True):
        parts += draw_label(mark, label)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}" role="img" font-family="{escape(FONT)}">\n'
        f"<title>Area against throughput of the hardware configurations</title>\n{body}\n</svg>\n"
    )
