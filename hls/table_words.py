# SPDX-License-Identifier: Apache-2.0
"""What to write over the port of a loadable encoder, decoder or block for the tables of a set.

    python -m hls.table_words mytables.json gradient_dec

A line is "@address data", hexadecimal, in the order in which to write them; Verilog's $readmemh
reads the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import entrolith

from hls import code_tables, gradient_enc, huff_choice, lane_enc
from hls.configuration import load
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

TOPS: dict[str, tuple[str, ...]] = {
    "gradient_enc": tuple(block.__name__.removeprefix("hls.") for block in gradient_enc.LOADED),
    "gradient_dec": ("lane_dec",),
}
"""By top: the blocks whose memories its port has, in their order there."""


def table_words(block: str, tables: Tables) -> Iterator[tuple[int, int]]:
    """(address, data) of every write to a block or top. Raises KeyError if it is not loadable."""
    if block in TOPS:
        parts = [list(table_words(part, tables)) for part in TOPS[block]]
        bits = max(address for part in parts for address, _ in part).bit_length()
        for number, part in enumerate(parts):
            yield from ((number << bits | address, data) for address, data in part)
        return
    rows, sizes = BLOCKS[block]
    low = word_bits(sizes(tables))
    for number, words in enumerate(rows(tables)):
        for i, word in enumerate(words):
            yield number << low | i, word


def lines(block: str, tables: Tables) -> Iterator[str]:
    """The same as text."""
    return (f"@{address:x} {data:x}\n" for address, data in table_words(block, tables))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hls.table_words", description="Print what a loadable block's port is given."
    )
    parser.add_argument(
        "tables", type=Path, help="JSON of a table set, as `tables learn` writes it"
    )
    parser.add_argument("block", choices=[*TOPS, *BLOCKS], help="whose port it is")
    parsed = parser.parse_args(arguments)
    try:
        tables = entrolith.TableSet.load(parsed.tables)
    except (OSError, entrolith.EntrolithError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    made_for = {
        len(configuration.tables.tables)
        for configuration in load()
        if configuration.block == parsed.block and configuration.parameters.get("loadable")
        if configuration.tables
    }
    count = len(tables.tables)
    if count not in made_for:
        sizes = " or ".join(map(str, sorted(made_for)))
        parser.exit(1, f"{parser.prog}: {count} tables; {parsed.block} is made for {sizes}\n")
    sys.stdout.writelines(lines(parsed.block, tables.tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
