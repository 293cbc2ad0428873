# SPDX-License-Identifier: Apache-2.0
"""Streams of every parameter that the format allows, written by the reference, and their damage."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from reference.encode import encode
from reference.profile import Profile

from corpus.values import Patterns, make

DIRECTORY_BYTES = slice(20, 24)
DIRECTORY = 24

TABLES: tuple[tuple[int, ...], ...] = (
    (2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3),
    (1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 8, 8),
    (4,) * 16,
)
"""A small set of unlike tables: the reference decodes with few faster than with many."""


def write(
    patterns: Patterns, dtype: str, profile: Profile, shape: Sequence[int] | None = None
) -> bytes:
    """A stream with any parameters, not only those of a named profile."""
    values = patterns.tolist()
    return encode(values, dtype, [len(values)] if shape is None else shape, TABLES, profile)


def small(dtype: str, n: int = 700) -> Iterator[tuple[str, bytes]]:
    """Named streams of few bytes that between them have every part, form and parameter."""
    kinds = ("dense", "escapes", "sparse", "half_trailing_zeros", "mixed", "subnormals")
    lanes, blocks, options = (3, 4, 5, 6), (5, 7, 9), (False, True)
    points = itertools.product(lanes, blocks, options)
    for i, (log2_lanes, log2_block, check) in enumerate(points):
        profile = Profile(
            1, 9, log2_block, log2_lanes, int(check), stored=i % 3 == 0, trailing=True
        )
        kind = kinds[i % len(kinds)]
        name = f"{kind}-lanes{log2_lanes}-block{log2_block}-check{int(check)}"
        yield name, write(make(kind, dtype, n, seed=i), dtype, profile)
    plain = Profile(1, 9, 5, 3, 1, stored=True, trailing=True)
    yield "stored", write(make("random_bits", dtype, n), dtype, plain)
    yield "zeros", write(make("all_zero", dtype, 1200), dtype, plain)
    yield "one", write(make("dense", dtype, 1), dtype, plain, [])
    yield "empty", write(make("dense", dtype, 0), dtype, plain, [3, 0, 5])


def of_version_2(dtype: str, n: int = 500) -> Iterator[tuple[str, bytes]]:
    """Named streams of few bytes with what chunks of version 1 may not have."""
    kinds = ("runs_of_zeros", "dense", "mixed", "sparse", "escapes", "one_nonzero")
    lanes, modes = (3, 4, 5, 6), ("hybrid", "dynamic", "static")
    for i, (log2_lanes, mode) in enumerate(itertools.product(lanes, modes)):
        profile = Profile(
            2, 9, 6, log2_lanes, i % 2, stored=False, trailing=i % 3 > 0, runs=True, mode=mode
        )
        kind = kinds[i % len(kinds)]
        name = f"{kind}-lanes{log2_lanes}-{mode}"
        yield name, write(make(kind, dtype, n, seed=i), dtype, profile)
    for check in (0, 1):
        known = Profile(2, 9, 6, 3, check, stored=False, trailing=8, known_pairs=99, step=4)
        yield f"known-check{check}", write(make("runs_of_zeros", dtype, n, check), dtype, known)
        profile = Profile(2, 9, 6, 4, check, stored=False, trailing=True, runs=True, matrix="exact")
        yield f"cross-check{check}", write(crossed(dtype, n, seed=check), dtype, profile)


def crossed(dtype: str, n: int, seed: int = 0, columns: int = 64) -> Patterns:
    """Dense values, but in rows of `columns` every third row and every other column is zero."""
    values, i = make("dense", dtype, n, seed), np.arange(n)
    values[(i // columns % 3 == 1) | (i % columns % 2 == 0)] = 0
    return values


def truncations(stream: bytes) -> Iterator[bytes]:
    """Every proper beginning."""
    return (stream[:end] for end in range(len(stream)))


def flips(stream: bytes) -> Iterator[bytes]:
    """Every stream that differs in one bit."""
    for bit in range(8 * len(stream)):
        damaged = bytearray(stream)
        damaged[bit // 8] ^= 1 << bit % 8
        yield bytes(damaged)


def garbage(stream: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Bytes replaced, cut out or put in, one to four at a time; the header is left alone."""
    rng = np.random.default_rng(seed)
    start = header_bytes(stream)
    for _ in range(count):
        damaged = bytearray(stream)
        for _ in range(rng.integers(1, 5)):
            at = int(rng.integers(start, max(start, len(damaged)) + 1))
            byte = int(rng.choice([0, 1, 127, 128, 255, int(rng.integers(256))]))
            match rng.integers(4):
                case 0:
                    damaged.insert(at, byte)
                case 1:
                    del damaged[at : at + 1]
                case _:
                    damaged[at : at + 1] = bytes([byte])
        yield bytes(damaged)


def header_bytes(stream: bytes) -> int:
    """Bytes of the header, directory and check included."""
    return DIRECTORY + int.from_bytes(stream[DIRECTORY_BYTES], "little") + 4


def resealed(head: bytes, rest: bytes) -> bytes:
    """A stream with these header bytes and a header_check that fits them."""
    return head + zlib.crc32(head).to_bytes(4, "little") + rest


def with_directory(stream: bytes, directory: bytes) -> bytes:
    """A stream whose directory is another, its size and header_check right."""
    head = stream[:20] + len(directory).to_bytes(4, "little") + directory
    return resealed(head, stream[header_bytes(stream) :])


def forged_headers(stream: bytes) -> Iterator[bytes]:
    """Every byte of the header set to telling values, header_check right all the same."""
    end = header_bytes(stream)
    for at in range(end - 4):
        for byte in {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 15, 16, 127, 128, 255, stream[at] ^ 1}:
            head = bytearray(stream[: end - 4])
            head[at] = byte
            yield resealed(bytes(head), stream[end:])


def forged_directories(stream: bytes) -> Iterator[bytes]:
    """Directories that are malformed, reserved, or claim more than there is."""
    huge = b"\xff" * 8 + b"\x7f"  # 2^63 - 1
    start = b"\x01\x01\x00\x00\x01\x00"
    bodies = [
        b"",
        b"\x00",
        b"\x02" + start[1:] + b"\x00",
        b"\x81\x00" + start[1:] + b"\x00",  # not the shortest form
        b"\x80",
        b"\xff" * 9 + b"\x01",  # beyond 2^63 - 1
        *(b"\x01" + bytes([dtype]) + start[2:] + b"\x00" for dtype in range(9)),
        *(b"\x01\x01" + bytes([predictor]) + start[3:] + b"\x00" for predictor in range(7)),
        b"\x01\x01\x00\x03abc\x01\x00\x00",
        b"\x01\x01\x00\x00\x00",
        b"\x01\x01\x00\x00\x02\x00\x00\x00\x00",
        b"\x01\x01\x00\x00\x01\x03abc\x00",
        b"\x01\x01\x00\x00\x01" + huge + b"abc",
        *(
            b"\x01\x01\x00\x00\x01" + bytes([len(name)]) + name + b"\x00"
            for name in (
                b"\xff",
                b"\xc0\x80",
                b"\xed\xa0\x80",
                b"\xe2\x82",
                b"\xf4\x90\x80\x80",
                b"\xe2\x82\xac",
                b"\xf0\x9f\x99\x82",
                b"\xf0\x80\x80\x80",
                b"a\x80",
            )
        ),
        start + b"\x21" + b"\x01" * 33,
        start + b"\x20" + b"\x01" * 32,
        start + huge,
        start + b"\x01" + huge,
        start + b"\x03\x80\x80\x40\x80\x80\x40\x80\x80\x40",  # 2^60 values
        start + b"\x02\x80\x80\x80\x08\x80\x80\x80\x08",  # 2^48 values
        start + b"\x01\x81",
        start + b"\x01\x05extra",
    ]
    return (with_directory(stream, body) for body in bodies)
