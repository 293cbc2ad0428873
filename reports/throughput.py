# SPDX-License-Identifier: Apache-2.0
"""What enters and leaves a whole encoder or decoder: Gbit/s of values and of coded chunks.

One side is values, the other their code; how much less that is depends on the data. The figures
are of the test sample that is compressed least (reports/ratios.json), the most that the coded side
must carry in practice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.chart import role

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reports.summary import Entry


@dataclass(frozen=True)
class Rates:
    """Gbit/s on both sides of a top at one clock."""

    into: float
    out: float


def ratios(path: Path) -> dict[str, float]:
    """Code over values of the least compressible test sample, by dtype."""
    worst: dict[str, float] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        kind = row["sample"].rpartition(".")[2]
        dtype = "fp32" if kind == "ampf32" else kind
        worst[dtype] = max(worst.get(dtype, 0.0), row["hardware"])
    return worst


def bits_per_cycle(entry: Entry) -> float | None:
    """Uncompressed bits a cycle that a block sustains by its contract."""
    if entry["values_per_cycle"] is None or entry["bits_per_value"] is None:
        return None
    return entry["values_per_cycle"] * entry["bits_per_value"]


def rates(entry: Entry, mhz: float | None, worst: Mapping[str, float]) -> Rates | None:
    """Both sides of a top at a clock of `mhz`; None without a clock or a throughput."""
    bits = bits_per_cycle(entry)
    if bits is None or mhz is None or entry["dtype"] is None:
        return None
    values = bits * mhz / 1000
    code = values * worst[entry["dtype"]]
    return Rates(code, values) if role(entry["config"]) == "decoder" else Rates(values, code)
