# SPDX-License-Identifier: Apache-2.0
"""lane_enc: lanes, block headers and codes of every chunk are the reference's, put backwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench, test_where
from cosim.bench.block import chunks, codec, corners, lags
from cosim.bench.corners import Frame, samples
from cosim.bench.frames import assert_same
from cosim.bench.stages import operation_words
from cosim.bench.stalls import BOTH_SIDES, Stall, free
from cosim.bench.streams import Word
from cosim.bench.table_port import assert_used, write_tables
from hls.code_schedule import busy_cycles
from hls.lane_enc import beat_bytes
from hls.point import FP32, POINT, RAW, Tables

TABLES = codec()[1]
WIDTH = setting.width()
CONTRACT = setting.configuration().contract
LOADABLE = setting.loadable()


class LaneEncoder(Bench):
    """The DUT between a source of operations and a sink of bytes."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.operations = self.source("s_axis", idle)
        self.bytes = self.sink("m_axis", stall)

    async def reset(self) -> None:
        await super().reset()
        if LOADABLE:
            await write_tables(self, TABLES)

    async def check(
        self, frames: Iterable[tuple[str, Frame]], tables: Tables | None = None
    ) -> None:
        """Code chunks back to back."""
        cut = chunks(frames, tables=tables)
        start, coded = self.cycle, [(name, chunk) for name, chunk in cut if chunk.blocks]
        for _, chunk in coded:
            self.operations.send(operation_words(chunk))
        for name, chunk in coded:
            limit = 20 * (len(chunk.exponents) + 100)
            words = await self.within(limit, self.bytes.packet())
            assert_same(joined(words), chunk.coded, name)
        await self.cycles(20)
        assert self.bytes.empty
        setting.report_compared(
            frames=len(coded),
            values=sum(len(chunk.exponents) for _, chunk in coded),
            size=sum(len(chunk.coded) for _, chunk in coded),
            cycles=self.cycle - start,
        )


def joined(words: Sequence[Word]) -> bytes:
    """The bytes of a packet, in the order of the chunk."""
    put = bytearray()
    for word in words:
        count = word.tkeep.bit_length()
        assert count, "a word is empty"
        assert word.tkeep == (1 << count) - 1, f"tkeep is {word.tkeep}"
        put += word.tdata.to_bytes(beat_bytes(WIDTH), "little")[:count]
    return bytes(reversed(put))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def codes_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    encoder = LaneEncoder(dut, idle, stall)
    await encoder.reset()
    await encoder.check(corners().edges())
    await encoder.check(corners().mixture())
    await encoder.check(corners().rounds())


@test_where(setting.runs(), timeout_time=20, timeout_unit="ms")
async def codes_every_class(dut: Any) -> None:
    """As distance and as run, among others that make either pair of tables the cheaper."""
    encoder = LaneEncoder(dut)
    await encoder.reset()
    numbers = 1, *(1 + (1 << c) for c in range(12))  # the least of each class
    frames: list[tuple[str, Frame]] = []
    for usual in (20, 1), (2, 30):
        pairs = [p for n in numbers for p in ((n, usual[1]), (usual[0], n))]
        frames += [(f"{p} among {usual}", corners().runs(*usual * 12, *p)) for p in pairs]
    coded = set()
    for _, chunk in chunks(frames):
        tokens = chunk.known_runs
        assert tokens
        coded |= {(tokens.known, j % 2, c) for j, c in enumerate(tokens.classes)}
    assert coded == set(product((0, 1), (0, 1), range(13)))
    await encoder.check(frames)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def codes_blocks(dut: Any) -> None:
    encoder = LaneEncoder(dut)
    await encoder.reset()
    await encoder.check(corners().blocks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def codes_every_codeword_of_every_table(dut: Any) -> None:
    encoder = LaneEncoder(dut)
    await encoder.reset()
    frames = corners()
    blocks = [(f"table {table}", frames.block_of(table)) for table in range(len(TABLES))]
    blocks.append(("raw", frames.noise(POINT.block)))
    used = {table for _, chunk in chunks(blocks) for _, table in chunk.headers}
    assert used == {*range(len(TABLES)), RAW}
    await encoder.check(blocks)


@test_where(LOADABLE, timeout_time=20, timeout_unit="ms")
async def takes_other_tables(dut: Any) -> None:
    """A table changes with its last word; tables are written while the encoder is empty."""
    encoder = LaneEncoder(dut)
    await encoder.reset()
    for tables, named in corners().relearned():
        coded = chunks(named, tables=tables)
        assert_used({table for _, chunk in coded for _, table in chunk.headers}, tables)
        await write_tables(encoder, tables)
        await encoder.check(named, tables)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[3, 12, 300, 617])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    encoder = LaneEncoder(dut)
    await encoder.reset()
    for _, chunk in chunks([("lost", corners().gradient(600))]):
        encoder.operations.send(operation_words(chunk))
    await encoder.cycles(stop)
    await encoder.reset()
    await encoder.check(corners().mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Of a raw block every exponent is put as it is, so that all operations but the starts show."""
    encoder = LaneEncoder(dut)
    await encoder.reset()
    count, rows = 1000, POINT.lanes // WIDTH
    await encoder.check([("noise", corners().noise(count)), ("equal", [corners().value(99)] * 300)])
    taken, put = encoder.operations.moved, encoder.bytes.moved
    before = rows + -(-count // WIDTH) + 2  # operations, then come the rows of last states
    assert CONTRACT.latency
    words = rows if WIDTH == 1 else 2 * rows  # that these put, one a cycle
    taken = taken[:-rows]
    late = [min(max(0, j - before - CONTRACT.latency + 1), words - rows) for j in range(len(taken))]
    assert taken == [taken[0] + j + late[j] for j in range(len(taken))]
    assert lags(put[: before - rows], taken[rows:before]) == {CONTRACT.latency}
    assert put[: before - rows + words] == list(range(put[0], put[0] + before - rows + words))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def sustains_its_width(dut: Any) -> None:
    """Gradients have escapes, but few groups that take a second cycle."""
    encoder = LaneEncoder(dut)
    await encoder.reset()
    for name, frame in samples(FP32, 1):
        await encoder.check([(name, frame)])
        taken = encoder.operations.moved
        values = sum(value != 0 for value in frame)
        lost = taken[-1] - taken[0] + 1 - busy_cycles(values, WIDTH)
        assert lost <= 0.02 * values / WIDTH
        setting.report_sustained(values / (taken[-1] - taken[0] + 1))
        taken.clear()
