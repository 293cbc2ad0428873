# SPDX-License-Identifier: Apache-2.0
"""Simulations as tests, and the table at their end (also build/cosim/summary.json)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from cosim.bench import simulation
from cosim.bench.simulation import BUILD, Edit, Simulate
from cosim.bench.summary import Summary, row
from hls.configuration import find


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="simulate every sample to its end")
    parser.addoption("--seed", type=int, default=1, help="of stalls and frames (default: 1)")


@pytest.fixture
def simulate(
    request: pytest.FixtureRequest, record_property: Callable[[str, Any], None]
) -> Simulate:
    """Simulate a configuration, and require that tests ran and all of them passed."""

    def run(name: str, *, only: str | None = None, edit: Edit | None = None) -> None:
        outcome = simulation.simulate(
            find(name),
            BUILD / name / re.sub(r"\W+", "_", request.node.name),
            edit=edit,
            only=only,
            full=request.config.getoption("--full"),
            seed=request.config.getoption("--seed"),
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
