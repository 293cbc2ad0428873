# SPDX-License-Identifier: Apache-2.0
"""Section 2.1 of FORMAT.md: a tensor as a matrix, and its dead rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from reference.reader import CORRUPT, Reader, Refused


@dataclass(frozen=True)
class Matrix:
    """A view of a tensor of `shape` as rows and columns, some of them dead."""

    shape: tuple[int, ...]
    view: int
    dead_rows: tuple[bool, ...]
    dead_columns: tuple[bool, ...]

    @property
    def live_columns(self) -> int:
        return self.dead_columns.count(False)

    @property
    def live(self) -> int:
        """Values in live rows and columns."""
        return self.dead_rows.count(False) * self.live_columns

    def order(self) -> list[int]:
        """Where each live value, row by row, lies in the tensor's C order."""
        rows, columns = len(self.dead_rows), len(self.dead_columns)
        return [
            self._position(i, j, columns)
            for i in range(rows)
            if not self.dead_rows[i]
            for j in range(columns)
            if not self.dead_columns[j]
        ]

    def _position(self, i: int, j: int, columns: int) -> int:
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


def read_matrix(r: Reader, shape: tuple[int, ...]) -> Matrix:
    """The first parameters of predictors 3 and 4, which end where `r` does."""
    start = r.at
    view = r.integer(1, "view")
    try:
        rows, columns = extent(shape, view)
    except ValueError as error:
        raise Refused(CORRUPT, "view", start, str(error)) from None
    if rows * columns > (r.end - start) << 18:
        raise Refused(CORRUPT, "view", start, "too many values for these parameters")
    dead_rows = read_dead(r, rows, "dead_rows")
    dead_columns = read_dead(r, columns, "dead_columns")
    if r.at != r.end:
        raise Refused(CORRUPT, "parameter_bytes", r.at, "the parameters end early")
    return Matrix(shape, view, dead_rows, dead_columns)


def read_dead(r: Reader, count: int, field: str) -> tuple[bool, ...]:
    size = -(-count // 8)
    bits = r.integer(size, field)
    if bits >> count:
        raise Refused(CORRUPT, field, r.at - size, "a bit beyond the last is set")
    return tuple(bool(bits >> i & 1) for i in range(count))


def write_matrix(matrix: Matrix) -> bytes:
    """What read_matrix() reads."""

    def dead(flags: Sequence[bool]) -> bytes:
        bits = sum(1 << i for i, flag in enumerate(flags) if flag)
        return bits.to_bytes(-(-len(flags) // 8), "little")

    return bytes([matrix.view]) + dead(matrix.dead_rows) + dead(matrix.dead_columns)


def find_dead(values: Sequence[int], shape: tuple[int, ...], view: int) -> Matrix:
    """The matrix of a tensor's bit patterns with every dead row and column."""
    rows, columns = extent(shape, view)
    whole = Matrix(shape, view, (False,) * rows, (False,) * columns)
    live_rows, live_columns = set(), set()
    for at, position in enumerate(whole.order()):
        if values[position]:
            live_rows.add(at // columns)
            live_columns.add(at % columns)
    return Matrix(
        shape,
        view,
        tuple(i not in live_rows for i in range(rows)),
        tuple(j not in live_columns for j in range(columns)),
    )
