# SPDX-License-Identifier: Apache-2.0
"""Sections 4.1 and 4.2 of FORMAT.md: where a chunk's zeros are, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference.reader import CORRUPT, Reader, Refused
from reference.tables import Lengths, read_lengths

BITMAP, RUNS, CROSS, KNOWN_RUNS = 2, 3, 4, 5
"""Modes of section 4."""

MAX_PAIRS = 1 << 14
MAX_CLASS = 17

TokenTables = tuple[Lengths, Lengths]
"""Of distances and of runs."""

KNOWN_TABLES: tuple[TokenTables, ...] = (
    (
        (8, 2, 6, 3, 2, 2, 4, 6, 7, 8, 8, 8, 8, 0, 0, 8),
        (1, 3, 2, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7),
    ),
    (
        (1, 2, 3, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7),
        (2, 3, 2, 2, 4, 5, 8, 8, 8, 8, 8, 8, 8, 0, 0, 8),
    ),
)
"""Of mode 5 (section 4.2); tables/known_tokens.py says what they come from."""


def read_bitmap(r: Reader, count: int) -> list[bool]:
    """Section 4.1."""
    start = r.at
    words = -(-count // 32)
    summary = r.integer(4 * -(-words // 32), "zeros")
    if summary >> words:
        raise Refused(CORRUPT, "zeros", start, "the summary names words beyond the chunk")
    bitmap = 0
    for w in range(words):
        if summary >> w & 1:
            word = r.integer(4, "zeros")
            if word == 0:
                raise Refused(CORRUPT, "zeros", r.at - 4, "an empty word is stored")
            bitmap |= word << (32 * w)
    if bitmap >> count:
        raise Refused(CORRUPT, "zeros", r.at - 4, "a bit beyond the chunk is set")
    if bitmap == 0:
        raise Refused(CORRUPT, "zeros", start, "a bitmap without a zero")
    if bitmap == (1 << count) - 1:
        raise Refused(CORRUPT, "zeros", start, "every value is zero")
    return [bool(bitmap >> i & 1) for i in range(count)]


def write_bitmap(values: Sequence[int]) -> bytes:
    """Section 4.1."""
    summary, stored = 0, b""
    words = -(-len(values) // 32)
    for w in range(words):
        word = sum(1 << i for i, value in enumerate(values[32 * w : 32 * w + 32]) if value == 0)
        if word:
            summary |= 1 << w
            stored += word.to_bytes(4, "little")
    return summary.to_bytes(4 * -(-words // 32), "little") + stored


@dataclass(frozen=True)
class Runs:
    """The head of section 4.2; the classes come from the lanes. `columns` is 0 without a cross."""

    at: int
    columns: int
    nonzeros: int
    pairs: int
    tables: TokenTables
    extra_at: int
    extra: bytes


def read_runs(r: Reader, count: int, full: int, zeros: int) -> Runs:
    """The head of section 4.2, in mode `zeros`. `full` is 2^log2_chunk."""
    columns = r.integer(2, "columns") if zeros == CROSS else 0
    if zeros == CROSS and not 0 < columns <= full:
        raise Refused(CORRUPT, "columns", r.at - 2, f"{columns} columns")
    start = r.at
    nonzeros = r.integer(2, "nonzeros")
    if not 0 < nonzeros < count:
        raise Refused(CORRUPT, "nonzeros", start, f"{nonzeros} of {count} values")
    pairs = r.integer(2, "pairs")
    if not 0 < pairs <= MAX_PAIRS:
        raise Refused(CORRUPT, "pairs", r.at - 2, f"{pairs} pairs")
    extra_bytes = r.integer(2, "extra_bytes")
    if zeros == KNOWN_RUNS:
        known = r.integer(1, "known_tables")
        if known >= len(KNOWN_TABLES):
            raise Refused(CORRUPT, "known_tables", r.at - 1, f"there are no tables {known}")
        tables = KNOWN_TABLES[known]
    else:
        tables = read_lengths(r, "distance_table"), read_lengths(r, "run_table")
    at = r.at
    return Runs(start, columns, nonzeros, pairs, tables, at, r.take(extra_bytes, "extra"))


def token_class(number: int) -> int:
    """The class of a token's number, which is 1 or more."""
    return (number - 1).bit_length()


def join_runs(runs: Runs, classes: Sequence[int], count: int) -> list[bool]:
    """Which values are zero, from the classes of the tokens."""
    bits, at = int.from_bytes(runs.extra, "little"), 0
    entries: list[bool] = []
    rows = -(-count // runs.columns) if runs.columns else 0
    for token, c in enumerate(classes):
        width = max(0, c - 1)
        number = 1 + (1 << width | bits >> at & ((1 << width) - 1) if c else 0)
        at += width
        distance = number - 1 if token == 0 else number
        entries += [True] * number if token % 2 else [False] * distance
        if len(entries) > runs.columns + rows + count:
            raise Refused(CORRUPT, "pairs", runs.at + 2, f"token {token} passes the last value")
    flags = entries[: runs.columns + rows]
    flags += [False] * (runs.columns + rows - len(flags))
    live = [
        i
        for i in range(count)
        if not runs.columns
        or not (flags[i % runs.columns] or flags[runs.columns + i // runs.columns])
    ]
    is_zero = [True] * count
    cells = entries[len(flags) :]
    if len(cells) > len(live):
        raise Refused(CORRUPT, "pairs", runs.at + 2, "the tokens pass the last value")
    for i, zero in zip(live, cells + [False] * (len(live) - len(cells)), strict=True):
        is_zero[i] = zero
    if is_zero.count(False) != runs.nonzeros:
        raise Refused(CORRUPT, "pairs", runs.at + 2, f"{is_zero.count(False)} values are not zero")
    if -(-at // 8) != len(runs.extra) or bits >> at:
        raise Refused(CORRUPT, "extra", runs.extra_at, "does not end with the last token")
    return is_zero


def cross_entries(values: Sequence[int], columns: int) -> list[bool]:
    """The sequence of section 4.2 in rows of `columns`: dead columns, dead rows, zeros in live."""
    rows = range(-(-len(values) // columns))
    dead_columns = [not any(values[j::columns]) for j in range(columns)]
    dead_rows = [not any(values[i * columns : (i + 1) * columns]) for i in rows]
    return (
        dead_columns
        + dead_rows
        + [
            value == 0
            for i, value in enumerate(values)
            if not (dead_columns[i % columns] or dead_rows[i // columns])
        ]
    )


def find_runs(entries: Sequence[bool]) -> tuple[list[int], bytes] | None:
    """The classes of the tokens and their extra bits, for a sequence with a zero.

    None if there are too many tokens, or one's number is too great.
    """
    numbers: list[int] = []
    distance = run = 0
    for zero in entries:
        if not zero and run:
            numbers += [distance, run]
            distance = run = 0
        if zero:
            run += 1
        else:
            distance += 1
    if run:
        numbers += [distance, run]
    numbers[0] += 1
    if len(numbers) > 2 * MAX_PAIRS or max(numbers) > 1 << MAX_CLASS:
        return None
    bits = at = 0
    for number in numbers:
        c = token_class(number)
        if c > 1:
            bits |= (number - 1 - (1 << c - 1)) << at
            at += c - 1
    return [token_class(number) for number in numbers], bits.to_bytes(-(-at // 8), "little")
