# SPDX-License-Identifier: Apache-2.0
"""lane_enc: lanes, block headers and codes of every chunk are the reference's, put backwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.block import chunks, codec, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same
from cosim.bench.stages import operation_words
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.lane_enc import CONTRACT
from hls.point import POINT, RAW

TABLES = codec()[1]


class LaneEncoder(Bench):
    """The DUT between a source of operations and a sink of bytes."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.operations = self.source("s_axis", idle)
        self.bytes = self.sink("m_axis", stall)

    async def check(self, frames: Iterable[tuple[str, Frame]]) -> None:
        """Code chunks back to back."""
        start, coded = self.cycle, [(name, chunk) for name, chunk in chunks(frames) if chunk.blocks]
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
        assert word.tkeep in {1, 3}, f"tkeep is {word.tkeep}"
        put += word.tdata.to_bytes(2, "big")[2 - word.tkeep.bit_length() :]
    return bytes(reversed(put))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def codes_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    encoder = LaneEncoder(dut, idle, stall)
    await encoder.reset()
    await encoder.check(corners().edges())
    await encoder.check(corners().mixture())


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
    await encoder.check([("noise", corners().noise(1000)), ("gradient", corners().gradient(300))])
    taken, put = encoder.operations.moved, encoder.bytes.moved
    assert taken == list(range(taken[0], taken[0] + len(taken), CONTRACT.interval))
    shown = taken[POINT.lanes : POINT.lanes + 1000 + 2 + POINT.lanes]
    assert lags(put[: len(shown)], shown) == {CONTRACT.latency}
