# SPDX-License-Identifier: Apache-2.0
"""The ROMs of lane_dec against the codewords of the reference."""

import json

import pytest
from reference.tables import codewords

from hls.configuration import BUILT
from hls.lane_dec import LONG, SHORT, bias, limit, limit_word, order, padded, table_bits
from hls.point import MAX_LENGTH, SYMBOLS

SKEWED = (1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 8)
FLAT = (4,) * 16
TWO = (1, *(0,) * 14, 1)


def tables() -> list[tuple[int, ...]]:
    built = json.loads((BUILT / "gradient_k16.json").read_text())
    return [SKEWED, FLAT, TWO, *map(tuple, built["tables"])]


@pytest.mark.parametrize("lengths", tables())
def test_decodes_every_word(lengths: tuple[int, ...]) -> None:
    expected = {}
    for symbol, (length, code) in codewords(lengths).items():
        for rest in range(1 << (MAX_LENGTH - length)):
            expected[code << (MAX_LENGTH - length) | rest] = symbol, length
    assert len(expected) == 1 << MAX_LENGTH
    for word, (symbol, length) in expected.items():
        size = 1 + sum(word >> (MAX_LENGTH - n) >= limit(lengths, n) for n in range(1, MAX_LENGTH))
        assert size == length
        index = ((word >> (MAX_LENGTH - size)) + bias(lengths, size)) % SYMBOLS
        assert order(lengths)[index] == symbol


@pytest.mark.parametrize("span", [SHORT, LONG])
def test_limits_fit_their_fields(span: range) -> None:
    for lengths in tables():
        word = limit_word(lengths, span)
        for length in span:
            assert word & ((2 << length) - 1) == limit(lengths, length)
            word >>= length + 1
        assert word == 0


@pytest.mark.parametrize("count", [1, 2, 3, 16, 17])
def test_a_rom_has_words_for_every_number(count: int) -> None:
    some = (FLAT,) * count
    rom = padded(some, list(range(8 * count)))
    assert len(rom) == 8 << table_bits(some)
    assert rom[: 8 * count] == tuple(range(8 * count))
