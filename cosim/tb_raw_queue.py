# SPDX-License-Identifier: Apache-2.0
"""raw_queue: the raw bytes of every chunk come in whole words, from a new word on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.block import SLACK, chunks, codec, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from hls.point import POINT
from hls.raw_queue import CONTRACT, SPARE, depth
from hls.stream import word_bytes

FMT, _ = codec()
WIDTH = setting.width()
BYTES = word_bytes(WIDTH)
DEPTH = depth(FMT, WIDTH)


class Queue(Bench):
    """The DUT between a source of groups and a sink of words."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.groups = self.source("s_axis", idle)
        self.words = self.sink("m_axis", stall, partial=True)

    async def check(self, named: Iterable[tuple[str, Frame]]) -> None:
        """Send chunks back to back; the words of each must begin with its raw bytes."""
        sent, start = [(name, c) for name, c in chunks(named) if c.nonzeros], self.cycle
        for _, chunk in sent:
            self.groups.send(chunk.raw_groups)
        limit = SLACK * sum(len(chunk.raws) for _, chunk in sent) + 3 * DEPTH
        for name, chunk in sent:
            words = await self.within(limit, self.words.words(-(-len(chunk.raw) // BYTES)))
            came = b"".join(word.tdata.to_bytes(BYTES, "little") for word in words)
            assert_same(came[: len(chunk.raw)], chunk.raw, name)
        await self.cycles(20)
        assert self.words.empty, "more came than the words of the chunks"
        size = sum(len(chunk.raw) for _, chunk in sent)
        setting.report_compared(frames=len(sent), values=size, size=size, cycles=self.cycle - start)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def keeps_chunks_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = Queue(dut, idle, stall)
    await tb.reset()
    await tb.check(corners().edges())
    await tb.check(corners().mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def keeps_every_short_chunk(dut: Any) -> None:
    """So that every end of a chunk in a group meets every place in a word."""
    tb = Queue(dut)
    await tb.reset()
    await tb.check((f"{n} values", corners().gradient(n)) for n in range(1, 8 * WIDTH + 1))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[coin, waits(4 * POINT.chunk)])
async def keeps_more_than_it_holds(dut: Any, stall: Stall) -> None:
    """Its memory is filled to the last word that it takes, and gone round."""
    tb = Queue(dut, stall=stall)
    await tb.reset()
    await tb.check([("dense", corners().gradient(2 * DEPTH * BYTES // (FMT.raw // 8)))])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def holds_its_depth(dut: Any) -> None:
    """But for the words that may be begun before it is seen to be full."""
    tb = Queue(dut, stall=waits(10**6))
    await tb.reset()
    frame = corners().gradient(2 * DEPTH * BYTES // (FMT.raw // 8))
    for _, chunk in chunks([("dense", frame)]):
        tb.groups.send(chunk.raw_groups)
    await tb.cycles(2 * DEPTH * BYTES // (WIDTH * FMT.raw // 8))
    held = len(tb.groups.moved) * WIDTH * FMT.raw // 8 // BYTES
    assert DEPTH - SPARE <= held <= DEPTH


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[3, 30, 300])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = Queue(dut, stall=coin)
    await tb.reset()
    for _, chunk in chunks([("lost", corners().gradient(600, zeros=0.3))]):
        tb.groups.send(chunk.raw_groups)
    await tb.cycles(stop)
    await tb.reset()
    await tb.check(corners().mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = Queue(dut)
    await tb.reset()
    await tb.check([("dense", corners().gradient(POINT.chunk))])
    taken, offered = tb.groups.moved, tb.words.moved
    groups = POINT.chunk // WIDTH
    assert taken == list(range(taken[0], taken[0] + groups, CONTRACT.interval))
    group_bytes = WIDTH * FMT.raw // 8
    completed = [taken[-(-BYTES * (i + 1) // group_bytes) - 1] for i in range(len(offered))]
    assert lags(offered, completed) == {CONTRACT.latency}
