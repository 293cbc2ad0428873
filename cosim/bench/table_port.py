# SPDX-License-Identifier: Apache-2.0
"""The write port of a block with a memory of tables."""

from __future__ import annotations

import random
from collections.abc import Iterable

from cosim.bench import setting
from cosim.bench.bench import Bench
from hls.point import Tables
from hls.table_words import table_words


async def write_tables(bench: Bench, tables: Tables) -> None:
    """Write a table set, a word a cycle."""
    await _write(bench, table_words(setting.configuration().block, tables))


async def write_noise(bench: Bench, tables: Tables) -> None:
    """Write words that are no tables, as many as these have."""
    bits = len(bench.dut.table_data)
    words = table_words(setting.configuration().block, tables)
    await _write(bench, ((address, random.getrandbits(bits)) for address, _ in words))


async def _write(bench: Bench, words: Iterable[tuple[int, int]]) -> None:
    dut = bench.dut
    for address, data in words:
        dut.table_write.value = 1
        dut.table_address.value = address
        dut.table_data.value = data
        await bench.cycles(1)
    dut.table_write.value = 0


def assert_used(used: set[int], tables: Tables) -> None:
    """A frame of Corners.relearned() must use the tables at the ends, and most of the others."""
    assert used >= {0, len(tables) - 1}, "the tables at the ends are not chosen"
    assert len(used) > len(tables) // 2, "too few tables are"
