# SPDX-License-Identifier: Apache-2.0
"""The cheapest table of FORMAT.md section 3.2 for a histogram, exactly, in integers.

A code of at most 16 codewords of at most 8 bits is one of few: `complete_codes` lists all its
possible lengths. So the optimum is found by trying them, for every number of symbols that have a
codeword of their own. Symbols without one go through the escape, which costs its codeword and a
byte; in an optimal table these are the rarest, since swapping a rarer symbol that has a codeword
with a more frequent one that has none never costs more: a codeword is at most 8 bits long, the
detour at least 9.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from entrolith.tablegen.histogram import ESCAPE, SYMBOLS, Histograms

MAX_LENGTH = 8
ESCAPED_BITS = 8
"""Bits of the exponent that follows an escape, and of an exponent in a raw block."""

BATCH = 4096
"""Blocks whose costs under all possible codes are in memory at a time."""

Tables = NDArray[np.int64]
"""Codeword lengths of shape (tables, 16), 0 for none (FORMAT.md section 3.2)."""


@cache
def complete_codes(codewords: int, max_length: int = MAX_LENGTH) -> Tables:
    """Ascending lengths of every complete code, in lexicographic order.

    Args:
        codewords: how many codewords, from 2 on.
        max_length: the longest allowed, in bits.

    Returns:
        int64, shape (codes, codewords).
    """
    found: list[list[int]] = []

    def extend(lengths: list[int], room: int) -> None:
        left = codewords - len(lengths)
        if left == 0:
            if room == 0:
                found.append(lengths)
            return
        for length in range(lengths[-1] if lengths else 1, max_length + 1):
            # `left` codewords of this length or longer must fill the room that is left, exactly
            if left <= room and room <= left << (max_length - length):
                extend([*lengths, length], room - (1 << (max_length - length)))

    extend([], 1 << max_length)
    return np.array(found, np.int64).reshape(-1, codewords)


def _ranked(histograms: Histograms) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The symbols 0..14 of each histogram from frequent to rare, and their counts."""
    order = np.argsort(-histograms[:, :ESCAPE], axis=1, kind="stable")
    return order, np.take_along_axis(histograms, order, axis=1)


def _weights(counts: NDArray[np.int64], escapes: NDArray[np.int64], kept: int) -> NDArray[np.int64]:
    """Counts of the `kept` most frequent symbols, then of the escape, which takes in the others."""
    escaped = escapes + counts[:, kept:].sum(axis=1)
    return np.column_stack([counts[:, :kept], escaped])


def optimal_costs(histograms: Histograms) -> NDArray[np.int64]:
    """Bits of each block's exponents under the cheapest table for that block alone.

    Args:
        histograms: int64, shape (blocks, 16).

    Returns:
        int64, shape (blocks,). The table's own description is not counted.
    """
    _, counts = _ranked(histograms)
    best = np.full(len(histograms), np.iinfo(np.int64).max)
    for start in range(0, len(histograms), BATCH):
        batch = slice(start, start + BATCH)
        for kept in range(1, SYMBOLS):
            weights = _weights(counts[batch], histograms[batch, ESCAPE], kept)
            codes = -np.sort(-weights, axis=1) @ complete_codes(kept + 1).T
            costs = codes.min(axis=1) + ESCAPED_BITS * weights[:, -1]
            best[batch] = np.minimum(best[batch], costs)
    return best


def optimal_table(histogram: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cheapest table for a histogram.

    Among equally cheap ones: the one with the most codewords, then the lexicographically smallest
    lengths in order of frequency; of equally frequent symbols the smaller comes first and the
    escape last.

    Args:
        histogram: int64, shape (16,), counts of the symbols.

    Returns:
        int64, shape (16,): lengths.
    """
    order, counts = (ranked[0] for ranked in _ranked(histogram[None]))
    best, table = np.iinfo(np.int64).max, np.zeros(SYMBOLS, np.int64)
    for kept in range(SYMBOLS - 1, 0, -1):
        weights = _weights(counts[None], histogram[None, ESCAPE], kept)[0]
        frequent = np.argsort(-weights, kind="stable")
        codes = complete_codes(kept + 1)
        costs = codes @ weights[frequent]
        cheapest = int(np.argmin(costs))
        cost = int(costs[cheapest]) + ESCAPED_BITS * int(weights[-1])
        if cost < best:
            best, table = cost, np.zeros(SYMBOLS, np.int64)
            table[np.append(order[:kept], ESCAPE)[frequent]] = codes[cheapest]
    return table


def symbol_costs(tables: Tables) -> NDArray[np.int64]:
    """Bits that each symbol takes in each table, escapes with their exponent byte.

    Args:
        tables: int64, shape (tables, 16).

    Returns:
        int64, shape (tables, 16).
    """
    detour = tables[:, ESCAPE:] + ESCAPED_BITS
    costs = np.where(tables > 0, tables, detour)
    costs[:, ESCAPE] = detour[:, 0]
    return costs


def block_costs(histograms: Histograms, tables: Tables) -> NDArray[np.int64]:
    """Bits of the exponents of each block under each table (rule 2 of FORMAT.md section 8).

    Args:
        histograms: int64, shape (blocks, 16).
        tables: int64, shape (tables, 16).

    Returns:
        int64, shape (blocks, tables).
    """
    costs: NDArray[np.int64] = histograms @ symbol_costs(tables).T
    return costs


def raw_costs(histograms: Histograms) -> NDArray[np.int64]:
    """Bits of the exponents of each block if the block is raw; int64, shape (blocks,)."""
    counts: NDArray[np.int64] = histograms.sum(axis=1)
    return ESCAPED_BITS * counts
