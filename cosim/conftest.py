# SPDX-License-Identifier: Apache-2.0
"""Simulations as tests, and the table at their end (also build/cosim/summary.json)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cosim.bench import simulation
from cosim.bench.simulation import BUILD, Simulate
from cosim.bench.summary import Summary, row
from hls.configuration import ROOT, load

CONFIGURATIONS = {configuration.name: configuration for configuration in load()}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="simulate every sample to its end")


@pytest.fixture
def simulate(
    request: pytest.FixtureRequest, record_property: Callable[[str, Any], None]
) -> Simulate:
    """Run the tests of cosim/tb_<block>.py on a configuration: rtl/<name>.v, built once."""

    def run(name: str, only: str | None = None, seed: int = 1) -> None:
        outcome = simulation.run(
            simulation.build(ROOT / "rtl" / f"{name}.v", name, BUILD / name),
            CONFIGURATIONS[name],
            BUILD / name / request.node.name,
            only=only,
            full=request.config.getoption("--full"),
            seed=seed,
        )
        record_property("cosim", {"name": name, "row": row(outcome)})
        outcome.check()

    return run


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table and write summary.json."""
    summary = Summary(full=config.getoption("--full"))
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                summary.add(report.user_properties)
    if summary.configs or summary.mutants:
        summary.write()
        terminalreporter.section("co-simulation")
        for line in summary.lines():
            terminalreporter.write_line(line)
