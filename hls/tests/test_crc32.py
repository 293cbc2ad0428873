# SPDX-License-Identifier: Apache-2.0
"""The sums of crc32 are those of zlib's CRC-32."""

import random
import zlib

import pytest

from hls.crc32 import ONES, dependencies, undone_byte


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128])
def test_each_bit_changes_what_zlib_says(width: int) -> None:
    rows, size = dependencies(width), width // 8
    for bit in range(width):
        changed = zlib.crc32((1 << bit).to_bytes(size, "little")) ^ zlib.crc32(bytes(size))
        assert changed == sum(1 << i for i, row in enumerate(rows) if bit in row)


def test_a_byte_of_zeros_is_taken_off() -> None:
    rng, rows = random.Random(1), undone_byte()
    for size in range(20):
        data = rng.randbytes(size)
        remainder = zlib.crc32(data + b"\0") ^ ONES
        bits = [sum(remainder >> column for column in row) & 1 for row in rows]
        assert sum(bit << i for i, bit in enumerate(bits)) == zlib.crc32(data) ^ ONES
