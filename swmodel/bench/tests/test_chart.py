# SPDX-License-Identifier: Apache-2.0
"""The chart shows every codec that it should, where it should."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from bench.chart import LinearAxis, render
from bench.report import Report, Size
from bench.targets import DENSE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawable(report: Report) -> Report:
    """The report with a ratio for all that is fast."""
    codecs = {(speed.data, speed.codec, speed.product) for speed in report.speeds}
    known = {(size.data, size.codec) for size in report.sizes}
    missing = [key for key in codecs if key[:2] not in known]
    sizes = [Size(data, "fp32", codec, product, 10, 9) for data, codec, product in sorted(missing)]
    return Report(**{**vars(report), "sizes": [*report.sizes, *sizes]})


def test_two_panels_for_each_file(drawable: Report) -> None:
    root = ET.fromstring(render(drawable))  # noqa: S314 # our own
    panels = root.findall(f"{SVG}g")
    titles = [panel.findtext(f"{SVG}text") for panel in panels]
    assert titles[:2] == [f"{DENSE}, compress", f"{DENSE}, decompress"]
    assert len(titles) == 6


def test_marks(drawable: Report) -> None:
    root = ET.fromstring(render(drawable))  # noqa: S314
    first = root.findall(f"{SVG}g")[0]
    marks = {}
    for circle in first.findall(f"{SVG}circle"):
        label, _, detail = (circle.findtext(f"{SVG}title") or "").partition(": ")
        marks[label] = float(circle.get("cx", "")), float(circle.get("cy", "")), detail
    assert set(marks) == {"level=1", "entrolith", "zipnn 256k", "zipnn 128k"}
    assert marks["level=1"][1] < marks["entrolith"][1] < marks["zipnn 128k"][1]  # up is faster
    assert marks["entrolith"][0] < marks["zipnn 256k"][0]  # left is smaller
    assert marks["entrolith"][2] == "0.835, 8 GB/s"  # the whole file's ratio


def test_linear_axis() -> None:
    axis = LinearAxis.around([0.4, 0.8], 100, 500)
    assert axis(axis.low) == 100
    assert axis(axis.high) == 500
    assert axis.ticks() == pytest.approx([0.4, 0.5, 0.6, 0.7, 0.8])
    assert LinearAxis.around([0.5], 0, 1).low < 0.5 < LinearAxis.around([0.5], 0, 1).high
