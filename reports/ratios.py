# SPDX-License-Identifier: Apache-2.0
"""Compression ratios on the committed test samples.

    python reports/ratios.py

Writes reports/ratios.json. Every ratio is of the whole stream, round trip checked. The one that
counts, `other_models`, has tables learned on other families of models.
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

from reports import methods

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
TABLES = 16
HARDWARE = "hw2-n8-c4096"


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


def main() -> int:
    """Measure and write."""
    rows = [asdict(row) for row in measure()]
    text = json.dumps(rows, indent=1) + "\n"
    (ROOT / "reports" / "ratios.json").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
