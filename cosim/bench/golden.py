# SPDX-License-Identifier: Apache-2.0
"""The golden: what the package `entrolith` writes, cut into the packets that hardware moves.

A frame is the bit patterns of one tensor's values. Its stream is that of FORMAT.md section 1, of
which hardware moves the chunks and not the header.
"""

from __future__ import annotations

from collections.abc import Sequence

import entrolith
import numpy as np
from numpy.typing import NDArray

from hls.point import POINT, NumberFormat

DIRECTORY_BYTES = slice(20, 24)  # the field, and what lies around the directory (section 1)
HEADER_BYTES = 28


def array(values: Sequence[int], fmt: NumberFormat) -> NDArray[np.generic]:
    """Bit patterns as the package takes them; bf16 stays uint16."""
    patterns = np.array(values, dtype=f"<u{fmt.width // 8}")
    return patterns.view("<f4") if fmt.name == "fp32" else patterns


def compress(values: Sequence[int], fmt: NumberFormat) -> bytes:
    """The stream of a frame in the profile of the hardware."""
    return entrolith.compress(array(values, fmt), profile=POINT.profile, dtype=fmt.name)


def chunks(values: Sequence[int], fmt: NumberFormat) -> list[bytes]:
    """The chunks of a frame's stream (section 4)."""
    stream = compress(values, fmt)
    at, cut = header_bytes(stream), []
    while at < len(stream):
        size = int.from_bytes(stream[at + 1 : at + 4], "little")
        cut.append(stream[at : at + size])
        at += size
    return cut


def header_bytes(stream: bytes) -> int:
    """Size of a stream's header (section 1)."""
    return HEADER_BYTES + int.from_bytes(stream[DIRECTORY_BYTES], "little")


def refuses(chunks: Sequence[bytes], values: int, fmt: NumberFormat) -> bool:
    """Whether the package refuses these chunks as the stream of a frame of so many values."""
    header = compress([0] * values, fmt)
    try:
        entrolith.decompress(header[: header_bytes(header)] + b"".join(chunks))
    except entrolith.EntrolithError:
        return True
    return False
