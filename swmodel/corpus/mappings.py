# SPDX-License-Identifier: Apache-2.0
"""Streams of version 2, written by the reference: several tensors, matrices, footers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from reference.decode import Array
from reference.encode import encode_mapping, single, varint, write_stream
from reference.header import MAPPING
from reference.matrix import Matrix, find_dead
from reference.profile import Profile

from corpus.streams import TABLES, with_directory
from corpus.values import ALL_LAYOUTS, Patterns, make

SMALL = Profile(2, 9, 5, 3, 1, stored=True, trailing=True)
"""Version 2 in the smallest chunks."""
UNCHECKED = Profile(2, 9, 5, 3, 0, stored=True, trailing=True)


def array(patterns: Patterns, dtype: str, shape: Sequence[int] | None = None) -> Array:
    """As the reference has arrays."""
    return dtype, tuple(patterns.shape if shape is None else shape), patterns.ravel().tolist()


def tensors(seed: int = 0) -> dict[str, Array]:
    """Tensors of several types that share chunks, are empty, or have chunks of their own."""
    return {
        "": array(make("dense", "fp32", 1, seed), "fp32", ()),
        "layer.weight": array(make("mixed", "bf16", 1200, seed), "bf16", (30, 40)),
        "layer.bias": array(make("dense", "fp32", 40, seed), "fp32"),
        "none": array(make("dense", "fp32", 0), "fp32", (0, 7)),
        "größe 🙂": array(make("sparse", "bf16", 100, seed), "bf16", (4, 25)),
        "zeros": array(make("all_zero", "fp16", 600), "fp16", (600,)),
        "last": array(make("escapes", "fp32", 900, seed), "fp32", (9, 10, 10)),
    }


def with_dead(dtype: str, shape: Sequence[int], view: int, seed: int = 0) -> Patterns:
    """Patterns of a tensor of which every third row and some columns are dead in a view."""
    rng = np.random.default_rng(seed)
    values = make("dense", dtype, int(np.prod(shape)), seed).reshape(shape)
    matrix = np.moveaxis(values, 1, -1) if view == 0 else values
    split = len(shape) - 1 if view == 0 else view
    flat = matrix.reshape(int(np.prod(matrix.shape[:split])), -1).copy()
    flat[::3] = 0
    flat[:, rng.random(flat.shape[1]) < 0.4] = 0
    restored = flat.reshape(matrix.shape)
    return np.ascontiguousarray(np.moveaxis(restored, -1, 1) if view == 0 else restored)


def write_matrix(patterns: Patterns, dtype: str, matrix: Matrix | None, p: Profile) -> bytes:
    """A stream of one array, with this matrix."""
    part = single("", dtype, patterns.shape, patterns.ravel().tolist(), matrix, p)
    return write_stream([part], b"", TABLES, p, p.flags)


def matrices(dtype: str, p: Profile = SMALL) -> Iterator[tuple[str, Patterns, bytes]]:
    """Matrices of every kind of view and strip: a name, the patterns, the stream."""
    shapes = {(40, 60): (1,), (6, 50, 3, 3): (0, 1, 2, 3), (12, 9, 10): (0, 1, 2)}
    for shape, views in shapes.items():
        for view in views:
            patterns = with_dead(dtype, shape, view, seed=view)
            for widest in (7, 64, 512):
                matrix = find_dead(patterns.ravel().tolist(), shape, view, widest)
                name = f"{shape}-view{view}-strip{matrix.strip}"
                yield name, patterns, write_matrix(patterns, dtype, matrix, p)
    patterns = make("dense", dtype, 800).reshape(20, 40)
    whole = Matrix((20, 40), 1, 13, (False,) * 20, (False,) * 40)
    yield "all live", patterns, write_matrix(patterns, dtype, whole, p)
    nothing = np.zeros((9, 70), ALL_LAYOUTS[dtype].unsigned)
    dead = find_dead(nothing.ravel().tolist(), (9, 70), 1, 512)
    yield "all dead", nothing, write_matrix(nothing, dtype, dead, p)


def write_mapping(arrays: Mapping[str, Array], p: Profile = SMALL) -> bytes:
    """A stream of a mapping."""
    return encode_mapping(arrays, TABLES, p)


def mapping_with_matrix(p: Profile = SMALL) -> bytes:
    """A mapping of which one tensor is a matrix, and comes between the others."""
    patterns = with_dead("bf16", (24, 30), 1)
    matrix = find_dead(patterns.ravel().tolist(), (24, 30), 1, 16)
    parts = [
        single("b", "fp32", (50,), make("dense", "fp32", 50).tolist(), None, p),
        single("a", "bf16", (24, 30), patterns.ravel().tolist(), matrix, p),
    ]
    return write_stream(parts, bytes([1, 0]), TABLES, p, p.flags | MAPPING)


def small() -> Iterator[tuple[str, bytes]]:
    """Named streams of version 2 of few bytes."""
    for check, p in (("checked", SMALL), ("unchecked", UNCHECKED)):
        yield f"mapping-{check}", write_mapping(tensors(), p)
        yield f"mapping-with-matrix-{check}", mapping_with_matrix(p)
        yield f"no tensor-{check}", write_mapping({}, p)
        for name, _, stream in list(matrices("bf16", p))[::5]:
            yield f"{name}-{check}", stream


def forged_directories() -> Iterator[bytes]:
    """Directories of version 2 that are malformed, reserved, or claim more than there is."""
    single_stream = write_matrix(make("dense", "bf16", 700).reshape(20, 35), "bf16", None, SMALL)
    mapping = write_mapping({"a": array(make("dense", "bf16", 5), "bf16")})
    huge = b"\xff" * 8 + b"\x7f"  # 2^63 - 1
    tensor = b"\x01\x00\x02\x14\x23"  # one, of no name and 20 x 35

    def matrix(parameters: bytes, shape: bytes = tensor) -> bytes:
        return b"\x01\x02\x03" + varint(len(parameters)) + parameters + shape

    bodies = [
        b"\x01\x02\x00\x00" + tensor,
        b"\x01\x04\x00\x00" + tensor,
        b"\x01\x05\x00\x00" + tensor,
        b"\x01\x06\x00\x00" + tensor,
        b"\x01\x07\x00\x00" + tensor,
        *(b"\x01\x02" + bytes([predictor]) + b"\x00" + tensor for predictor in range(7)),
        b"\x00",
        b"\x02" + (b"\x02\x00\x00" + tensor) * 2,
        b"\x01\x02\x00\x00\x00",
        b"\x01\x02\x00\x00\x01\x01a\x02\x14\x23",
        matrix(b"\x01\x23\x00\x00"),
        *(matrix(bytes([view]) + b"\x23\x00\x00") for view in (0, 2, 3, 255)),
        matrix(b"\x01\x00\x00\x00"),
        matrix(b"\x01\x80\x04\x00\x00"),
        matrix(b"\x01\x81\x04\x00\x00"),
        matrix(b"\x01\xff\xff\x03\x00\x00"),
        matrix(b"\x01\x23\x00\x00\x00"),
        matrix(b"\x01\x23\x00"),
        matrix(b"\x01\x23"),
        matrix(b"\x01"),
        matrix(b""),
        matrix(b"\x01\x23\x01\x01\x00\x00\x00"),
        matrix(b"\x01\x23\x02\x01\x00\x00\x00"),
        matrix(b"\x01\x23\x01\x00\x00\x10\x00"),
        matrix(b"\x01\x23\x14\xff\xff\x0f\x00"),
        matrix(b"\x01\x23\x00\x01\x01\x00\x00\x00\x00"),
        matrix(b"\x01\x23\x00\x01\x00\x00\x00\x00\x08"),
        matrix(b"\x01\x23\x81\x00\x01\x00\x00\x00"),
        matrix(b"\x01\x23\x15\xff\xff\x1f\x00"),
        *(
            matrix(parameters, b"\x01\x00\x02" + rows + columns)
            for parameters in (
                b"\x01\x01\x00\x00",
                b"\x01\x01\x01\x01\x00",
                b"\x01\x01\x01\x01\x01\x01",
            )
            for rows in (b"\x01", b"\x80\x08", b"\x00")
            for columns in (b"\x01", b"\x80\x08", b"\x00")
        ),
        *(
            matrix(parameters, b"\x01\x00\x02" + shape)
            for parameters in (b"\x01\x01\x01\x01\x00", b"\x01\x01\x00\x01\x01")
            for shape in (huge + b"\x00", b"\x00" + huge)
        ),
        matrix(b"\x00\x01\x00\x00", b"\x01\x00\x03\x01\x01\x01"),
        matrix(b"\x02\x01\x01\x01\x00", b"\x01\x00\x03" + huge + huge + b"\x00"),
        matrix(b"\x01\x23\x00\x00", b"\x02" + tensor[1:] * 2),
        matrix(b"\x01\x23\x00\x00", b"\x00"),
    ]
    yield from (with_directory(single_stream, body) for body in bodies)
    one = b"\x02\x00\x00\x01\x01a\x01\x05"
    mapped = [
        b"\x00",
        b"\x00\x00",
        b"\x01" + one,
        b"\x01" + one + b"\x00",
        b"\x01" + one + b"\x01",
        b"\x01" + one + huge,
        b"\x01" + one + b"\x00\x00",
        b"\x02" + one * 2 + b"\x00\x01",
        b"\x01\x02\x00\x00\x02" + one[4:] * 2 + b"\x00\x01",
        b"\x02" + one + one.replace(b"a", b"b") + b"\x00\x00",
        b"\x02" + one + one.replace(b"a", b"b") + b"\x01\x00",
        b"\x02" + one + b"\x02\x00\x00\x00" + b"\x00",
        b"\x02" + one + b"\x02\x00\x00\x01\x01b\x01\x00" + b"\x01\x00",
        b"\x01\x02\x00\x00\x02\x01a\x01\x05\x01b\x01\x80\x80\x80\x80\x80\x80\x40\x00\x01",
        b"\x02" + one + b"\x02\x00\x00\x01\x01b\x01\x80\x80\x80\x80\x80\x80\x40\x00\x01",
        b"\x01" + b"\x02\x00\x00" + huge,
        huge,
        b"\x01\x02\x00\x00\x01\x01\xff\x01\x05\x00",
        b"\x01\x02\x00\x00\x01" + huge + b"a",
    ]
    yield from (with_directory(mapping, body) for body in mapped)
