# SPDX-License-Identifier: Apache-2.0
"""Samples to tables: the steps in order, and what each of them gained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from entrolith.tablegen.cluster import (
    Labels,
    Progress,
    canonical,
    kmeans,
    refine,
    silent,
    tables_of,
    total_cost,
    used,
)
from entrolith.tablegen.histogram import Histograms
from entrolith.tablegen.huffman import Tables, optimal_costs


@dataclass(frozen=True)
class Settings:
    """What decides a table set, beside the samples.

    `chunk` values form a chunk and `block` non-zero values of it a block; `k` tables are wanted;
    K-means has `starts` starts, the first from `seed`.
    """

    k: int = 16
    chunk: int = 1 << 15
    block: int = 1 << 9
    seed: int = 0
    starts: int = 10


@dataclass(frozen=True)
class Learned:
    """A table set and the bits that the exponents of its samples take.

    `tables` has shape (at most k, 16): fewer when fewer are of any use. `values` counts non-zero
    values. Costs are in bits, without block headers: `kmeans_bits` with the tables of K-means,
    `refined_bits` with `tables`, `dynamic_bits` with the best table for each block alone.
    """

    tables: Tables
    values: int
    kmeans_bits: int
    refined_bits: int
    dynamic_bits: int
    block_entropy_bits: float
    entropy_bits: float


def entropy_bits(histograms: Histograms) -> float:
    """Empirical zero-order entropy of each row's symbols, times their number, summed, in bits."""
    counts = histograms[histograms > 0]
    totals = np.repeat(histograms.sum(axis=1), np.count_nonzero(histograms, axis=1))
    return float((counts * np.log2(totals / counts)).sum())


def learn(
    histograms: Histograms,
    settings: Settings,
    labels: Labels | None = None,
    progress: Progress = silent,
) -> Learned:
    """Find tables for the blocks of these histograms.

    Args:
        histograms: int64, shape (blocks, 16), at least `settings.k` blocks.
        settings: all but `chunk` and `block` matter here.
        labels: groups found by K-means before, shape (blocks,); computed if absent.
        progress: told of every step that takes long.

    Raises:
        ImportError: there are no `labels` and scikit-learn is not installed.
        ValueError: fewer blocks than tables.
    """
    if len(histograms) < settings.k:
        raise ValueError(f"{len(histograms)} blocks are too few for {settings.k} tables")
    if labels is None:
        labels = kmeans(
            histograms, settings.k, seed=settings.seed, starts=settings.starts, progress=progress
        )
    first = tables_of(histograms, labels, settings.k)
    tables = canonical(used(histograms, refine(histograms, first)))
    return Learned(
        tables=tables,
        values=int(histograms.sum()),
        kmeans_bits=total_cost(histograms, first),
        refined_bits=total_cost(histograms, tables),
        dynamic_bits=int(optimal_costs(histograms).sum()),
        block_entropy_bits=entropy_bits(histograms),
        entropy_bits=entropy_bits(histograms.sum(axis=0, keepdims=True)),
    )
