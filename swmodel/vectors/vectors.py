# SPDX-License-Identifier: Apache-2.0
"""The compatibility vectors: what each stream under v1/, v2/ and errors/ holds.

A valid vector is an array by formula and how it was compressed; an invalid one is a change to a
valid one and the error, with its field, that it must raise. Entries are only ever added.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent


def noise(count: int, seed: int) -> NDArray[np.uint32]:
    """`count` 32-bit numbers of a multiplicative generator: the same everywhere, for ever."""
    state, out = seed * 2 + 1, np.empty(count, np.uint32)
    for i in range(count):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        out[i] = state >> 32
    return out


def gradient(count: int, seed: int, zeros: int = 0) -> NDArray[np.uint32]:
    """fp32 patterns: exponents fall off by halves from 120; `zeros` of 256 values are zero."""
    bits = noise(count, seed)
    ones = noise(count, seed + 1) | np.uint32(1 << 24)
    drop = np.log2((ones & -ones.astype(np.int64)).astype(np.float64)).astype(np.uint32)
    values = (bits & np.uint32(0x807FFFFF)) | ((np.uint32(120) - drop) << np.uint32(23))
    values[(noise(count, seed + 2) & np.uint32(255)) < zeros] = 0
    return values


@dataclass(frozen=True)
class Vector:
    """A stream that must decode to `patterns()`, and that compressing them gives again."""

    name: str
    dtype: str
    profile: str
    shape: tuple[int, ...]
    patterns: Callable[[], NDArray[Any]]
    written: bool = True
    """False for what only earlier versions of the encoder wrote."""
    version: int = 1

    @property
    def path(self) -> Path:
        """Where the stream is."""
        return HERE / f"v{self.version}" / f"{self.name}.elz"

    @property
    def options(self) -> dict[str, Any]:
        """How compress() is asked for it."""
        return {"dtype": self.dtype, "profile": self.profile}

    def array(self) -> NDArray[Any]:
        """The array to compress; types that NumPy lacks as bit patterns."""
        patterns = self.patterns().reshape(self.shape)
        lacking = self.dtype == "bf16" or self.dtype.startswith("fp8")
        return patterns if lacking else patterns.view(f"f{patterns.itemsize}")


@dataclass(frozen=True)
class LevelVector(Vector):
    """A stream of a level; `profile` is that level as a number and, perhaps, a mode after it."""

    version: int = 2

    @property
    def options(self) -> dict[str, Any]:
        """How compress() is asked for it."""
        number, _, mode = self.profile.partition(" ")
        return {"dtype": self.dtype, "level": int(number), "mode": mode or None}


def runs(count: int, seed: int) -> NDArray[np.uint32]:
    """fp32 patterns with zeros in runs of 1 to 64, one in two."""
    values = gradient(count, seed)
    lengths = (noise(count, seed + 3) & np.uint32(63)).astype(np.int64) + 1
    ends = np.cumsum(lengths)
    for k in range(0, count, 2):
        values[ends[k] : ends[k + 1]] = 0
    return values


def scaled(rows: int, columns: int, seed: int) -> NDArray[np.uint32]:
    """fp32 patterns, each column and each row with a scale of its own; some columns are dead."""
    shifts = noise(columns, seed + 4)[None, :] % np.uint32(12) + (
        noise(rows, seed + 5)[:, None] % np.uint32(6)
    )
    values = gradient(rows * columns, seed).reshape(rows, columns)
    values -= shifts << np.uint32(23)
    values[:, noise(columns, seed + 6) % np.uint32(8) == 0] = 0
    return values.ravel()


def leaning(rows: int, columns: int, seed: int) -> NDArray[np.uint32]:
    """As scaled(), with signs that three times in four are the row's times the column's."""
    values = scaled(rows, columns, seed).reshape(rows, columns)
    signs = noise(rows, seed + 7)[:, None] ^ noise(columns, seed + 8)[None, :]
    exceptions = noise(rows * columns, seed + 9).reshape(rows, columns)
    signs ^= exceptions & exceptions << np.uint32(1)
    live = values != 0
    values[live] = (values & np.uint32(0x7FFFFFFF) | signs & np.uint32(0x80000000))[live]
    return values.ravel()


def kernels(count: int, taps: int, seed: int) -> NDArray[np.uint32]:
    """fp32 patterns of kernels whose taps have the same sign; of 256 values one is zero."""
    signs = np.repeat(noise(count, seed) & np.uint32(1 << 31), taps)
    values = gradient(count * taps, seed + 1, zeros=1)
    return np.where(values != 0, values & np.uint32(0x7FFFFFFF) | signs, 0).astype(np.uint32)


def wide(patterns: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The fp64 patterns of the same numbers."""
    return patterns.view(np.float32).astype(np.float64).view(np.uint64)


def narrow(patterns: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """fp8 patterns: sign and what falls off by halves."""
    drop = np.minimum(np.uint32(120) - (patterns >> np.uint32(23) & np.uint32(255)), 7)
    narrowed: NDArray[np.uint8] = np.empty(patterns.size, np.uint8)
    narrowed[:] = patterns >> np.uint32(24) & np.uint32(128) | 120 - 8 * drop
    return narrowed


def far_below(count: int, seed: int) -> NDArray[np.uint16]:
    """fp16 patterns of which the first is so large that raw exponents pay for the others."""
    values = upper(noise(count, seed)) & np.uint16(0x8FFF) | np.uint16(1)
    values[0] = 0x7800
    return values


def upper(patterns: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """The bf16 patterns in the upper halves."""
    return (patterns >> np.uint32(16)).astype(np.uint16)


VALID: tuple[Vector, ...] = (
    Vector("fp32_dense", "fp32", "sw-n64-c32768", (5000,), lambda: gradient(5000, 1)),
    Vector("fp32_small", "fp32", "sw-n64-c32768", (600,), lambda: gradient(600, 10)),
    Vector("fp32_bitmap", "fp32", "sw-n64-c32768", (3, 1000), lambda: gradient(3000, 2, zeros=100)),
    Vector(
        "fp32_trailing",
        "fp32",
        "sw-n64-c32768",
        (2000,),
        lambda: gradient(2000, 3) & np.uint32(0xFFFF0000),
    ),
    Vector("fp32_stored", "fp32", "sw-n64-c32768", (257,), lambda: noise(257, 4)),
    Vector("fp32_all_zero", "fp32", "sw-n64-c32768", (7, 5), lambda: np.zeros(35, np.uint32)),
    Vector("fp32_empty", "fp32", "sw-n64-c32768", (0, 5), lambda: np.zeros(0, np.uint32)),
    Vector("fp32_scalar", "fp32", "sw-n64-c32768", (), lambda: np.array([0x7FC00001], np.uint32)),
    Vector("bf16_dense", "bf16", "sw-n64-c32768", (4000,), lambda: upper(gradient(4000, 5))),
    Vector(
        "bf16_every", "bf16", "sw-n64-c32768", (65536,), lambda: np.arange(65536, dtype=np.uint16)
    ),
    Vector(
        "fp16_dense",
        "fp16",
        "sw-n64-c32768",
        (4000,),
        lambda: upper(gradient(4000, 6)) & np.uint16(0xBFFF),
    ),
    Vector("fp32_hw", "fp32", "hw-n8-c4096", (9000,), lambda: gradient(9000, 7, zeros=20)),
    Vector("fp32_hw_raw", "fp32", "hw-n8-c4096", (600,), lambda: noise(600, 8)),
    Vector("bf16_hw", "bf16", "hw-n8-c4096", (5000,), lambda: upper(gradient(5000, 9, zeros=1))),
    Vector("fp16_hw_raw", "fp16", "hw-n8-c4096", (513,), lambda: far_below(513, 31)),
    LevelVector("fast", "bf16", "1", (33000,), lambda: upper(gradient(33000, 11, zeros=9))),
    LevelVector("zero_runs", "fp32", "5", (9000,), lambda: runs(9000, 12), written=False),
    LevelVector(
        "dynamic", "bf16", "5 dynamic", (9000,), lambda: upper(gradient(9000, 13)), written=False
    ),
    LevelVector("static", "bf16", "5 static", (5000,), lambda: upper(runs(5000, 14))),
    LevelVector(
        "hybrid",
        "bf16",
        "5 hybrid",
        (3000,),
        lambda: upper(noise(3000, 15) & ~np.uint32(0x3F << 25)),
    ),
    LevelVector(
        "matrix", "bf16", "5", (150, 130), lambda: upper(scaled(150, 130, 16)), written=False
    ),
    LevelVector(
        "convolution", "fp32", "5", (64, 32, 3, 3), lambda: scaled(64, 288, 17), written=False
    ),
    LevelVector(
        "scaled_flat", "bf16", "9", (20000,), lambda: upper(scaled(40, 500, 18)), written=False
    ),
    LevelVector("cross", "fp32", "9", (12800,), lambda: scaled(50, 256, 19), written=False),
    LevelVector(
        "fp64", "fp64", "5", (3000,), lambda: wide(gradient(3000, 20, zeros=40)), written=False
    ),
    LevelVector(
        "fp8_e4m3", "fp8e4m3", "5", (9000,), lambda: narrow(gradient(9000, 21)), written=False
    ),
    LevelVector("fp8_e5m2", "fp8e5m2", "5", (9000,), lambda: narrow(runs(9000, 22)), written=False),
    LevelVector("empty", "fp64", "9", (3, 0), lambda: np.zeros(0, np.uint64)),
    LevelVector("zero_runs_2", "fp32", "5", (9000,), lambda: runs(9000, 12)),
    LevelVector("dynamic_2", "bf16", "5 dynamic", (9000,), lambda: upper(gradient(9000, 13))),
    LevelVector("matrix_2", "bf16", "5", (150, 130), lambda: upper(scaled(150, 130, 16))),
    LevelVector("convolution_2", "fp32", "5", (64, 32, 3, 3), lambda: scaled(64, 288, 17)),
    LevelVector("scaled_flat_2", "bf16", "9", (20000,), lambda: upper(scaled(40, 500, 18))),
    LevelVector("cross_2", "fp32", "9", (12800,), lambda: scaled(50, 256, 19)),
    LevelVector("fp64_2", "fp64", "5", (3000,), lambda: wide(gradient(3000, 20, zeros=40))),
    LevelVector("fp8_e4m3_2", "fp8e4m3", "5", (9000,), lambda: narrow(gradient(9000, 21))),
    LevelVector("fp8_e5m2_2", "fp8e5m2", "5", (9000,), lambda: narrow(runs(9000, 22))),
    LevelVector("signed", "bf16", "6", (160, 130), lambda: upper(leaning(160, 130, 23))),
    LevelVector("signed_flat", "fp32", "9", (20480,), lambda: leaning(40, 512, 24)),
    LevelVector("signed_taps", "bf16", "9", (27000,), lambda: upper(kernels(3000, 9, 25))),
    Vector(
        "fp32_hw2", "fp32", "hw2-n8-c4096", (9000,), lambda: gradient(9000, 26, zeros=20), version=2
    ),
    Vector(
        "fp32_hw2_runs",
        "fp32",
        "hw2-n8-c4096",
        (3, 3000),
        lambda: runs(9000, 27) & np.uint32(0xFFFFFE00),
        version=2,
    ),
    Vector(
        "bf16_hw2",
        "bf16",
        "hw2-n8-c4096",
        (5000,),
        lambda: upper(np.where(noise(5000, 28) < 1 << 28, noise(5000, 29), gradient(5000, 30))),
        version=2,
    ),
    Vector(
        "fp32_hw2_trailing",
        "fp32",
        "hw2-n8-c4096",
        (12500,),
        lambda: gradient(12500, 32) & ~np.uint32(0) << np.arange(12500, dtype=np.uint32) // 600,
        version=2,
    ),
)


def flipped(offset: int, mask: int) -> Callable[[bytes], bytes]:
    """Change the byte at `offset`."""
    return lambda data: data[:offset] + bytes([data[offset] ^ mask]) + data[offset + 1 :]


def header(offset: int, value: int) -> Callable[[bytes], bytes]:
    """Change a byte of the header or directory and make the header's check right again."""

    def edit(data: bytes) -> bytes:
        end = 24 + int.from_bytes(data[20:24], "little")
        head = data[:offset] + bytes([value]) + data[offset + 1 : end]
        return head + struct.pack("<I", zlib.crc32(head)) + data[end + 4 :]

    return edit


def first_chunk(offset: int, value: int) -> Callable[[bytes], bytes]:
    """Set a byte of the first chunk."""

    def edit(data: bytes) -> bytes:
        at = 28 + int.from_bytes(data[20:24], "little") + offset
        return data[:at] + bytes([value]) + data[at + 1 :]

    return edit


def footer(offset: int, mask: int) -> Callable[[bytes], bytes]:
    """Change a byte of the footer of a stream of one chunk and make its check right again."""

    def edit(data: bytes) -> bytes:
        start = len(data) - 11
        end = bytearray(data[start:-4])
        end[offset if offset >= 0 else 11 + offset] ^= mask
        return data[:start] + bytes(end) + struct.pack("<I", zlib.crc32(end))

    return edit


@dataclass(frozen=True)
class Invalid:
    """`edit` applied to the valid stream `base` must raise `error` naming `field`."""

    name: str
    base: str
    edit: Callable[[bytes], bytes]
    error: str
    field: str

    @property
    def path(self) -> Path:
        """Where the stream is."""
        return HERE / "errors" / f"{self.name}.elz"


BODY = 24 + 9 + 4
"""Offset of the first chunk in the streams of one-dimensional arrays used below."""

INVALID = (
    Invalid("magic", "fp32_small", flipped(0, 1), "CorruptStreamError", "magic"),
    Invalid("version_2", "fp32_small", flipped(4, 3), "CorruptStreamError", "header_check"),
    Invalid("header_check", "fp32_small", flipped(6, 1), "CorruptStreamError", "header_check"),
    Invalid("kind_2", "fp32_small", header(5, 2), "UnsupportedModeError", "kind"),
    Invalid("table_set", "fp32_small", header(12, 0), "TableMismatchError", "table_set"),
    Invalid("predictor_1", "fp32_small", header(26, 1), "UnsupportedModeError", "predictor"),
    Invalid("two_segments", "fp32_small", header(24, 2), "UnsupportedModeError", "segment_count"),
    Invalid("truncated", "fp32_small", lambda data: data[:-1], "TruncatedStreamError", "size"),
    Invalid("no_chunk", "fp32_small", lambda data: data[:BODY], "TruncatedStreamError", "mode"),
    Invalid("extra", "fp32_small", lambda data: data + b"\0", "CorruptStreamError", "trailing"),
    Invalid("zero_runs", "fp32_small", flipped(BODY, 0x0C), "UnsupportedModeError", "mode"),
    Invalid("dynamic", "fp32_small", flipped(BODY, 0x40), "UnsupportedModeError", "mode"),
    Invalid("signed", "fp32_small", flipped(BODY, 0x02), "UnsupportedModeError", "mode"),
    Invalid("wrong_value", "fp32_small", flipped(-40, 1), "CorruptStreamError", "check"),
    Invalid("stored_value", "fp32_stored", flipped(-40, 1), "CorruptStreamError", "check"),
    Invalid(
        "raw_in_lanes", "fp16_hw_raw", first_chunk(8 + 2 * 7, 255), "CorruptStreamError", "raw"
    ),
    Invalid("footer_check", "static", flipped(-2, 1), "CorruptStreamError", "footer_check"),
    Invalid("index", "static", footer(0, 1), "CorruptStreamError", "index"),
    Invalid("stream_check", "static", footer(-8, 1), "CorruptStreamError", "stream_check"),
    Invalid("taps", "signed", first_chunk(8 + 2 * 64 + 5, 0), "CorruptStreamError", "taps"),
    Invalid(
        "known_tables", "fp32_hw2_runs", first_chunk(10, 2), "CorruptStreamError", "known_tables"
    ),
    Invalid("footer_missing", "static", lambda data: data[:-11], "TruncatedStreamError", "index"),
)
