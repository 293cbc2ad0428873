# SPDX-License-Identifier: Apache-2.0
"""Value change dumps are read as the clock samples them, and drawn."""

import re
import xml.etree.ElementTree as ET

import pytest

from ip.waveform import Trace, read, render, shown

DUMP = """\
$timescale 1ps $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 1 " valid $end
$var wire 4 # data [3:0] $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
x"
bx #
$end
#5
1!
1"
b101 #
#10
0!
#15
1!
0"
#20
0!
#25
1!
"""


def test_samples_what_was_there_before_the_edge() -> None:
    valid, data = read(DUMP, ["valid", "data"])
    assert valid == Trace("valid", 1, (None, 1, 0))
    assert data == Trace("data", 4, (None, 5, 5))


def test_names_a_signal_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="ready"):
        read(DUMP, ["ready"])


def test_leaves_out_cycles_without_a_change() -> None:
    trace = Trace("valid", 1, tuple(int(i in (5, 40)) for i in range(60)))
    assert shown([trace]) == [4, 5, 6, 39, 40, 41]


def test_draws_every_word() -> None:
    data = Trace("data", 8, (None, 0xA1, 0x0B, 0x0B, 0x0B, None), frozenset({2, 4}))
    traces = [Trace("valid", 1, (0, 1, 1, 1, 1, 0)), data]
    drawn = render("a & b", traces)
    root = ET.fromstring(drawn)  # noqa: S314 # just written
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["0", "1", "2", "3", "4", "5", "valid", "data", "a1", "0b", "0b"]
    left, top, right, high = map(float, root.attrib["viewBox"].split())
    assert left == top == 0
    assert all(float(x) <= right for x in re.findall(r' x="([\d.]+)"', drawn))
    assert all(float(y) <= high for y in re.findall(r' y="([\d.]+)"', drawn))
