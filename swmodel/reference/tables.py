# SPDX-License-Identifier: Apache-2.0
"""Tables of FORMAT.md section 3: lengths to codewords, and a set's identity."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

SYMBOLS = 16
ESCAPE = 15
MAX_LENGTH = 8

Lengths = Sequence[int]


def codewords(lengths: Lengths) -> dict[int, tuple[int, int]]:
    """Map each symbol with a codeword to (length, code), first bit most significant (section 3.2).

    Raises ValueError if the lengths break section 3.2.
    """
    if len(lengths) != SYMBOLS or any(not 0 <= n <= MAX_LENGTH for n in lengths):
        raise ValueError(f"a table is {SYMBOLS} lengths of 0..{MAX_LENGTH}")
    if lengths[ESCAPE] == 0:
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
        codewords(lengths)
    flat = bytes([len(tables)]) + b"".join(bytes(t) for t in tables)
    return hashlib.sha256(flat).digest()[:8]
