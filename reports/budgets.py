# SPDX-License-Identifier: Apache-2.0
"""Ceilings on area, timing and memory by configuration, each with its reason."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reports.summary import Entry

REQUIRED = ("kge", "flipflops", "period_ns", "memory_bits")
XCUP = ("lut", "ff", "dsp", "bram")


class BudgetError(Exception):
    """The file of budgets is malformed."""


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Read budgets by configuration.

    Raises:
        BudgetError: A ceiling is no number, is unknown or is missing, or there is no reason.
    """
    try:
        budgets: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as unreadable:
        message = f"{path} cannot be read: {unreadable}"
        raise BudgetError(message) from unreadable
    for config, budget in budgets.items():
        fault = fault_of(budget)
        if fault is not None:
            message = f"{path}: {config} {fault}"
            raise BudgetError(message)
    return budgets


def fault_of(budget: object) -> str | None:
    """Say what is wrong with one budget, or None."""
    if not isinstance(budget, dict):
        return "is no table"
    if not str(budget.get("reason", "")).strip():
        return "has no reason"
    for name in REQUIRED:
        if name not in budget:
            return f"has no ceiling for {name}"
    for name, ceiling in budget.items():
        if name not in (*REQUIRED, *XCUP, "reason"):
            return f"has an unknown ceiling, {name}"
        if name != "reason" and (isinstance(ceiling, bool) or not isinstance(ceiling, int | float)):
            return f"has a ceiling for {name} that is no number"
    return None


def measured(entry: Entry) -> dict[str, float]:
    """The figures of an entry that can have a ceiling, by name."""
    return {
        "kge": entry["kge"],
        "flipflops": entry["flipflops"],
        "period_ns": entry["period_ns"],
        "memory_bits": entry["memory_bits"],
        "lut": entry["xcup"]["lut"],
        "ff": entry["xcup"]["ff"],
        "dsp": entry["xcup"]["dsp"],
        "bram": entry["xcup"]["bram"],
    }


def exceeded(entries: Sequence[Entry], budgets: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One sentence for each entry without a budget and each ceiling that is exceeded."""
    faults: list[str] = []
    for entry in entries:
        budget = budgets.get(entry["config"])
        if budget is None:
            faults.append(f"{entry['config']} has no budget")
            continue
        for name, figure in measured(entry).items():
            if name in budget and figure > budget[name]:
                faults.append(f"{entry['config']}: {name} is {figure}, over {budget[name]}")
    return faults


def unused(configs: Sequence[str], budgets: Mapping[str, object]) -> list[str]:
    """One sentence for each budget of a configuration that does not exist."""
    return [f"{name} has a budget and no RTL" for name in sorted(budgets.keys() - set(configs))]
