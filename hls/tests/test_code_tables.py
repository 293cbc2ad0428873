# SPDX-License-Identifier: Apache-2.0
"""The words of code_tables against the codewords of the reference."""

import json

import pytest
from reference.tables import codewords

from hls.code_tables import (
    ESCAPE_BITS,
    LIMIT_BITS,
    LIMITED,
    bias,
    escape_word,
    limit,
    limit_word,
    order,
    planes,
)
from hls.configuration import BUILT
from hls.point import ESCAPE, MAX_LENGTH, SYMBOLS

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
    escape = escape_word(lengths)
    assert escape < 1 << ESCAPE_BITS
    mask, code = divmod(escape, 1 << MAX_LENGTH)
    for word, (symbol, length) in expected.items():
        size = 1 + sum(word >> (MAX_LENGTH - n) >= limit(lengths, n) for n in LIMITED)
        assert size == length
        index = ((word >> (MAX_LENGTH - size)) + bias(lengths, size)) % SYMBOLS
        assert order(lengths)[index] == symbol
        assert (word & mask == code) == (symbol == ESCAPE)


@pytest.mark.parametrize("lengths", tables())
def test_limits_fit_their_fields(lengths: tuple[int, ...]) -> None:
    word = limit_word(lengths)
    assert word < 1 << LIMIT_BITS
    for length in LIMITED:
        assert word & ((2 << length) - 1) == limit(lengths, length)
        word >>= length + 1


def test_planes_hold_the_bits_of_each_number() -> None:
    numbers = list(range(SYMBOLS))
    words = planes(numbers)
    assert [sum((word >> i & 1) << b for b, word in enumerate(words)) for i in numbers] == numbers
