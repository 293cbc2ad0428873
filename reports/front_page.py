# SPDX-License-Identifier: Apache-2.0
"""The tables of the front page, between their markers in README.md.

    python reports/front_page.py

Ratios come from reports/ratios.json, area and throughput from reports/summary.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if not __package__:  # started as a script: make `reports` importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reports import summary, table
from reports.ratios import HARDWARE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = (
    ("sample", "---"),
    ("values", "--:"),
    ("zeros", "--:"),
    ("zlib 6", "--:"),
    ("entrolith, tables of other models", "--:"),
    ("shipped tables", "--:"),
    (f"profile `{HARDWARE}`", "--:"),
)


def ratios(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table of ratios."""
    cells = [
        (
            f"`{row['sample']}`",
            table.number(row["values"]),
            f"{row['zeros']:.1%}",
            table.number(row["zlib"], 3),
            f"**{table.number(row['other_models'], 3)}**",
            table.number(row["shipped"], 3),
            table.number(row["hardware"], 3),
        )
        for row in rows
    ]
    return table.table(COLUMNS, cells)


def replaced(page: str, name: str, body: str) -> str:
    """`page` with what stands between the markers of `name` replaced.

    Raises:
        ValueError: the page has no such markers.
    """
    begin, end = f"<!-- begin {name}: ./nox -s reports -->\n", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"README.md has no markers for {name}")
    return f"{before}{begin}\n{body}\n{end}{after}"


def render(page: str, reports: Path) -> str:
    """`page` with the tables of the figures in `reports`."""
    rows = json.loads((reports / "ratios.json").read_text(encoding="utf-8"))
    tops = [entry for entry in summary.read(reports / "summary.json")["entries"] if entry["top"]]
    page = replaced(page, "ratios", ratios(rows))
    return replaced(page, "hardware", f"{table.area(tops)}\n{table.fpga(tops)}")


def main() -> int:
    """Write README.md."""
    path = ROOT / "README.md"
    path.write_text(render(path.read_text(encoding="utf-8"), ROOT / "reports"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
