# SPDX-License-Identifier: Apache-2.0
"""Baselines: kept whole, added to and never changed; what the page says of them."""

from pathlib import Path

import pytest

from reports import baselines, progress
from reports.baselines import Baseline, BaselineError, Figures
from reports.summary import Summary


def test_what_is_added_is_read_back(tmp_path: Path, summary: Summary) -> None:
    path = tmp_path / "baselines.csv"
    assert baselines.read(path) == []
    baselines.add(path, "one value a cycle", summary["entries"])
    first = path.read_text()
    summary["entries"][0]["kge"] = 0.25
    baselines.add(path, "two, at last", summary["entries"][:2])
    assert path.read_text().startswith(first)  # the history stays
    old, new = baselines.read(path)
    assert (old.name, new.name) == ("one value a cycle", "two, at last")
    assert list(old.figures) == [entry["config"] for entry in summary["entries"]]
    assert old.figures["fifo"] == Figures(0.5, 1.25, 1234, 33 * 1024, None)
    assert new.figures["fifo"] == Figures(0.25, 1.25, 1234, 33 * 1024, None)
    assert new.figures["gradient_dec_w1_fp32"].ecp5_mhz == 123.4
    with pytest.raises(BaselineError, match="has a baseline one value a cycle"):
        baselines.add(path, "one value a cycle", summary["entries"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("period_ns", "period", "the first line is not"),
        ("1.25", "fast", "line 2: .*fast"),
        (",123.4", "", "line 3: not enough values"),
    ],
)
def test_malformed_file_is_refused(
    tmp_path: Path, summary: Summary, old: str, new: str, message: str
) -> None:
    path = tmp_path / "baselines.csv"
    baselines.add(path, "then", summary["entries"])
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(BaselineError, match=message):
        baselines.read(path)


def then_of(summary: Summary) -> Baseline:
    """A baseline of the summary's own figures."""
    entries = summary["entries"]
    return Baseline("then", {each["config"]: baselines.figures_of(each) for each in entries})


def test_only_what_changed_is_listed(summary: Summary) -> None:
    then = then_of(summary)
    assert progress.differences(then, summary["entries"]) == (
        "0 of 4 configurations have other figures than then.\n"
    )
    changed = summary["entries"][2]
    changed["kge"], changed["period_ns"], changed["ecp5_mhz"] = 12.2, 1.0, None
    changed["memory_bits"] = 0
    text = progress.differences(then, summary["entries"])
    assert text.splitlines()[0] == "1 of 4 configurations have other figures than then."
    assert text.splitlines()[4:] == [
        (
            "| `gradient_enc_w1_fp32` | 15.25 to 12.20, -20.0 % | 1.250 to 1.000, -20.0 % | 1,234 "
            "| 33.0 to 0.0, -100.0 % | 123.4 to - |"
        )
    ]


def test_new_and_gone_configurations_are_named(summary: Summary) -> None:
    then = then_of(summary)
    then.figures["old_block"] = then.figures.pop("fifo")
    text = progress.differences(then, summary["entries"])
    assert "0 of 3 configurations" in text
    assert text.endswith("\nNew: `fifo`.\n\nGone: `old_block`.\n")
    part = then.without_others({"lane_enc_fp32"})
    assert progress.differences(part, summary["entries"][3:]).startswith("0 of 1 ")


def test_history_has_every_baseline_and_now(summary: Summary) -> None:
    then = then_of(summary)
    tops = summary["entries"][1:3]
    del then.figures["gradient_enc_w1_fp32"]
    tops[0]["kge"] = 9.0
    lines = progress.history([then], tops).splitlines()
    assert lines[0] == "| configuration | then: kGE, ns, MHz | now: kGE, ns, MHz |"
    assert lines[2:] == [
        "| `gradient_dec_w1_fp32` | 9.50, 1.250, 123.4 | 9.00, 1.250, 123.4 |",
        "| `gradient_enc_w1_fp32` | - | 15.25, 1.250, 123.4 |",
    ]
