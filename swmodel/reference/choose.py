# SPDX-License-Identifier: Apache-2.0
"""Rules 2, 5 and 6 of FORMAT.md section 8: which tables, and how zeros are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference.decode import DYNAMIC, RAW
from reference.profile import Profile
from reference.reader import Dtype
from reference.tables import ESCAPE, Lengths, make_table, table_cost, write_lengths
from reference.zeros import (
    CROSS,
    KNOWN_RUNS,
    KNOWN_TABLES,
    RUNS,
    TokenTables,
    cross_entries,
    find_runs,
    write_bitmap,
)

UNIT = {"dynamic": 4, "hybrid": 1}
"""Blocks that share a dynamic table."""
MAX_DYNAMIC = 64


def histogram_of(symbols: Sequence[int]) -> list[int]:
    """How often each symbol occurs, at 15 what is beyond."""
    counts = [0] * 16
    for symbol in symbols:
        counts[min(symbol, ESCAPE)] += 1
    return counts


def choose_table(
    histogram: Sequence[int], tables: Sequence[Lengths], escape: int
) -> tuple[int, int]:
    """The cheapest way to code these symbols, as rule 2 of section 8 has it, and its bits."""
    costs = [table_cost(lengths, histogram, escape) for lengths in tables]
    best = min(range(len(costs)), key=lambda t: (costs[t], t))
    raw = escape * sum(histogram)
    return (RAW, raw) if raw < costs[best] else (best, costs[best])


def choose_block(
    differences: Sequence[int], tables: Sequence[Lengths], escape: int, p: Profile
) -> tuple[int, int]:
    """Rule 2 of section 8 for a block of these emax - e: the table and the block's bits."""
    chosen, _ = choose_table(histogram_of(differences[:: p.step]), tables, escape)
    if chosen == RAW:
        return RAW, escape * len(differences)
    return chosen, table_cost(tables[chosen], histogram_of(differences), escape)


def choose_tables(
    blocks: Sequence[Sequence[int]], tables: Sequence[Lengths], d: Dtype, p: Profile
) -> tuple[list[int], list[Lengths], int]:
    """Rules 2 and 6 of section 8: each block's table, the dynamic tables, bits of the codes.

    `blocks` are their emax - e.
    """
    mode = p.mode
    escape = 8 * d.exponent_bytes
    choices = [choose_block(differences, tables, escape, p) for differences in blocks]
    histograms = [histogram_of(differences) for differences in blocks]
    chosen = [table for table, _ in choices]
    made: list[Lengths] = []
    bits = sum(choice for _, choice in choices)
    for first in range(0, len(histograms), UNIT.get(mode, 1)):
        if mode == "static" or len(made) == MAX_DYNAMIC:
            break
        unit = slice(first, min(first + UNIT[mode], len(histograms)))
        total = [sum(counts) for counts in zip(*histograms[unit], strict=True)]
        lengths = make_table(total)
        cost = table_cost(lengths, total, escape)
        raw = escape * sum(total)
        fixed = sum(choice for _, choice in choices[unit])
        if mode == "dynamic" and raw < cost + 64:
            chosen[unit] = [RAW] * (unit.stop - first)
            bits += raw - fixed
        elif mode == "dynamic" or cost + 64 < fixed:
            chosen[unit] = [DYNAMIC + len(made)] * (unit.stop - first)
            made.append(lengths)
            bits += cost - fixed
    return chosen, made, bits


@dataclass(frozen=True)
class Tokens:
    """Zero runs to write (section 4.2).

    `columns` is 0 without a cross; `known` is the number of known tables, None of others.
    """

    columns: int
    classes: list[int]
    tables: TokenTables
    extra: bytes
    known: int | None = None

    @property
    def mode(self) -> int:
        """The mode `zeros` of section 4."""
        return KNOWN_RUNS if self.known is not None else CROSS if self.columns else RUNS

    def head(self, nonzeros: int) -> bytes:
        """The part before the lanes."""
        fields = ([self.columns] if self.columns else []) + [nonzeros, len(self.classes) // 2]
        out = b"".join(field.to_bytes(2, "little") for field in [*fields, len(self.extra)])
        made = b"".join(write_lengths(table) for table in self.tables)
        return out + (made if self.known is None else bytes([self.known])) + self.extra

    def cost(self) -> int:
        """Rule 5 of section 8: bits."""
        bits = 8 * len(self.head(0))
        for parity, table in enumerate(self.tables):
            bits += table_cost(table, histogram_of(self.classes[parity::2]), 8)
        return bits


def choose_zeros(values: Sequence[int], widths: Sequence[int], p: Profile) -> Tokens | None:
    """Rules 1 and 5 of section 8: the cheapest runs, if they are cheaper than the bitmap."""
    if not p.runs and not p.known_pairs:
        return None
    best, least = None, 8 * len(write_bitmap(values))
    for columns in (0, *widths):
        entries = cross_entries(values, columns) if columns else [value == 0 for value in values]
        found = find_runs(entries)
        if found is None:
            continue
        classes, extra = found
        if p.known_pairs:
            fits = not columns and len(classes) <= 2 * p.known_pairs
            known = enumerate(KNOWN_TABLES if fits else ())
            candidates = [Tokens(0, classes, tables, extra, number) for number, tables in known]
        else:
            distances, runs = (make_table(histogram_of(classes[parity::2])) for parity in (0, 1))
            candidates = [Tokens(columns, classes, (distances, runs), extra)]
        for tokens in candidates:
            if tokens.cost() < least:
                best, least = tokens, tokens.cost()
    return best
