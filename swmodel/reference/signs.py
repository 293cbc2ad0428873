# SPDX-License-Identifier: Apache-2.0
"""Section 4.5 of FORMAT.md: the lean of columns, and what a signed chunk says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference.reader import CORRUPT, Dtype, Reader, Refused
from reference.scale import (
    CENTRE,
    HIGHEST_OFFSET,
    LOWEST_OFFSET,
    OFFSET_ESCAPE,
    Columns,
    histogram,
    offset_symbols,
    read_head,
    read_wide,
    row_offset,
    settle,
    write_head,
    write_wide,
)
from reference.tables import Lengths, make_table, read_lengths, table_cost, write_lengths

ESCAPE = 63
SENSE_ESCAPE = 15
STRONGEST = 6
BOUNDS = (64, 192, 384)


class Leans:
    """The lean of every column of a chunk."""

    def __init__(self, width: int) -> None:
        self.leans = [0] * width

    def agree(self, column: int, sense: int, sign: int) -> int:
        """a, or the sign from a: either is the exclusive or of the other."""
        return sign ^ sense ^ (self.leans[column] < 0)

    def table(self, column: int, strength: int) -> int:
        """The number of a value's table."""
        return sum(abs(self.leans[column]) * strength >= bound for bound in BOUNDS)

    def learn(self, column: int, sense: int, sign: int) -> None:
        """A value that is not zero has been seen."""
        lean = self.leans[column]
        self.leans[column] = lean - (lean >> 3) + (-15 if sign ^ sense else 15)

    def sense(self, here: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Rule 9 of section 8: sense and strength of a row with these (column, sign)."""
        total = sum(-self.leans[c] if sign else self.leans[c] for c, sign in here)
        square = sum(self.leans[c] ** 2 for c, _ in here)
        strength = (960 * abs(total) + square) // (2 * square) if square else 0
        return int(total < 0), min(STRONGEST, strength)


@dataclass(frozen=True)
class SignedScale:
    """The part `scale`."""

    width: int
    trailing: int
    first_offset: int
    taps: int
    offset_table: Lengths
    sense_table: Lengths
    tables: tuple[Lengths, ...]

    def write(self) -> bytes:
        """What read_signed_scale() reads."""
        out = write_head(self.width, self.trailing, self.first_offset) + bytes([self.taps])
        out += write_lengths(self.offset_table) + write_lengths(self.sense_table)
        return out + b"".join(write_wide(table) for table in self.tables)


def read_signed_scale(r: Reader, d: Dtype, full: int) -> SignedScale:
    """The part `scale`; `full` is the number of values of a full chunk."""
    head = read_head(r, full, d.mantissa - 2)
    taps = r.integer(1, "taps")
    if taps == 0:
        raise Refused(CORRUPT, "taps", r.at - 1, "0 taps")
    offset_table, sense_table = read_lengths(r, "offset_table"), read_lengths(r, "sense_table")
    tables = tuple(read_wide(r, ESCAPE + 1) for _ in range(len(BOUNDS) + 1))
    return SignedScale(*head, taps, offset_table, sense_table, tables)


def places(count: int, width: int, taps: int) -> list[int]:
    """Where in memory the value of each place lies, for `count` values."""
    group = taps * width
    found = list(range(count))
    for start in range(0, count - group + 1, group):
        for place in range(group):
            t, j = divmod(place, width)
            found[start + place] = start + j * taps + t
    return found


@dataclass(frozen=True)
class Signed:
    """A chunk's values that are not zero as symbols of section 4.5.

    `steps` holds (column, table, d, a) for each, `offsets` and `senses` those of every row; `bits`
    is what `scale` and the codes take.
    """

    scale: SignedScale
    steps: list[tuple[int, int, int, int]]
    offsets: list[int]
    senses: list[int]
    bits: int


def sign_values(
    values: Sequence[tuple[int, int] | None], width: int, taps: int, trailing: int
) -> Signed | None:
    """Rule 9 of section 8: the chunk in rows of `width`, or None if it cannot be signed.

    `values` has h and the sign bit of each value, None for zeros, and a value that is not zero.
    """
    columns, leans = Columns(width), Leans(width)
    steps: list[tuple[int, int, int, int]] = []
    found: list[int | None] = []
    senses: list[int] = []
    for row, start in enumerate(range(0, len(values), width)):
        here = [
            (c, *value)
            for c, value in enumerate(values[start : start + width])
            if value is not None
        ]
        if not here:
            found.append(None)
            senses.append(0)
            continue
        offset = row_offset(columns, [(c, h) for c, h, _ in here])
        if not LOWEST_OFFSET <= offset <= HIGHEST_OFFSET:
            return None
        found.append(offset)
        sense, strength = leans.sense([(c, sign) for c, _, sign in here])
        senses.append(2 * strength + sense)
        for c, h, sign in here:
            p = columns.prediction(c, offset)
            d = h - (p + 4 >> 3)
            if not -64 <= d <= 63:
                return None
            steps.append((c, leans.table(c, strength), d, leans.agree(c, sense, sign)))
            columns.learn(c, row, p, h)
            leans.learn(c, sense, sign)
    offsets = settle(found)
    counts = [
        histogram([2 * (CENTRE - d) + a for _, table, d, a in steps if table == t], ESCAPE - 1)
        for t in range(len(BOUNDS) + 1)
    ]
    counts = [[*count[:-1], 0, count[-1]] for count in counts]
    moves = histogram(offset_symbols(offsets), OFFSET_ESCAPE)
    kinds = histogram(senses, SENSE_ESCAPE)
    tables = tuple(make_table(count) for count in counts)
    scale = SignedScale(
        width, trailing, offsets[0], taps, make_table(moves), make_table(kinds), tables
    )
    bits = 8 * len(scale.write())
    bits += table_cost(scale.offset_table, moves, 16) + table_cost(scale.sense_table, kinds, 8)
    bits += sum(table_cost(t, c, 8) for t, c in zip(tables, counts, strict=True))
    return Signed(scale, steps, offsets, senses, bits)
