# SPDX-License-Identifier: Apache-2.0
"""The sums of crc32 are those of zlib's CRC-32."""

import random
import zlib

import pytest

from hls.crc32 import ONES, WIDTH, dependencies, plan, undone_byte


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128])
def test_each_bit_changes_what_zlib_says(width: int) -> None:
    rows, size = dependencies(width), width // 8
    for bit in range(width):
        changed = zlib.crc32((1 << bit).to_bytes(size, "little")) ^ zlib.crc32(bytes(size))
        assert changed == sum(1 << i for i, row in enumerate(rows) if WIDTH + bit in row)


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128])
def test_each_bit_of_the_remainder_counts(width: int) -> None:
    rows = dependencies(width)
    for data in (b"a", b"b", b"longer"):
        remainder = zlib.crc32(data) ^ ONES
        bits = [
            sum(remainder >> column & 1 for column in row if column < WIDTH) & 1 for row in rows
        ]
        following = zlib.crc32(data + bytes(width // 8)) ^ ONES
        assert sum(bit << i for i, bit in enumerate(bits)) == following


@pytest.mark.parametrize("width", [16, 32, 64, 128])
def test_gates_add_what_rows_list(width: int) -> None:
    rows, count = dependencies(width), WIDTH + width
    pairs, results = plan(tuple(map(tuple, rows)), count)
    sums, depth = [{term} for term in range(count)], [0] * count
    for left, right in pairs:
        sums.append(sums[left] ^ sums[right])
        depth.append(1 + max(depth[left], depth[right]))
    assert [sums[term] for term in results] == [set(row) for row in rows]
    assert max(depth[term] for term in results) == (max(map(len, rows)) - 1).bit_length()


def test_a_byte_of_zeros_is_taken_off() -> None:
    rng, rows = random.Random(1), undone_byte()
    for size in range(20):
        data = rng.randbytes(size)
        remainder = zlib.crc32(data + b"\0") ^ ONES
        bits = [sum(remainder >> column for column in row) & 1 for row in rows]
        assert sum(bit << i for i, bit in enumerate(bits)) == zlib.crc32(data) ^ ONES
