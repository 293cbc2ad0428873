# SPDX-License-Identifier: Apache-2.0
"""Cut the samples of this folder from the whole gradient files, and describe them in MANIFEST.toml.

    python tables/samples/cut.py [FOLDER]      FOLDER holds *.npz and MANIFEST.json;
                                               ../shared/data/gradients next to the project by default

A sample is an array of shape (runs, 4096): runs of consecutive values whose starts are spread evenly
over the file (its tensors one after the other, in C order), from its first value to its last. So
every large layer is in it in proportion to its size, and a row is what a chunk of 4096 values of the
whole file would be. The files of one model's data types are cut at the same places.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "shared" / "data" / "gradients"

RUN = 4096
TERMS = "our own short training runs; Apache-2.0, as the project"
LEARN = ["bert.mid.fp32", "resnet50.mid.fp32", "vgg16.mid.fp32", "vit.mid.fp32"]
TEST = [
    *(f"{model}.late.fp32" for model in ("bert", "resnet50", "vgg16", "vgg16sparse", "vit")),
    *(f"{model}.late.bf16" for model in ("bert", "resnet50", "vgg16", "vit")),
    "vgg16.late.ampf32",
]


@dataclass(frozen=True)
class Cut:
    """One sample: the whole file it comes from, what it is for, and how many runs it has."""

    source: str
    purpose: str
    runs: int


CUTS = [Cut(source, "learn", 64) for source in LEARN] + [Cut(source, "test", 8) for source in TEST]


def cut(values: np.ndarray, runs: int) -> np.ndarray:
    """Rows of RUN values whose starts are spread evenly over `values`."""
    last = values.size - RUN
    return np.stack(
        [values[start : start + RUN] for start in (i * last // (runs - 1) for i in range(runs))]
    )


def whole(path: Path, expected: str) -> np.ndarray:
    """All values of an .npz file, in order, after its digest was checked."""
    if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
        sys.exit(f"{path}: not the file that the samples were cut from (its SHA-256 differs)")
    with np.load(path) as tensors:
        return np.concatenate([tensors[name].ravel() for name in tensors.files])


def entry(cut_: Cut, origin: dict[str, object], sample: np.ndarray, digest: str) -> str:
    """The sample's table in MANIFEST.toml."""
    model, stage, dtype = cut_.source.split(".")
    notes = {"bf16": "uint16 bit patterns", "ampf32": "computed in bf16, held in fp32"}
    fields: dict[str, object] = {
        "file": f"{cut_.source}.npy",
        "purpose": cut_.purpose,
        "family": model.removesuffix("sparse"),
        "model": origin["model"],
        "data": origin["data"],
        "steps": origin["steps"],
        "stage": stage,
        "dtype": "fp32" if dtype == "ampf32" else dtype,
        "note": notes.get(dtype, ""),
        "count": sample.size,
        "zeros": int(np.count_nonzero(sample.view(f"u{sample.itemsize}") == 0)),
        "sha256": digest,
        "source": f"{cut_.source}.npz",
        "source_sha256": origin["sha256"],
        "source_count": origin["values"],
        "runs": cut_.runs,
    }
    lines = (f"{key} = {json.dumps(value)}" for key, value in fields.items() if value != "")
    return "\n".join(["[[sample]]", *lines, ""])


def main(data: Path) -> None:
    """Write the samples and the manifest into this folder."""
    origins = json.loads((data / "MANIFEST.json").read_text())
    entries = []
    for cut_ in CUTS:
        origin = origins[cut_.source]
        sample = cut(whole(data / f"{cut_.source}.npz", origin["sha256"]), cut_.runs)
        path = HERE / f"{cut_.source}.npy"
        np.save(path, sample)
        entries.append(entry(cut_, origin, sample, hashlib.sha256(path.read_bytes()).hexdigest()))
    head = [
        "# Gradient samples: where each is from, on what terms, and its digest. Written by cut.py, which",
        f"# says how they are cut: `runs` runs of {RUN} consecutive values, their starts spread evenly.",
        f"terms = {json.dumps(TERMS)}",
        "",
    ]
    (HERE / "MANIFEST.toml").write_text("\n".join([*head, *entries]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
