# SPDX-License-Identifier: Apache-2.0
"""Learn the token tables that FORMAT.md section 4.2 has for mode 5 from the samples for learning.

    PYTHONPATH=swmodel python tables/known_tokens.py

They are constants of the format, so this only says where they come from; a test compares. The
chunks whose runs are cheaper than their bitmaps fall into two groups, each with the tables that
rule 7 of section 8 makes for it, but with a codeword for each class that a chunk of 4096 can have.
A chunk moves to the group whose tables suit it best until none does.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from reference.choose import Tokens, histogram_of
from reference.tables import Lengths, make_table
from reference.zeros import TokenTables, find_runs, write_bitmap

SAMPLES = Path(__file__).resolve().parent / "samples"
CLASSES = 13
GROUPS = 2
MOST_PAIRS = 1024


@dataclass(frozen=True)
class Chunk:
    """The tokens of a sample's run, and the bits of its bitmap."""

    classes: list[int]
    extra: bytes
    bitmap: int

    def cost(self, tables: TokenTables) -> int:
        """Bits in mode 5."""
        return Tokens(0, self.classes, tables, self.extra, known=0).cost()


def chunks() -> list[Chunk]:
    """Of all samples for learning, by their number of tokens."""
    manifest = tomllib.loads((SAMPLES / "MANIFEST.toml").read_text())["sample"]
    found = []
    for entry in manifest:
        if entry["purpose"] != "learn" or not entry["zeros"]:
            continue
        for run in np.load(SAMPLES / entry["file"]).view(np.uint32).tolist():
            zero = [value == 0 for value in run]
            tokens = find_runs(zero) if any(zero) and not all(zero) else None
            if tokens is not None and len(tokens[0]) <= 2 * MOST_PAIRS:
                found.append(Chunk(*tokens, 8 * len(write_bitmap(run))))
    return sorted(found, key=lambda chunk: len(chunk.classes))


def table_of(classes: Sequence[int]) -> Lengths:
    """Rule 7, where no class is rarer than one in 1000."""
    histogram = histogram_of(classes)
    least = len(classes) // 1000 + 1
    return make_table([max(least, count) for count in histogram[:CLASSES]] + [0, 0, 0])


def tables_of(group: Sequence[Chunk]) -> TokenTables:
    """Tables for a group of chunks."""
    distances, runs = (
        [c for chunk in group for c in chunk.classes[parity::2]] for parity in (0, 1)
    )
    return table_of(distances), table_of(runs)


def learn(all_chunks: Sequence[Chunk]) -> list[TokenTables]:
    """The tables of each group."""
    half = len(all_chunks) // GROUPS
    groups = [list(all_chunks[:half]), list(all_chunks[half:])]
    while True:
        tables = [tables_of(group) for group in groups]
        moved: list[list[Chunk]] = [[] for _ in tables]
        for chunk in all_chunks:
            costs = [chunk.cost(pair) for pair in tables]
            if min(costs) < chunk.bitmap:
                moved[costs.index(min(costs))].append(chunk)
        if moved == groups:
            return tables
        groups = moved


def main() -> int:
    """Print them."""
    for distances, runs in learn(chunks()):
        print(f"{distances}\n{runs}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
