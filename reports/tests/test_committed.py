# SPDX-License-Identifier: Apache-2.0
"""The committed reports are of the RTL in this very tree."""

from pathlib import Path

import pytest

from reports import budgets, build, chart, manifest, summary
from reports.summary import Summary

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"
REPAIR = "reports are out of date; repair them with: ./nox -s reports"


@pytest.fixture(scope="module")
def committed() -> Summary:
    return summary.read(REPORTS / "summary.json")


def test_every_entry_is_of_the_rtl_there_is(committed: Summary) -> None:
    configs = manifest.read(ROOT / "rtl")
    digests = {config.name: config.sha256 for config in configs}
    assert {e["config"]: e["rtl_sha256"] for e in committed["entries"]} == digests, REPAIR


def test_every_contract_is_the_manifest_s(committed: Summary) -> None:
    configs = {config.name: config for config in manifest.read(ROOT / "rtl")}
    for entry in committed["entries"]:
        config = configs[entry["config"]]
        assert entry["memory_bits"] == config.memory_bits, REPAIR
        assert entry["values_per_cycle"] == config.values_per_cycle, REPAIR
        assert (entry["top"], entry["width"]) == (config.top, config.width), REPAIR
        assert (entry["ecp5_mhz"] is not None) == config.top, REPAIR


def test_page_and_chart_are_of_the_summary(committed: Summary) -> None:
    assert (REPORTS / "README.md").read_text(encoding="utf-8") == build.page(
        committed, partial=False
    ), REPAIR
    drawn = (REPORTS / "area_throughput.svg").read_text(encoding="utf-8")
    assert drawn == chart.render(committed), REPAIR
    text = (REPORTS / "summary.json").read_text(encoding="utf-8")
    assert text == summary.to_text(committed), REPAIR


def test_ceilings_hold(committed: Summary) -> None:
    ceilings = budgets.read(REPORTS / "budgets.toml")
    assert budgets.exceeded(committed["entries"], ceilings) == []
    assert budgets.unused([entry["config"] for entry in committed["entries"]], ceilings) == []
