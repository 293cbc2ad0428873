# SPDX-License-Identifier: Apache-2.0
"""Sections 4.1 and 4.2 of FORMAT.md: where a chunk's zeros are, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference.reader import CORRUPT, Reader, Refused
from reference.tables import Lengths, read_lengths


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
    """The head of section 4.2; the classes come from the lanes."""

    at: int
    nonzeros: int
    pairs: int
    tables: tuple[Lengths, Lengths]
    extra: bytes


def read_runs(r: Reader, count: int) -> Runs:
    """The head of section 4.2."""
    start = r.at
    nonzeros = r.integer(2, "nonzeros")
    if not 0 < nonzeros < count:
        raise Refused(CORRUPT, "nonzeros", start, f"{nonzeros} of {count} values")
    pairs = r.integer(2, "pairs")
    if not 0 < pairs <= 16384:
        raise Refused(CORRUPT, "pairs", r.at - 2, f"{pairs} pairs")
    extra_bytes = r.integer(2, "extra_bytes")
    distance = read_lengths(r, "distance_table")
    run = read_lengths(r, "run_table")
    return Runs(start, nonzeros, pairs, (distance, run), r.take(extra_bytes, "extra"))


def token_class(number: int) -> int:
    """The class of a token's number, which is 1 or more."""
    return (number - 1).bit_length()


def join_runs(runs: Runs, classes: Sequence[int], count: int) -> list[bool]:
    """Which values are zero, from the classes of the tokens."""
    bits, at = int.from_bytes(runs.extra, "little"), 0
    is_zero: list[bool] = []
    kept = 0
    for token, c in enumerate(classes):
        width = max(0, c - 1)
        number = 1 + (1 << width | bits >> at & ((1 << width) - 1) if c else 0)
        at += width
        if token % 2:
            is_zero += [True] * number
        else:
            distance = number - 1 if token == 0 else number
            kept += distance
            is_zero += [False] * distance
        if kept > runs.nonzeros or len(is_zero) - kept > count - runs.nonzeros:
            raise Refused(CORRUPT, "pairs", runs.at + 2, f"token {token} passes the last value")
    if len(is_zero) - kept != count - runs.nonzeros:
        raise Refused(CORRUPT, "pairs", runs.at + 2, "the runs miss zeros")
    if -(-at // 8) != len(runs.extra) or bits >> at:
        raise Refused(CORRUPT, "extra", runs.at + 22, "does not end with the last token")
    return is_zero + [False] * (runs.nonzeros - kept)


def find_runs(values: Sequence[int]) -> tuple[list[int], bytes]:
    """The classes of the tokens and their extra bits."""
    numbers: list[int] = []
    distance = run = 0
    for value in values:
        if value and run:
            numbers += [distance, run]
            distance = run = 0
        if value:
            distance += 1
        else:
            run += 1
    if run:
        numbers += [distance, run]
    numbers[0] += 1
    bits = at = 0
    for number in numbers:
        c = token_class(number)
        if c > 1:
            bits |= (number - 1 - (1 << c - 1)) << at
            at += c - 1
    return [token_class(number) for number in numbers], bits.to_bytes(-(-at // 8), "little")
