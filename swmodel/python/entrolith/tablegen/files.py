# SPDX-License-Identifier: Apache-2.0
"""A table set as files: JSON for software and reviewers, hexadecimal ROMs for `$readmemh`.

tables/README.md describes the layouts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from entrolith.table_set import TableSet
from entrolith.tablegen.histogram import ESCAPE, SYMBOLS
from entrolith.tablegen.huffman import MAX_LENGTH, Tables

ENCODER_DIGITS = 4
DECODER_DIGITS = 40


def to_json(name: str, tables: Tables, provenance: Mapping[str, object]) -> str:
    """The table set as `TableSet.load` reads it, and where it is from; sorted, one table a line."""
    described = json.dumps(provenance, indent=2, sort_keys=True).replace("\n", "\n  ")
    rows = ",\n".join(f"    {json.dumps(row)}" for row in tables.tolist())
    return (
        "{\n"
        f'  "identity": "{TableSet(tables.tolist()).id}",\n'
        f'  "name": {json.dumps(name)},\n'
        f'  "provenance": {described},\n'
        f'  "tables": [\n{rows}\n  ]\n'
        "}\n"
    )


def canonical_order(lengths: list[int]) -> list[int]:
    """The symbols that have a codeword, in the order of their codewords (FORMAT.md section 3.2)."""
    return sorted((s for s in range(SYMBOLS) if lengths[s]), key=lambda s: (lengths[s], s))


def reversed_codes(lengths: list[int]) -> dict[int, int]:
    """The codeword of each symbol that has one, first bit lowest, as lanes hold it."""
    codes, start = {}, 0
    for symbol in canonical_order(lengths):
        codes[symbol] = int(f"{start:0{MAX_LENGTH}b}"[::-1], 2)
        start += 1 << (MAX_LENGTH - lengths[symbol])
    return codes


def encoder_rom(tables: Tables) -> str:
    """Lines for address table * 16 + symbol: bit 12 escape, bits 11..8 length, bits 7..0 code."""
    lines = []
    for lengths in tables.tolist():
        codes = reversed_codes(lengths)
        for symbol in range(SYMBOLS):
            coded = symbol if symbol in codes else ESCAPE
            word = (coded == ESCAPE) << 12 | lengths[coded] << 8 | codes[coded]
            lines.append(f"{word:0{ENCODER_DIGITS}x}\n")
    return "".join(lines)


def decoder_rom(tables: Tables) -> str:
    """A line for each table: bits 62..0 limits, bits 94..63 biases, bits 158..95 symbols.

    With a window of 8 bits, first bit highest: limit L (9 bits, L = 1..7) is the number of windows
    whose codeword is at most L long; bias L (4 bits, L = 1..8) is what, added to the window's first
    L bits modulo 16, gives the codeword's rank; symbol r (4 bits, r = 0..15) is that of rank r.
    """
    lines = []
    for lengths in tables.tolist():
        word, limit, rank = 0, 0, 0
        for length in range(1, MAX_LENGTH + 1):
            first = limit >> (MAX_LENGTH - length)
            word |= (rank - first) % SYMBOLS << (63 + 4 * (length - 1))
            limit += lengths.count(length) << (MAX_LENGTH - length)
            rank += lengths.count(length)
            if length < MAX_LENGTH:
                word |= limit << (9 * (length - 1))
        for rank, symbol in enumerate(canonical_order(lengths)):
            word |= symbol << (95 + 4 * rank)
        lines.append(f"{word:0{DECODER_DIGITS}x}\n")
    return "".join(lines)
