# SPDX-License-Identifier: Apache-2.0
"""Ceilings: enforced, complete, and each with a reason."""

from pathlib import Path

import pytest

from reports import budgets
from reports.budgets import BudgetError
from reports.summary import Summary

GOOD = """\
[fifo]
kge = 0.5
flipflops = 1234
period_ns = 1.25
memory_bits = 33792
lut = 4321
reason = "what it is today"
"""


def written(path: Path, text: str) -> Path:
    """A file of budgets."""
    file = path / "budgets.toml"
    file.write_text(text)
    return file


def test_a_ceiling_may_be_reached_but_not_exceeded(tmp_path: Path, summary: Summary) -> None:
    fifo = summary["entries"][:1]
    ceilings = budgets.read(written(tmp_path, GOOD))
    assert budgets.exceeded(fifo, ceilings) == []
    tight = GOOD.replace("0.5", "0.499").replace("4321", "4320")
    assert budgets.exceeded(fifo, budgets.read(written(tmp_path, tight))) == [
        "fifo: kge is 0.5, over 0.499",
        "fifo: lut is 4321, over 4320",
    ]


def test_every_configuration_has_a_budget_and_every_budget_a_configuration(
    tmp_path: Path, summary: Summary
) -> None:
    ceilings = budgets.read(written(tmp_path, GOOD))
    assert budgets.exceeded(summary["entries"][1:2], ceilings) == [
        "gradient_dec_w1_fp32 has no budget"
    ]
    assert budgets.unused(["gradient_dec_w1_fp32"], ceilings) == ["fifo has a budget and no RTL"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kge = 0.5\n", "", "no ceiling for kge"),
        ('reason = "what it is today"\n', "", "no reason"),
        ("what it is today", " ", "no reason"),
        ("lut", "luts", "unknown ceiling, luts"),
        ("4321", '"4321"', "lut that is no number"),
        ("4321", "true", "lut that is no number"),
        ("[fifo]", "fifo = 1\n[other]", "fifo is no table"),
        ("[fifo]", "[fifo", "cannot be read"),
    ],
)
def test_malformed_budgets_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(BudgetError, match=message):
        budgets.read(written(tmp_path, GOOD.replace(old, new)))
