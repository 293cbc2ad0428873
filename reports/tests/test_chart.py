# SPDX-License-Identifier: Apache-2.0
"""The chart: well-formed, marks where the figures put them, labels that can be read."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from reports import chart
from reports.summary import Summary

SVG = "{http://www.w3.org/2000/svg}"


def drawn(summary: Summary) -> ET.Element:
    """The chart, parsed."""
    return ET.fromstring(chart.render(summary))  # noqa: S314 # this project wrote it


def labelled_circles(root: ET.Element) -> dict[str, ET.Element]:
    """Marks by configuration."""
    found = {}
    for circle in root.iter(f"{SVG}circle"):
        title = circle.find(f"{SVG}title")
        if title is not None:
            found[(title.text or "").split(":")[0]] = circle
    return found


def test_marks_are_those_with_a_throughput(summary: Summary) -> None:
    root = drawn(summary)
    assert set(labelled_circles(root)) == {
        "gradient_dec_w1_fp32",
        "gradient_enc_w1_fp32",
        "lane_enc_fp32",
    }
    words = {element.text for element in root.iter(f"{SVG}text")}
    assert {"gradient_enc_w1_fp32", "15.2 kGE, 25.6 Gbit/s", "lane_enc_fp32"} <= words
    assert any("NAND2 equivalents" in (text or "") for text in words)
    assert any("Gbit/s of uncompressed values" in (text or "") for text in words)


def test_marks_lie_where_the_figures_say(summary: Summary) -> None:
    circles = labelled_circles(drawn(summary))
    enc, dec, lane = (
        circles[name] for name in ("gradient_enc_w1_fp32", "gradient_dec_w1_fp32", "lane_enc_fp32")
    )
    x = [float(circle.attrib["cx"]) for circle in (lane, dec, enc)]
    y = [float(circle.attrib["cy"]) for circle in (lane, enc, dec)]
    assert x == sorted(x)  # 3.0, 9.5, 15.25 kGE to the right
    assert y == sorted(y)  # 40, 25.6, 24 Gbit/s downwards
    assert enc.attrib["fill"] == chart.COLOURS["encoder"]
    assert dec.attrib["fill"] == chart.COLOURS["decoder"]
    assert lane.attrib["fill"] == chart.PAPER


def test_logarithmic_axis() -> None:
    axis = chart.LogAxis(1.0, 100.0, 0.0, 200.0)
    assert [axis(value) for value in (1.0, 10.0, 100.0)] == pytest.approx([0, 100, 200])
    assert axis.ticks() == pytest.approx([1, 2, 5, 10, 20, 50, 100])
    one = chart.LogAxis.around([7.0], 0.0, 100.0)
    assert one(7.0) == pytest.approx(50)
    assert len(one.ticks()) >= 3


def test_labels_neither_cover_each_other_nor_leave_the_frame() -> None:
    crowd = [
        chart.Mark(
            x=500 + 9 * number,
            y=300 + 6 * (number % 3),
            label=f"some_block_{number}",
            detail="9.9 kGE, 9.9 Gbit/s",
            top=number < 2,
            colour="#000000",
        )
        for number in range(8)
    ]
    labels = chart.place_labels(crowd, [])
    boxes = [label.box for label in labels]
    assert all(a.overlap(b) == 0 for a, b in itertools.combinations(boxes, 2))
    assert all(box.outside(chart.FRAME) == pytest.approx(0, abs=1e-6) for box in boxes)
    assert all(box.overlap(mark.box) == 0 for box in boxes for mark in crowd)


def test_widths_of_one_top_are_joined(summary: Summary) -> None:
    assert drawn(summary).find(f".//{SVG}polyline") is None
    wide = summary["entries"][2].copy()
    wide["config"], wide["width"] = "gradient_enc_w4_fp32", 4
    wide["kge"], wide["gbit_per_s"] = 30.0, 100.0
    summary["entries"].append(wide)
    line = drawn(summary).find(f".//{SVG}polyline")
    assert line is not None
    assert len(line.attrib["points"].split()) == 2


def test_text_is_escaped_and_numbers_are_plain(summary: Summary) -> None:
    summary["entries"][1]["config"] = "a<b&c"
    text = chart.render(summary)
    assert "a&lt;b&amp;c" in text
    assert re.search(r'="[^"]*(?:nan|inf|e-\d|-0\.0)[^"]*"', text) is None
    assert chart.render(summary) == text


def test_nothing_to_draw(summary: Summary) -> None:
    summary["entries"] = summary["entries"][:1]
    with pytest.raises(ValueError, match="no configuration has a throughput"):
        chart.render(summary)
