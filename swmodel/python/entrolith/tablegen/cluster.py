# SPDX-License-Identifier: Apache-2.0
"""K tables for many blocks: K-means finds groups of blocks, then exact code lengths refine them.

Only `kmeans` computes with floating point; what it returns, a group for each block, is all that the
rest depends on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from entrolith.tablegen.histogram import Histograms
from entrolith.tablegen.huffman import (
    Tables,
    block_costs,
    optimal_costs,
    optimal_table,
    raw_costs,
    symbol_costs,
)

Labels = NDArray[np.int64]
"""Shape (blocks,): the group of each block, 0..K-1."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many steps of it are done, and how many there are."""


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody wants to see."""
    del what, done, total


def kmeans(
    histograms: Histograms, k: int, *, seed: int, starts: int, progress: Progress = silent
) -> Labels:
    """Group blocks whose symbols have similar probabilities, by scikit-learn's K-means.

    Of several starts, the groups are kept whose tables are the cheapest once refined. Runs on one
    thread with fixed seeds; another machine's linear algebra may still decide a close call
    differently.

    Args:
        histograms: int64, shape (blocks, 16), at least `k` blocks.
        k: how many groups.
        seed: of the first start; each of the others adds one.
        starts: how often to start, each time from other centres.
        progress: told of every start.

    Raises:
        ImportError: scikit-learn is not installed.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    counts = histograms.sum(axis=1)
    probabilities = histograms / counts[:, None]
    found: list[tuple[int, int, Labels]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct blocks than groups
        for start in range(starts):
            progress("K-means", start, starts)
            means = KMeans(k, n_init=1, random_state=seed + start)
            labels = means.fit_predict(probabilities, sample_weight=counts).astype(np.int64)
            refined = refine(histograms, tables_of(histograms, labels, k))
            found.append((total_cost(histograms, refined), start, labels))
    progress("K-means", starts, starts)
    return min(found)[2]


def tables_of(histograms: Histograms, labels: Labels, k: int) -> Tables:
    """The cheapest table for each group of blocks; int64, shape (k, 16)."""
    totals = np.zeros((k, histograms.shape[1]), np.int64)
    np.add.at(totals, labels, histograms)
    return np.stack([optimal_table(total) for total in totals])


def total_cost(histograms: Histograms, tables: Tables) -> int:
    """Bits of the exponents of all blocks, each with its cheapest table or raw."""
    best = block_costs(histograms, tables).min(axis=1)
    return int(np.minimum(best, raw_costs(histograms)).sum())


def refine(histograms: Histograms, tables: Tables) -> Tables:
    """Lloyd's algorithm with the exact cost in bits for a distance.

    Each block goes to its cheapest table (the first of equals), blocks that are cheaper raw to
    none, then each table becomes the cheapest for its blocks; until that gains nothing. A table
    left without blocks starts anew from the block that loses most against a table of its own.

    Args:
        histograms: int64, shape (blocks, 16).
        tables: int64, shape (k, 16).

    Returns:
        int64, shape (k, 16); `total_cost` is never above that of `tables`.
    """
    best, cost = tables, total_cost(histograms, tables)
    raw = raw_costs(histograms)
    while True:
        costs = block_costs(histograms, best)
        labels, spent = costs.argmin(axis=1), costs.min(axis=1)
        coded = spent <= raw
        used = np.bincount(labels[coded], minlength=len(best))
        empty = np.flatnonzero(used == 0)
        if len(empty):
            gains = optimal_costs(histograms) - np.minimum(spent, raw)
            losers = np.argsort(gains, kind="stable")[: len(empty)]
            labels[losers], coded[losers] = empty[: len(losers)], True
        better = tables_of(histograms[coded], labels[coded], len(best))
        if total_cost(histograms, better) >= cost:
            return best
        best, cost = better, total_cost(histograms, better)


def used(histograms: Histograms, tables: Tables) -> Tables:
    """The tables that are the cheapest for some block; one, if all blocks are cheaper raw."""
    costs = block_costs(histograms, tables)
    coded = costs.min(axis=1) <= raw_costs(histograms)
    return tables[np.unique(costs.argmin(axis=1)[coded])] if coded.any() else tables[:1]


def canonical(tables: Tables) -> Tables:
    """Distinct tables in order: those for the narrowest distributions first.

    The order compares the bits of symbol 0, then of symbol 1 and so on, so that it depends on the
    tables alone.
    """
    keyed = {tuple(costs): row for costs, row in zip(symbol_costs(tables), tables, strict=True)}
    return np.stack([keyed[costs] for costs in sorted(keyed)])
