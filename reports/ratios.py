# SPDX-License-Identifier: Apache-2.0
"""Compression ratios on the committed test samples, and the front page's tables.

    python reports/ratios.py

Writes reports/ratios.json and, between their markers in README.md, the tables of ratios and of
area and throughput (the latter from reports/summary.json). Every ratio is of the whole stream,
round trip checked. The column that counts has tables learned on other families of models.
"""

from __future__ import annotations

import json
import sys
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import entrolith
import numpy as np

if not __package__:  # started as a script: make `reports` importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reports import methods, summary, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
TABLES = 16
HARDWARE = "hw-n8-c4096"
COLUMNS = (
    ("sample", "---"),
    ("values", "--:"),
    ("zeros", "--:"),
    ("zlib 6", "--:"),
    ("entrolith, tables of other models", "--:"),
    ("shipped tables", "--:"),
    (f"profile `{HARDWARE}`", "--:"),
)


@dataclass(frozen=True)
class Ratio:
    """Compressed over original size of one sample, lower is better; `zeros` is a fraction."""

    sample: str
    values: int
    zeros: float
    zlib: float
    other_models: float
    shipped: float
    hardware: float


def ratio(array: NDArray[Any], dtype: str, **how: Any) -> float:
    """Ratio of a stream that was checked to decode to `array`.

    Raises:
        RuntimeError: it did not.
    """
    data = entrolith.compress(array, dtype=dtype, **how)
    back = entrolith.decompress(data, tables=how.get("tables"))
    if back.tobytes() != array.tobytes():
        raise RuntimeError(f"the round trip of a sample is not exact ({how})")
    return round(len(data) / array.nbytes, 4)


def measure() -> list[Ratio]:
    """Every test sample."""
    source = methods.samples()
    rows = []
    for name in source.test:
        array = source.tensors(name)["sample"]
        dtype = "bf16" if name.endswith("bf16") else "fp32"
        others = methods.without(source, methods.family(name), TABLES)
        rows.append(
            Ratio(
                sample=name,
                values=array.size,
                zeros=round(1 - np.count_nonzero(array.view(f"u{array.itemsize}")) / array.size, 4),
                zlib=round(len(zlib.compress(array.tobytes())) / array.nbytes, 4),
                other_models=ratio(array, dtype, tables=others),
                shipped=ratio(array, dtype),
                hardware=ratio(array, dtype, profile=HARDWARE),
            )
        )
    return sorted(rows, key=lambda row: row.sample.split(".")[::-1])


def markdown(rows: Sequence[Ratio]) -> str:
    """The table of ratios."""
    lines = [" | ".join(cells) for cells in zip(*COLUMNS, strict=True)]
    lines += [
        f"`{row.sample}` | {row.values:,} | {row.zeros:.1%} | {row.zlib:.3f} | "
        f"**{row.other_models:.3f}** | {row.shipped:.3f} | {row.hardware:.3f}"
        for row in rows
    ]
    return "".join(f"| {line} |\n" for line in lines)


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


def main() -> int:
    """Measure and write."""
    rows = measure()
    listed = json.dumps([asdict(row) for row in rows], indent=1)
    (ROOT / "reports" / "ratios.json").write_text(listed + "\n", encoding="utf-8")
    tops = [e for e in summary.read(ROOT / "reports" / "summary.json")["entries"] if e["top"]]
    page = ROOT / "README.md"
    text = replaced(page.read_text(encoding="utf-8"), "ratios", markdown(rows))
    text = replaced(text, "hardware", f"{table.area(tops)}\n{table.fpga(tops)}")
    page.write_text(text, encoding="utf-8")
    print(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
