# SPDX-License-Identifier: Apache-2.0
"""Tables of FORMAT.md section 3: lengths to codewords, and a set's identity."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from reference.reader import CORRUPT, Reader, Refused

SYMBOLS = 16
ESCAPE = 15
MAX_LENGTH = 8

Lengths = Sequence[int]


def codewords(lengths: Lengths) -> dict[int, tuple[int, int]]:
    """Map each symbol with a codeword to (length, code), first bit most significant (section 3.2).

    The last symbol is the escape. Raises ValueError if the lengths break section 3.2.
    """
    if any(not 0 <= n <= MAX_LENGTH for n in lengths):
        raise ValueError(f"lengths are 0..{MAX_LENGTH}")
    if lengths[-1] == 0:
        raise ValueError("the escape has no codeword")
    if sum(1 << (MAX_LENGTH - n) for n in lengths if n) != 1 << MAX_LENGTH:
        raise ValueError("the code is not complete")
    order = sorted((n, symbol) for symbol, n in enumerate(lengths) if n)
    codes: dict[int, tuple[int, int]] = {}
    code, previous = -1, order[0][0]
    for length, symbol in order:
        code = (code + 1) << (length - previous)
        codes[symbol] = (length, code)
        previous = length
    return codes


def reverse(code: int, length: int) -> int:
    """The `length` bits of `code` in reverse order: first bit lowest, as in lanes (section 6)."""
    return int(f"{code:0{length}b}"[::-1], 2)


def identity(tables: Sequence[Lengths]) -> bytes:
    """The 8 bytes that name a table set (section 3.3)."""
    for lengths in tables:
        if len(lengths) != SYMBOLS:
            raise ValueError(f"a table is {SYMBOLS} lengths")
        codewords(lengths)
    flat = bytes([len(tables)]) + b"".join(bytes(t) for t in tables)
    return hashlib.sha256(flat).digest()[:8]


def read_lengths(r: Reader, field: str) -> Lengths:
    """A table inside a chunk (sections 4.2 and 4.3)."""
    packed = r.integer(8, field)
    lengths = tuple(packed >> (4 * s) & 15 for s in range(SYMBOLS))
    try:
        codewords(lengths)
    except ValueError as error:
        raise Refused(CORRUPT, field, r.at - 8, str(error)) from None
    return lengths


def write_lengths(lengths: Lengths) -> bytes:
    """What read_lengths() reads."""
    return sum(n << (4 * s) for s, n in enumerate(lengths)).to_bytes(8, "little")


def make_table(histogram: Sequence[int]) -> Lengths:
    """Rule 7 of section 8. `histogram` counts the symbols, the last what is to be escaped."""
    total, escape = sum(histogram), len(histogram) - 1
    weights = {s: c for s, c in enumerate(histogram[:escape]) if c and 1024 * c >= total}
    weights[escape] = max(1, total - sum(weights.values()))
    if len(weights) == 1:
        weights[0] = 0
    symbols = sorted((weight, (symbol,)) for symbol, weight in weights.items())
    merged: list[tuple[int, tuple[int, ...]]] = []
    for _ in range(MAX_LENGTH):
        packages = [
            (merged[i][0] + merged[i + 1][0], merged[i][1] + merged[i + 1][1])
            for i in range(0, len(merged) - 1, 2)
        ]
        merged = sorted(symbols + packages, key=lambda entry: entry[0])  # stable: symbols first
    chosen = [symbol for _, held in merged[: 2 * (len(symbols) - 1)] for symbol in held]
    return tuple(chosen.count(symbol) for symbol in range(len(histogram)))


def table_cost(lengths: Lengths, histogram: Sequence[int], escape: int) -> int:
    """Rule 2 of section 8: bits of these symbols, the last what is to be escaped.

    `escape` are the bits that follow the escape's codeword.
    """
    last = len(lengths) - 1
    bits = 0
    for symbol, count in enumerate(histogram):
        coded = symbol < last and lengths[symbol] > 0
        bits += count * (lengths[symbol] if coded else lengths[last] + escape)
    return bits
