# SPDX-License-Identifier: Apache-2.0
"""The golden: what the package `entrolith` writes, cut into the packets that hardware moves.

A frame is the bit patterns of one tensor's values. Its stream is that of FORMAT.md section 1, of
which hardware moves the chunks and not the header.
"""

from __future__ import annotations

from collections.abc import Sequence

import entrolith
import numpy as np

from cosim.bench.corners import Frame
from hls.configuration import Configuration
from hls.point import POINT, NumberFormat, Tables, profile_name

TABLE_SET = slice(12, 20)  # fields of the stream's header (section 1)
DIRECTORY_BYTES = slice(20, 24)
HEADER_BYTES = 28  # without the directory


def compress(
    frame: Sequence[int],
    fmt: NumberFormat,
    profile: str = POINT.profile,
    tables: Tables | None = None,
) -> bytes:
    """The stream of a frame, in the hardware's profile and with the package's tables or others."""
    patterns = np.array(frame, dtype=f"u{fmt.width // 8}")
    table_set = entrolith.TableSet(tables) if tables else None
    return entrolith.compress(patterns, dtype=fmt.name, profile=profile, tables=table_set)


def chunks(
    frame: Sequence[int],
    fmt: NumberFormat,
    profile: str = POINT.profile,
    tables: Tables | None = None,
) -> list[bytes]:
    """The chunks of a frame's stream (section 4)."""
    stream = compress(frame, fmt, profile, tables)
    at, cut = header_bytes(stream), []
    for _ in range(0, len(frame), POINT.chunk):
        size = int.from_bytes(stream[at + 1 : at + 4], "little")
        cut.append(stream[at : at + size])
        at += size
    return cut


def encoded(
    frame: Frame, configuration: Configuration, tables: Tables | None = None
) -> list[bytes]:
    """The chunks that an encoder makes of a frame."""
    fmt, _ = configuration.codec
    return chunks(frame, fmt, profile_name(configuration.parameters.get("width", 1)), tables)


def table_set(stream: bytes) -> str:
    """Identity of the table set that a stream is coded with, hex."""
    return stream[TABLE_SET].hex()


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
