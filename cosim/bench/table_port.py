# SPDX-License-Identifier: Apache-2.0
"""The write port of a block with a memory of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cosim.bench.bench import Bench


async def write_tables(bench: Bench, tables: Iterable[Sequence[int]]) -> None:
    """Write the words of each table, one a cycle; the addresses of a table begin at 8 times it."""
    dut = bench.dut
    for number, words in enumerate(tables):
        for i, word in enumerate(words):
            dut.table_write.value = 1
            dut.table_address.value = TABLE_WORDS * number + i
            dut.table_data.value = word
            await bench.cycles(1)
    dut.table_write.value = 0


TABLE_WORDS = 8  # addresses of a table
