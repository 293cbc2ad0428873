# SPDX-License-Identifier: Apache-2.0
"""Symbols of FORMAT.md section 3.1, counted block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SYMBOLS = 16
ESCAPE = 15

Histograms = NDArray[np.int64]
"""Counts of shape (blocks, 16): row b holds how often each symbol occurs in block b."""


@dataclass(frozen=True)
class FloatLayout:
    """A row of the dtype table of FORMAT.md section 2."""

    bits: int
    exponent: int
    mantissa: int


LAYOUTS = {
    "fp32": FloatLayout(32, 8, 23),
    "bf16": FloatLayout(16, 8, 7),
    "fp16": FloatLayout(16, 5, 10),
}


def symbol_histograms(
    patterns: NDArray[np.unsignedinteger[Any]], dtype: str, *, chunk: int, block: int
) -> Histograms:
    """Count the symbols of every block.

    The values are cut into chunks and the non-zero values of a chunk into blocks, as FORMAT.md
    sections 2 and 5 say. A symbol is the block's greatest exponent minus the value's; all
    differences from 15 on are counted as the escape.

    Args:
        patterns: bit patterns, one-dimensional, uint32 for fp32 and uint16 for bf16 and fp16.
        dtype: a key of `LAYOUTS`.
        chunk: values of a full chunk.
        block: non-zero values of a full block.

    Returns:
        int64, shape (blocks, 16); every row has at least one count.
    """
    layout = LAYOUTS[dtype]
    at = np.flatnonzero(patterns)
    if at.size == 0:
        return np.zeros((0, SYMBOLS), np.int64)
    exponents = (patterns[at] >> layout.mantissa & (1 << layout.exponent) - 1).astype(np.int64)
    chunk_of = at // chunk
    nonzeros = np.bincount(chunk_of)
    first = np.cumsum(nonzeros) - nonzeros
    blocks = -(-nonzeros // block)
    before = np.cumsum(blocks) - blocks
    block_of = before[chunk_of] + (np.arange(at.size) - first[chunk_of]) // block
    starts = np.flatnonzero(np.diff(block_of, prepend=-1))
    greatest = np.maximum.reduceat(exponents, starts)
    symbols = np.minimum(greatest[block_of] - exponents, ESCAPE)
    cells = int(blocks.sum()) * SYMBOLS
    return np.bincount(block_of * SYMBOLS + symbols, minlength=cells).reshape(-1, SYMBOLS)
