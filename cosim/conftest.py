# SPDX-License-Identifier: Apache-2.0
"""Simulations as tests, and the table at their end (also build/cosim/summary.json)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cosim.bench import simulation
from cosim.bench.simulation import BUILD, Simulate, Simulator
from cosim.bench.summary import Summary, row
from hls.configuration import load

CONFIGURATIONS = {configuration.name: configuration for configuration in load()}
WIDEST = {
    block: max(c.parameters.get("width", 1) for c in CONFIGURATIONS.values() if c.block == block)
    for block in {c.block for c in CONFIGURATIONS.values()}
}
"""Of a block, items of a group."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="simulate every sample to its end")
    parser.addoption("--seed", type=int, default=1, help="of stalls and frames (default: 1)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to a full run what `only_full` says; pytest counts it as deselected."""
    if config.getoption("--full"):
        return
    left = [item for item in items if only_full(item)]
    items[:] = [item for item in items if not only_full(item)]
    config.hook.pytest_deselected(items=left)


def only_full(item: pytest.Item) -> bool:
    """Whether a quick run leaves a test out: it is marked so, or there is a wider such block."""
    if item.get_closest_marker("full"):
        return True
    if "simulate" not in getattr(item, "fixturenames", ()) or not hasattr(item, "callspec"):
        return False
    (name,) = item.callspec.params.values()
    configuration = CONFIGURATIONS[name]
    width = configuration.parameters.get("width", 1)
    return not configuration.top and width < WIDEST[configuration.block]


@pytest.fixture
def simulate(
    request: pytest.FixtureRequest, record_property: Callable[[str, Any], None]
) -> Simulate:
    """Simulate a configuration, and require that tests ran and all of them passed."""
    full, seed = (request.config.getoption(option) for option in ("--full", "--seed"))

    def run(name: str) -> None:
        configuration = CONFIGURATIONS[name]
        simulators = [Simulator.VERILATOR]
        if full and not configuration.top:
            simulators.append(Simulator.ICARUS)
        for simulator in simulators:
            folder = BUILD / name / simulator.value
            outcome = simulation.simulate(
                configuration, folder, simulator=simulator, full=full, seed=seed
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
