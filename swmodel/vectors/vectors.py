# SPDX-License-Identifier: Apache-2.0
"""The compatibility vectors: what each stream under v1/ and errors/ holds.

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
    """A stream that must decode to `patterns()`, and that compressing them must give again."""

    name: str
    dtype: str
    profile: str
    shape: tuple[int, ...]
    patterns: Callable[[], NDArray[Any]]

    @property
    def path(self) -> Path:
        """Where the stream is."""
        return HERE / "v1" / f"{self.name}.elz"

    def array(self) -> NDArray[Any]:
        """The array to compress; bf16 as bit patterns."""
        patterns = self.patterns().reshape(self.shape)
        return patterns if self.dtype == "bf16" else patterns.view(f"f{patterns.itemsize}")


def upper(patterns: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """The bf16 patterns in the upper halves."""
    return (patterns >> np.uint32(16)).astype(np.uint16)


VALID = (
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
    Invalid("wrong_value", "fp32_small", flipped(-40, 1), "CorruptStreamError", "check"),
    Invalid("stored_value", "fp32_stored", flipped(-40, 1), "CorruptStreamError", "check"),
)
