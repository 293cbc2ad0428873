# SPDX-License-Identifier: Apache-2.0
"""Put streams of every kind where run.py starts to search: build/fuzz/corpus.

    python swmodel/fuzz/seeds.py

For when the format has grown: libFuzzer finds its way from such inputs, hardly from nothing. What
is reached is then kept by `run.py --keep`. The streams are the reference's and the vectors.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

if not __package__:  # started as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.streams import header_bytes
from corpus.values import LAYOUTS, make
from reference.encode import TAPS, encode, encode_mapping
from reference.profile import PROFILES, Profile, level

from fuzz.programs import BUILD, HERE

SHIPPED = HERE.parents[1] / "tables" / "built" / "gradient_k16.json"
TABLES = [tuple(lengths) for lengths in json.loads(SHIPPED.read_text())["tables"]]
LARGEST = 1200

MATRICES = (
    ("fp32", (128, 128)),
    ("bf16", (64, 256)),
    ("fp64", (32, 70, 3, 3)),
    ("fp16", (300, 60)),
)
"""Large enough to be seen as matrices."""

KINDS = ("dense", "escapes", "sparse", "runs_of_zeros", "half_trailing_zeros", "mixed")


LEANING = ("fp32", "bf16")
"""Types whose chunks may be signed."""


def leaning(dtype: str, rows: int, width: int, *, taps: bool) -> list[int]:
    """Values whose signs are those of their columns, in some rows all reversed, but for a few.

    `taps`: in the order in which a convolution with so many has them.
    """
    rng = np.random.default_rng(rows)
    negative = (rng.random(width) < 0.5) ^ rng.integers(0, 2, (rows, 1)).astype(bool)
    negative ^= rng.random((rows, width)) < 0.05
    exponent = np.where(rng.random((rows, width)) < 0.2, 119, 120)
    layout = LAYOUTS[dtype]
    values = layout.join(negative, exponent, 3 << (layout.mantissa - 2))
    if taps:
        values = values.reshape(-1, TAPS, width).swapaxes(1, 2)
    found: list[int] = values.ravel().tolist()
    return found


def streams() -> Iterator[bytes]:
    """Small streams that between them have every part of the format, written by the reference."""
    small = Profile(2, 9, 5, 3, 0, stored=True, trailing=True, runs=True, mode="hybrid")
    for i, (dtype, kind) in enumerate((d, k) for d in LAYOUTS for k in KINDS):
        values = make(kind, dtype, 600, seed=i).tolist()
        yield encode(values, dtype, (20, 30), TABLES, small)  # two chunks
        values = values[:200]
        hardware = PROFILES["hw2-n8-c4096"]
        levels = level(1), level(5), level(5, "dynamic"), level(9, check=False)
        for profile in (small, hardware, *levels):
            yield encode(values, dtype, (10, 20), TABLES, profile)
    arrays = {
        f"tensor {i}": (dtype, (4, 25), make("sparse", dtype, 100, seed=i).tolist())
        for i, dtype in enumerate(LAYOUTS)
    }
    yield encode_mapping(arrays, TABLES, level(5))
    for i, (dtype, shape) in enumerate(MATRICES):
        values = make("dense", dtype, math.prod(shape), seed=i)
        live = np.zeros(shape, bool)  # so few that the stream is small
        live[:: shape[0] // 5, :: shape[1] // 7] = True
        values[~live.ravel()] = 0
        for number in (5, 9):
            yield encode(values.tolist(), dtype, shape, TABLES, level(number))
    for dtype in LEANING:
        plain = leaning(dtype, 27, 64, taps=False)
        yield encode(plain, dtype, (27, 64), TABLES, level(9))
        some = [*plain[:1500], *[0] * 70]
        yield encode(some, dtype, (len(some),), TABLES, level(9, check=False))
        convolution = leaning(dtype, 27, 64, taps=True)
        yield encode(convolution, dtype, (len(convolution),), TABLES, level(9))
    for path in (HERE.parent / "vectors").rglob("*.elz"):
        yield path.read_bytes()


def inputs(stream: bytes) -> Iterator[tuple[str, bytes]]:
    """A stream as the input of each target that reads one, as the targets' comments say."""
    seal = b"\7"
    yield "stream", b"\1" + seal + stream
    yield "access", b"\0" + b"\0\0" + b"\xff\xff" + seal + stream
    yield "incremental", b"\0" + b"\x80\0" + b"\0" + b"\0" + seal + stream
    head = header_bytes(stream)
    yield "header", stream[4:12] + stream[24 : head - 4]
    if head < 256:
        yield "footer", bytes([1, head, 1]) + stream
    version, _, log2_chunk, log2_block, log2_lanes, check = stream[4:10]
    chunk = stream[head:]
    if len(chunk) < 8 or not chunk[0] & 128:
        return
    count = int.from_bytes(chunk[4:8], "little")
    size = int.from_bytes(chunk[1:4], "little")
    parameters = [version - 1, log2_chunk - 9, log2_block - 5, log2_lanes - 3, check]
    dtype = stream[25] - 1
    numbers = bytes([*parameters, dtype, 0]) + (count - 1).to_bytes(2, "little")
    yield "chunk", numbers + b"\1" + chunk[:size]


def main() -> int:
    """Write them."""
    for stream in streams():
        if not 40 < len(stream) <= LARGEST:
            continue
        for target, data in inputs(stream):
            name = hashlib.sha1(data, usedforsecurity=False).hexdigest()  # as libFuzzer names them
            path = BUILD / "corpus" / target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
