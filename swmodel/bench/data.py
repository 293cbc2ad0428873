# SPDX-License-Identifier: Apache-2.0
"""What is compressed: gradients as named tensors, whole, cut to a cache, or grown beyond it."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tables" / "samples"
GRADIENTS = ROOT.parent / "shared" / "data" / "gradients"

CACHE_BYTES = 1 << 20
MEMORY_BYTES = 64 << 20
LARGEST = 4  # tensors that a cut is taken from
BANDS = 8  # of whole rows, spread evenly over a tensor, that a cut consists of
NEAR = 64  # non-zero values of a column that change places among themselves

MANTISSA_BITS = {"fp32": 23, "bf16": 7}

Patterns = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Data:
    """Named tensors of one dtype.

    Attributes:
        name: of the file they are from, without its ending.
        dtype: "fp32" or "bf16".
        tensors: bit patterns, uint32 or uint16, in their shapes.
    """

    name: str
    dtype: str
    tensors: Mapping[str, Patterns]

    @cached_property
    def joined(self) -> Patterns:
        """All bit patterns one after the other."""
        return np.concatenate([tensor.ravel() for tensor in self.tensors.values()])

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """The same as floating-point numbers, bf16 widened."""
        if self.dtype == "bf16":
            return (self.joined.astype(np.uint32) << 16).view(np.float32)
        return self.joined.view(np.float32)

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    @property
    def zeros(self) -> float:
        """Fraction of values that are zero bit patterns."""
        return 1 - np.count_nonzero(self.joined) / self.joined.size


@dataclass(frozen=True)
class Source:
    """Where the data is from.

    Attributes:
        label: says what it is, for the report.
        whole: it is the files that the targets are about, not samples cut from them.
        data: one for each file.
        ndzip_bytes: sizes by ndzip that were measured once, by name.
    """

    label: str
    whole: bool
    data: tuple[Data, ...]
    ndzip_bytes: Mapping[str, int]


def samples(folder: Path = SAMPLES) -> Source:
    """The test samples of the repository."""
    listed = tomllib.loads((folder / "MANIFEST.toml").read_text(encoding="utf-8"))["sample"]
    found = []
    for sample in listed:
        if sample["purpose"] == "test":
            array = np.load(folder / sample["file"])
            name = sample["file"].removesuffix(".npy")
            found.append(Data(name, sample["dtype"], {"sample": bit_patterns(array).ravel()}))
    label = "the test samples in `tables/samples`, which are cuts of the whole files"
    return Source(label, False, tuple(found), {})


def gradients(folder: Path = GRADIENTS) -> Source:
    """The files of late training in a folder of whole gradient files with a MANIFEST.json."""
    found = []
    for path in sorted(folder.glob("*.late.*.npz")):
        with np.load(path) as file:
            tensors = {name: bit_patterns(file[name]) for name in file.files}
        dtype = "bf16" if path.stem.endswith(".bf16") else "fp32"
        found.append(Data(path.stem, dtype, tensors))
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    ndzip = {
        data.name: manifest[data.name]["ndzip_bytes"]
        for data in found
        if "ndzip_bytes" in manifest[data.name]
    }
    return Source("the whole `*.late.*` gradient files", True, tuple(found), ndzip)


def bit_patterns(array: NDArray[Any]) -> Patterns:
    """An array of floating-point numbers, or of bit patterns, as unsigned integers in C order."""
    return np.ascontiguousarray(array).view(np.dtype(f"u{array.itemsize}"))


def resized(data: Data, nbytes: int) -> Data:
    """About `nbytes` of the same: bands of rows of the largest tensors, or repetitions of all."""
    return cut(data, nbytes) if nbytes < data.nbytes else grown(data, nbytes)


def cut(data: Data, nbytes: int) -> Data:
    """At most `nbytes`, an equal share from each of the largest tensors."""
    largest = sorted(data.tensors.items(), key=lambda item: -item[1].nbytes)[:LARGEST]
    share = nbytes // len(largest)
    return Data(data.name, data.dtype, {name: bands(tensor, share) for name, tensor in largest})


def bands(tensor: Patterns, nbytes: int) -> Patterns:
    """At most `nbytes` of a tensor: bands of whole rows, spread evenly over it."""
    rows = min(nbytes // tensor[:1].nbytes, len(tensor)) // BANDS
    if rows == 0:
        return tensor[: max(1, nbytes // tensor[:1].nbytes)]
    starts = [(len(tensor) - rows) * band // (BANDS - 1) for band in range(BANDS)]
    return np.concatenate([tensor[start : start + rows] for start in starts])


def grown(data: Data, nbytes: int) -> Data:
    """At least `nbytes`: every tensor again and again, each time with other noise."""
    rng = np.random.default_rng(1)
    tensors = dict(data.tensors)
    left = nbytes - data.nbytes
    for repetition in itertools.count(2):
        for name, tensor in data.tensors.items():
            if left <= 0:
                return Data(data.name, data.dtype, tensors)
            tensors[f"{name} {repetition}"] = fresh(tensor, MANTISSA_BITS[data.dtype], rng)
            left -= tensor.nbytes
    raise AssertionError("count() has no end")


def fresh(tensor: Patterns, mantissa_bits: int, rng: np.random.Generator) -> Patterns:
    """A tensor like `tensor` in which no compressor that looks for repetitions finds it again.

    Non-zero values change places with those near them in their column. Their signs and mantissas
    are drawn anew above the lowest bit that is set, so that trailing zeros stay. What remains:
    where zeros are, and the scale of every column.
    """
    rows = tensor.shape[0] if tensor.ndim else 1
    columns = tensor.reshape(rows, -1).T.flatten()  # a copy, also of what has one column
    placed = np.flatnonzero(columns)
    values = columns[placed]
    near = values[: values.size // NEAR * NEAR].reshape(-1, NEAR)
    rng.permuted(near, axis=1, out=near)
    one = tensor.dtype.type(1)
    below = (values & (~values + one)) * tensor.dtype.type(2) - one
    free = tensor.dtype.type(1 << 8 * tensor.itemsize - 1 | (1 << mantissa_bits) - 1)
    noise = rng.integers(0, np.iinfo(tensor.dtype).max, values.size, tensor.dtype, endpoint=True)
    columns[placed] = values ^ (noise & free & ~below)
    return np.ascontiguousarray(columns.reshape(-1, rows).T).reshape(tensor.shape)
