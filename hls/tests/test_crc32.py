# SPDX-License-Identifier: Apache-2.0
"""The sums of crc32 are those of zlib's CRC-32."""

import zlib

import pytest

from hls.crc32 import dependencies


@pytest.mark.parametrize("width", [8, 16, 32])
def test_each_bit_changes_what_zlib_says(width: int) -> None:
    rows, size = dependencies(width), width // 8
    for bit in range(width):
        changed = zlib.crc32((1 << bit).to_bytes(size, "little")) ^ zlib.crc32(bytes(size))
        assert changed == sum(1 << i for i, row in enumerate(rows) if bit in row)
