# SPDX-License-Identifier: Apache-2.0
"""What to write over the port of a loadable block for the tables of a set.

    python -m hls.table_words mytables.json lane_dec

A line is "@address data", hexadecimal, in the order in which to write them; Verilog's $readmemh
reads the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import entrolith

from hls import code_tables, huff_choice, lane_enc
from hls.point import Tables
from hls.row_memory import word_bits

Rows = Callable[[Tables], list[list[int]]]
Sizes = Callable[[Tables], Sequence[int]]

BLOCKS: dict[str, tuple[Rows, Sizes]] = {
    "huff_choice": (huff_choice.memory_rows, huff_choice.word_sizes),
    "lane_enc": (lane_enc.memory_rows, lane_enc.word_sizes),
    "lane_dec": (code_tables.memory_rows, code_tables.word_sizes),
}
"""By block: the rows of its memory, and the bits of a row's words."""


def table_words(block: str, tables: Tables) -> Iterator[tuple[int, int]]:
    """(address, data) of every write to the block. Raises KeyError if it is not loadable."""
    rows, sizes = BLOCKS[block]
    low = word_bits(sizes(tables))
    for number, words in enumerate(rows(tables)):
        for i, word in enumerate(words):
            yield number << low | i, word


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hls.table_words", description="Print what a loadable block's port is given."
    )
    parser.add_argument(
        "tables", type=Path, help="JSON of a table set, as `tables learn` writes it"
    )
    parser.add_argument("block", choices=BLOCKS, help="whose port it is")
    parsed = parser.parse_args(arguments)
    try:
        tables = entrolith.TableSet.load(parsed.tables)
    except (OSError, entrolith.EntrolithError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    for address, data in table_words(parsed.block, tables.tables):
        print(f"@{address:x} {data:x}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
