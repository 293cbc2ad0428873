# SPDX-License-Identifier: Apache-2.0
"""The point of the format that the hardware implements, and the number formats it is built for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SYMBOLS: Final = 16  # FORMAT.md section 3.1
ESCAPE: Final = 15
MAX_LENGTH: Final = 8  # bits of the longest codeword, section 3.2
RAW: Final = 255  # `table` of a raw block, section 5

Tables = tuple[tuple[int, ...], ...]
"""A table set: K tuples of SYMBOLS codeword lengths."""


@dataclass(frozen=True)
class Point:
    """A profile of FORMAT.md section 8, as constants of the hardware.

    chunk, block: values of a full chunk, non-zero values of a full block. lanes: N of section 6.
    tail: T of section 5.1, the raw bytes that travel in the lanes with the check value.
    """

    profile: str
    chunk: int
    block: int
    lanes: int
    tail: int

    @property
    def blocks(self) -> int:
        """Blocks of a chunk without zeros."""
        return self.chunk // self.block


POINT: Final = Point(profile="hw-n8-c4096", chunk=4096, block=512, lanes=8, tail=4)


def profile_name(width: int) -> str:
    """The profile that an encoder of so many values a cycle writes."""
    return POINT.profile if width == 1 else "hw2-n8-c4096"


@dataclass(frozen=True)
class NumberFormat:
    """A row of the dtype table of FORMAT.md section 2: bits below the sign."""

    name: str
    exponent: int
    mantissa: int

    @property
    def width(self) -> int:
        """Bits of a value."""
        return 1 + self.exponent + self.mantissa

    @property
    def raw(self) -> int:
        """Bits of a value's raw part, sign and mantissa."""
        return 1 + self.mantissa


FP32: Final = NumberFormat("fp32", exponent=8, mantissa=23)
BF16: Final = NumberFormat("bf16", exponent=8, mantissa=7)
NUMBER_FORMATS: Final = {fmt.name: fmt for fmt in (FP32, BF16)}

KNOWN_TABLES: Final[tuple[Tables, ...]] = (
    (
        (8, 2, 6, 3, 2, 2, 4, 6, 7, 8, 8, 8, 8, 0, 0, 8),
        (1, 3, 2, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7),
    ),
    (
        (1, 2, 3, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7),
        (2, 3, 2, 2, 4, 5, 8, 8, 8, 8, 8, 8, 8, 0, 0, 8),
    ),
)
"""Of known runs, section 4.2: for distances and for runs."""

MOST_PAIRS: Final = POINT.chunk // 4
"""Of a chunk's known runs, rule 1 of section 8."""
