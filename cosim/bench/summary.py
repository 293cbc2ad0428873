# SPDX-License-Identifier: Apache-2.0
"""The closing table of a run: one row for each configuration, and the mutants."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cosim.bench.simulation import BUILD, Outcome

SUMMARY = BUILD / "summary.json"
COUNTED = ("frames", "values", "cycles", "bytes")
COLUMNS = "{:<24} {:>7} {:>9} {:>10} {:>13} {:>10}  {}"


def row(outcome: Outcome) -> dict[str, Any]:
    """The row of one simulation."""
    measured = outcome.measured
    counts: dict[str, Any] = {key: sum(int(m.get(key, 0)) for m in measured) for key in COUNTED}
    rates = [m["values_per_cycle"] for m in measured if "values_per_cycle" in m]
    return counts | {
        "values_per_cycle": min(rates, default=None),
        "tests": len(outcome.passed) + len(outcome.failed),
        "identical": bool(outcome.passed) and not outcome.failed,
    }


def merged(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """The row of two simulations of one configuration."""
    rates = [r["values_per_cycle"] for r in (a, b) if r["values_per_cycle"] is not None]
    return {key: a[key] + b[key] for key in (*COUNTED, "tests")} | {
        "values_per_cycle": min(rates, default=None),
        "identical": a["identical"] and b["identical"],
    }


@dataclass
class Summary:
    """What the tests of a run recorded. mutants: whether each was killed."""

    full: bool
    configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    mutants: dict[str, bool] = field(default_factory=dict)

    def add(self, properties: Iterable[tuple[str, Any]]) -> None:
        """Take in the properties that a test recorded."""
        for key, value in properties:
            if key == "cosim":
                name, new = value["name"], value["row"]
                old = self.configs.get(name)
                self.configs[name] = merged(old, new) if old else new
            elif key == "mutant":
                self.mutants[value["name"]] = value["killed"]

    @property
    def survivors(self) -> list[str]:
        """Mutants that no test noticed."""
        return sorted(name for name, killed in self.mutants.items() if not killed)

    def write(self) -> None:
        """Write summary.json."""
        tried = {
            "tried": len(self.mutants),
            "killed": len(self.mutants) - len(self.survivors),
            "names": sorted(self.mutants),
        }
        summary = {
            "full": self.full,
            "configs": dict(sorted(self.configs.items())),
            "mutants": tried | {"survivors": self.survivors},
        }
        SUMMARY.parent.mkdir(parents=True, exist_ok=True)
        SUMMARY.write_text(json.dumps(summary, indent=2) + "\n")

    def lines(self) -> Iterator[str]:
        """The table as text."""
        headings = ("configuration", *COUNTED[:3], "values/cycle", "bytes", "identical")
        yield COLUMNS.format(*headings)
        for name, r in sorted(self.configs.items()):
            rate = "-" if r["values_per_cycle"] is None else f"{r['values_per_cycle']:.4f}"
            counts = (r[key] for key in COUNTED[:3])
            yield COLUMNS.format(name, *counts, rate, r["bytes"], "yes" if r["identical"] else "NO")
        if self.mutants:
            killed = len(self.mutants) - len(self.survivors)
            yield f"mutants: {len(self.mutants)} tried, {killed} killed"
        for name, was_killed in sorted(self.mutants.items()):
            yield f"{'killed' if was_killed else 'ALIVE '}  {name}"
