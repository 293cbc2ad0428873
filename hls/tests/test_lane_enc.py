# SPDX-License-Identifier: Apache-2.0
"""The ROM of lane_enc against the codewords of the reference."""

import json

import pytest
from reference.tables import codewords, reverse

from hls.code_column import LENGTH
from hls.configuration import BUILT
from hls.lane_enc import code_rom
from hls.point import ESCAPE, SYMBOLS

SKEWED = (1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 8)
FLAT = (4,) * 16
TWO = (1, *(0,) * 14, 1)


def tables() -> list[tuple[int, ...]]:
    built = json.loads((BUILT / "gradient_k16.json").read_text())
    return [SKEWED, FLAT, TWO, *map(tuple, built["tables"])]


@pytest.mark.parametrize("lengths", tables())
def test_holds_every_codeword(lengths: tuple[int, ...]) -> None:
    rom, codes = code_rom((FLAT, lengths)), codewords(lengths)
    assert len(rom) == 2 * SYMBOLS
    for symbol, word in enumerate(rom[SYMBOLS:]):
        escape = symbol == ESCAPE or symbol not in codes
        length, code = codes[ESCAPE if escape else symbol]
        assert word == escape << (LENGTH + 8) | length << 8 | reverse(code, length)
