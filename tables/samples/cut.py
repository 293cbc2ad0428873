# SPDX-License-Identifier: Apache-2.0
"""Cut the samples of this folder from whole gradient files, and describe them in MANIFEST.toml.

    python tables/samples/cut.py [DATA] [--out DIR]

DATA holds the *.npz files and their MANIFEST.json; default: ../shared/data/gradients, beside the
project. A sample is an array of shape (runs, 4096): runs of consecutive values whose starts are
spread evenly over the file (its tensors one after the other, in C order) from its first value to
its last. So a layer is in it in proportion to its size, and a row is what a chunk of 4096 values of
the whole file would be. The data types of one model are cut at the same places.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "shared" / "data" / "gradients"

RUN = 4096
LEARN_RUNS, TEST_RUNS = 64, 8
LEARN = ["bert.mid.fp32", "resnet50.mid.fp32", "vgg16.mid.fp32", "vit.mid.fp32"]
TEST = [
    *(f"{model}.late.fp32" for model in ("bert", "resnet50", "vgg16", "vgg16sparse", "vit")),
    *(f"{model}.late.bf16" for model in ("bert", "resnet50", "vgg16", "vit")),
    "vgg16.late.ampf32",
]
NOTES = {"bf16": "uint16 bit patterns", "ampf32": "fp32 that was computed in bf16"}
HEAD = f"""\
# Gradient samples: where each is from, on what terms, its digest. Written by cut.py, which says how
# they are cut: `runs` runs of {RUN} consecutive values, their starts spread evenly over the source.
terms = "from our own short training runs; Apache-2.0, like the project"
"""


@dataclass(frozen=True)
class Sample:
    """One sample: the whole file it comes from, without .npz, and what it is for."""

    source: str
    purpose: str
    runs: int

    @property
    def file(self) -> str:
        return f"{self.source}.npy"


ALL = [
    *(Sample(source, "learn", LEARN_RUNS) for source in LEARN),
    *(Sample(source, "test", TEST_RUNS) for source in TEST),
]


def whole(path: Path, sha256: str) -> NDArray[Any]:
    """All values of an .npz file, tensor after tensor."""
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        sys.exit(f"{path}: not the file that the samples were cut from (its SHA-256 differs)")
    with np.load(path) as tensors:
        return np.concatenate([tensors[name].ravel() for name in tensors.files])


def cut(values: NDArray[Any], runs: int) -> NDArray[Any]:
    """Shape (runs, RUN): runs of values, the first at the start and the last at the end."""
    last = values.size - RUN
    starts = [run * last // (runs - 1) for run in range(runs)]
    return np.stack([values[start : start + RUN] for start in starts])


def entry(sample: Sample, origin: Mapping[str, Any], values: NDArray[Any], sha256: str) -> str:
    """The sample's table of the manifest."""
    model, stage, dtype = sample.source.split(".")
    patterns = values.view(f"u{values.itemsize}")
    fields = {
        "file": sample.file,
        "sha256": sha256,
        "purpose": sample.purpose,
        "dtype": "fp32" if dtype == "ampf32" else dtype,
        **({"note": NOTES[dtype]} if dtype in NOTES else {}),
        "count": values.size,
        "zeros": int(np.count_nonzero(patterns == 0)),
        "runs": sample.runs,
        "family": model.removesuffix("sparse"),
        "model": origin["model"],
        "data": origin["data"],
        "steps": origin["steps"],
        "stage": stage,
        "source": f"{sample.source}.npz",
        "source_sha256": origin["sha256"],
        "source_count": origin["values"],
    }
    return "\n".join(["", "[[sample]]", *(f"{k} = {json.dumps(v)}" for k, v in fields.items()), ""])


def main() -> None:
    """Write the samples and the manifest."""
    parser = argparse.ArgumentParser(description="Cut the samples from whole gradient files.")
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=HERE)
    arguments = parser.parse_args()
    origins = json.loads((arguments.data / "MANIFEST.json").read_text())
    arguments.out.mkdir(parents=True, exist_ok=True)
    manifest = HEAD
    for sample in ALL:
        origin = origins[sample.source]
        values = cut(whole(arguments.data / f"{sample.source}.npz", origin["sha256"]), sample.runs)
        path = arguments.out / sample.file
        np.save(path, values)
        manifest += entry(sample, origin, values, hashlib.sha256(path.read_bytes()).hexdigest())
    (arguments.out / "MANIFEST.toml").write_text(manifest)


if __name__ == "__main__":
    main()
