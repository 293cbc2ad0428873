# SPDX-License-Identifier: Apache-2.0
"""Section 4.4 of FORMAT.md: the running scale of columns, and what a scaled chunk says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reference.reader import CORRUPT, Dtype, Reader, Refused
from reference.tables import (
    Lengths,
    codewords,
    make_table,
    read_lengths,
    table_cost,
    write_lengths,
)

ESCAPE = 31
OFFSET_ESCAPE = 15
CENTRE = 16
LOWEST_OFFSET, HIGHEST_OFFSET = -2048, 2047
WEIGHTS = [round(46.2 * (min(2 ** (t / 8), 3.7) - 1)) for t in range(-64, 64)]


class Columns:
    """The state of every column of a chunk."""

    def __init__(self, width: int) -> None:
        self.states = [0] * width

    def prediction(self, column: int, offset: int) -> int:
        """P."""
        return (self.states[column] + 8 >> 4) + 4 * offset

    def learn(self, column: int, row: int, prediction: int, half_octaves: int) -> None:
        """A value that is not zero has been seen."""
        t = max(-64, min(63, 8 * half_octaves + 4 - prediction >> 1))
        gain = max(8, 512 // (2 * row + 5))
        state = self.states[column] + (WEIGHTS[t + 64] * gain >> 5)
        self.states[column] = max(-16000, min(16000, state))


@dataclass(frozen=True)
class Scale:
    """The part `scale`."""

    width: int
    trailing: int
    first_offset: int
    offset_table: Lengths
    tables: tuple[Lengths, Lengths]

    def write(self) -> bytes:
        """What read_scale() reads."""
        out = write_head(self.width, self.trailing, self.first_offset)
        out += write_lengths(self.offset_table)
        return out + b"".join(write_wide(table) for table in self.tables)


def read_scale(r: Reader, d: Dtype, full: int) -> Scale:
    """The part `scale`; `full` is the number of values of a full chunk."""
    head = read_head(r, full, d.mantissa - 1)
    return Scale(*head, read_lengths(r, "offset_table"), (read_wide(r, 32), read_wide(r, 32)))


def read_head(r: Reader, full: int, most_trailing: int) -> tuple[int, int, int]:
    """`width`, `trailing` and `first_offset`."""
    width = r.integer(2, "width")
    if not 0 < width <= full:
        raise Refused(CORRUPT, "width", r.at - 2, f"{width} columns")
    trailing = r.integer(1, "trailing")
    if trailing > most_trailing:
        raise Refused(CORRUPT, "trailing", r.at - 1, f"{trailing} bits of {most_trailing}")
    first_offset = int.from_bytes(r.take(2, "first_offset"), "little", signed=True)
    if not LOWEST_OFFSET <= first_offset <= HIGHEST_OFFSET:
        raise Refused(CORRUPT, "first_offset", r.at - 2, f"{first_offset} cannot be")
    return width, trailing, first_offset


def write_head(width: int, trailing: int, first_offset: int) -> bytes:
    """What read_head() reads."""
    out = width.to_bytes(2, "little") + bytes([trailing])
    return out + first_offset.to_bytes(2, "little", signed=True)


def read_wide(r: Reader, symbols: int) -> Lengths:
    """A table of 32 or 64 symbols, the last of which is the escape."""
    start = r.at
    first, count = r.integer(1, "scale_table"), r.integer(1, "scale_table")
    if first + count > symbols - 1:
        raise Refused(CORRUPT, "scale_table", start, f"symbols {first} to {first + count - 1}")
    size = (count + 2) // 2
    packed = r.integer(size, "scale_table")
    if packed >> (4 * (count + 1)):
        raise Refused(CORRUPT, "scale_table", r.at - 1, "filling bits are not 0")
    lengths = [0] * symbols
    for i in range(count):
        lengths[first + i] = packed >> (4 * i) & 15
    lengths[-1] = packed >> (4 * count) & 15
    try:
        codewords(lengths)
    except ValueError as error:
        raise Refused(CORRUPT, "scale_table", start, str(error)) from None
    return tuple(lengths)


def write_wide(lengths: Lengths) -> bytes:
    """What read_wide() reads: from the first symbol with a codeword to the last."""
    used = [symbol for symbol, length in enumerate(lengths[:-1]) if length]
    first, count = used[0], used[-1] + 1 - used[0]
    listed = [*lengths[first : first + count], lengths[-1]]
    packed = sum(n << (4 * i) for i, n in enumerate(listed))
    return bytes([first, count]) + packed.to_bytes((count + 2) // 2, "little")


@dataclass(frozen=True)
class Scaled:
    """A chunk's values that are not zero as symbols of section 4.4.

    `steps` holds (column, table, d) for each, `offsets` the offset of every row; `bits` is what
    `scale` and the codes take.
    """

    scale: Scale
    steps: list[tuple[int, int, int]]
    offsets: list[int]
    bits: int


def offset_symbols(offsets: Sequence[int]) -> list[int]:
    """Differences as symbols; what has none is the escape."""
    deltas = [b - a for a, b in pairwise(offsets)]
    return [delta + 7 if -7 <= delta <= 7 else OFFSET_ESCAPE for delta in deltas]


def histogram(symbols: Sequence[int], escape: int) -> list[int]:
    """How often each symbol occurs; what is not a symbol counts as the escape."""
    counts = [0] * (escape + 1)
    for symbol in symbols:
        counts[symbol if 0 <= symbol < escape else escape] += 1
    return counts


def row_offset(columns: Columns, here: Sequence[tuple[int, int]]) -> int:
    """Rule 8 of section 8: the offset of a row with these (column, h)."""
    total = sum(8 * h + 4 - columns.prediction(c, 0) for c, h in here)
    return (total + 2 * len(here)) // (4 * len(here))


def settle(found: Sequence[int | None]) -> list[int]:
    """Offsets of all rows, those of zeros included, which have None."""
    offsets = [next(offset for offset in found if offset is not None)]
    for known in found:
        offsets.append(offsets[-1] if known is None else known)
    return offsets[1:]


def scale_values(half_octaves: Sequence[int | None], width: int, trailing: int) -> Scaled | None:
    """Rule 8 of section 8: the chunk in rows of `width`, or None if it cannot be scaled.

    `half_octaves` has h for each value, None for zeros, and a value that is not zero.
    """
    columns = Columns(width)
    steps: list[tuple[int, int, int]] = []
    found: list[int | None] = []
    for row, start in enumerate(range(0, len(half_octaves), width)):
        here = [(c, h) for c, h in enumerate(half_octaves[start : start + width]) if h is not None]
        if not here:
            found.append(None)
            continue
        offset = row_offset(columns, here)
        if not LOWEST_OFFSET <= offset <= HIGHEST_OFFSET:
            return None
        found.append(offset)
        for c, h in here:
            p = columns.prediction(c, offset)
            q = p + 4 >> 3
            if not -128 <= h - q <= 127:
                return None
            steps.append((c, q % 2, h - q))
            columns.learn(c, row, p, h)
    offsets = settle(found)
    counts = [
        histogram([CENTRE - d for _, table, d in steps if table == t], ESCAPE) for t in (0, 1)
    ]
    tables = make_table(counts[0]), make_table(counts[1])
    moves = histogram(offset_symbols(offsets), OFFSET_ESCAPE)
    scale = Scale(width, trailing, offsets[0], make_table(moves), tables)
    bits = 8 * len(scale.write()) + table_cost(scale.offset_table, moves, 16)
    bits += sum(table_cost(t, c, 8) for t, c in zip(tables, counts, strict=True))
    return Scaled(scale, steps, offsets, bits)
