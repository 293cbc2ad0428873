# SPDX-License-Identifier: Apache-2.0
"""Section 2.1 of FORMAT.md: a tensor as a matrix, its dead rows and columns, and its strips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from reference.reader import CORRUPT, Reader, Refused


@dataclass(frozen=True)
class Matrix:
    """A view of a tensor of `shape` as rows and columns, some of them dead, cut into strips."""

    shape: tuple[int, ...]
    view: int
    strip: int
    dead_rows: tuple[bool, ...]
    dead_columns: tuple[bool, ...]

    @property
    def live_rows(self) -> int:
        return self.dead_rows.count(False)

    @property
    def live_columns(self) -> int:
        return self.dead_columns.count(False)

    @property
    def live(self) -> int:
        """Values in live rows and columns."""
        return self.live_rows * self.live_columns

    def chunks(self, full: int) -> Iterator[tuple[int, int]]:
        """The values of each chunk, and the columns of its strip. `full` is 2^log2_chunk."""
        for first in range(0, self.live_columns, self.strip):
            width = min(self.strip, self.live_columns - first)
            rows = full // width
            for row in range(0, self.live_rows, rows):
                yield width * min(rows, self.live_rows - row), width

    def order(self) -> list[int]:
        """Where each value of the segment lies in the tensor's C order."""
        rows = [i for i, dead in enumerate(self.dead_rows) if not dead]
        columns = [j for j, dead in enumerate(self.dead_columns) if not dead]
        strips = [columns[at : at + self.strip] for at in range(0, len(columns), self.strip)]
        return [self._position(i, j) for strip in strips for i in rows for j in strip]

    def _position(self, i: int, j: int) -> int:
        columns = len(self.dead_columns)
        if self.view:
            return i * columns + j
        taps = prod(self.shape[2:])
        return (i // taps * columns + j) * taps + i % taps


def extent(shape: Sequence[int], view: int) -> tuple[int, int]:
    """Rows and columns of a view; ValueError if there is no such view."""
    if view == 0 and len(shape) >= 3:
        return shape[0] * prod(shape[2:]), shape[1]
    if 1 <= view < len(shape):
        return prod(shape[:view]), prod(shape[view:])
    raise ValueError(f"no view {view} of {len(shape)} dimensions")


def read_matrix(r: Reader, shape: tuple[int, ...], full: int) -> Matrix:
    """The parameters of predictor 3, which end where `r` does. `full` is 2^log2_chunk."""
    start = r.at
    view = r.integer(1, "view")
    try:
        rows, columns = extent(shape, view)
    except ValueError as error:
        raise Refused(CORRUPT, "view", start, str(error)) from None
    strip = r.varint("strip")
    if not 0 < strip <= full:
        raise Refused(CORRUPT, "strip", start + 1, f"strips of {strip} columns")
    dead_row_count, row_bits = read_dead(r, rows, "dead_rows")
    dead_column_count, column_bits = read_dead(r, columns, "dead_columns")
    if r.at != r.end:
        raise Refused(CORRUPT, "parameter_bytes", r.at, "the parameters end early")
    live = (rows - dead_row_count) * (columns - dead_column_count)
    if rows * columns > (r.end - start + live) << 18:
        raise Refused(CORRUPT, "view", start, "too many values for these parameters")
    return Matrix(shape, view, strip, flags(row_bits, rows), flags(column_bits, columns))


def read_dead(r: Reader, count: int, field: str) -> tuple[int, int]:
    """How many rows or columns are dead, and their bits."""
    start = r.at
    dead = r.varint(field)
    size = -(-count // 8)
    bits = r.integer(size, field) if dead else 0
    if bits >> count:
        raise Refused(CORRUPT, field, r.at - size, "a bit beyond the last is set")
    if bits.bit_count() != dead:
        raise Refused(CORRUPT, field, start, f"{bits.bit_count()} bits are set")
    return dead, bits


def flags(bits: int, count: int) -> tuple[bool, ...]:
    """The lowest `count` bits."""
    return tuple(bool(bits >> i & 1) for i in range(count))


def find_dead(values: Sequence[int], shape: tuple[int, ...], view: int, widest: int) -> Matrix:
    """The matrix of a tensor's bit patterns, every dead row and column left out.

    Strips are of equal width or nearly so, none wider than `widest` (rule 10 of section 8).
    """
    rows, columns = extent(shape, view)
    whole = Matrix(shape, view, max(1, columns), (False,) * rows, (False,) * columns)
    live_rows, live_columns = set(), set()
    for at, position in enumerate(whole.order()):
        if values[position]:
            live_rows.add(at // columns)
            live_columns.add(at % columns)
    strips = -(-len(live_columns) // widest)
    return Matrix(
        shape,
        view,
        -(-len(live_columns) // strips) if strips else 1,
        tuple(i not in live_rows for i in range(rows)),
        tuple(j not in live_columns for j in range(columns)),
    )
