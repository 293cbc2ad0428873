# SPDX-License-Identifier: Apache-2.0
"""zero_merge: zeros are where the bitmap has them, and frames end where they end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cocotb

from cosim.bench import corners, golden, setting
from cosim.bench.bench import Bench
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same, words_to_values
from cosim.bench.parts import dissect
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.configuration import load
from hls.point import POINT
from hls.zero_merge import CONTRACT

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "zero_merge is built for a number format"
FMT = CONFIGURATION.fmt
TABLES = next(c.tables.tables for c in load() if c.tables)  # of any set: the codes are not seen

CHECKED, LAST = 2, 1  # tuser


class Merge(Bench):
    """The DUT between sources of its three inputs and a sink of values."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.zeros, self.bitmap, self.nonzeros = (
            self.source(name, idle) for name in ("s_zeros", "s_bitmap", "s_axis")
        )
        self.values = self.sink("m_axis", stall)

    def send(self, frame: Frame) -> list[int]:
        """Send a frame; returns the tuser of each of its values."""
        users = []
        chunks = golden.chunks(frame, FMT)
        for i, chunk in enumerate(chunks):
            parts = dissect(chunk, FMT, TABLES)
            last = i == len(chunks) - 1
            self.zeros.send(Word(word) for word in parts.zeros_words(frame_last=last))
            self.bitmap.send(Word(word) for word in parts.bitmap)
            checked = CHECKED if parts.nonzeros else 0
            users += [checked] * (parts.count - 1) + [checked | LAST]
        self.nonzeros.send(Word(value) for value in frame if value)
        return users

    async def check(self, named: Iterable[tuple[str, Frame]]) -> None:
        """Merge frames back to back."""
        start, frames, values = self.cycle, list(named), 0
        expected = [self.send(frame) for _, frame in frames]
        for (name, frame), users in zip(frames, expected, strict=True):
            words = await self.within(20 * (len(frame) + 20), self.values.packet())
            assert_same(words_to_values(words), frame, name)
            assert_same([word.tuser for word in words], users, f"{name}: tuser")
            values += len(frame)
        await self.cycles(10)
        assert self.values.empty
        setting.report_compared(
            frames=len(frames),
            values=values,
            size=values * FMT.width // 8,
            cycles=self.cycle - start,
        )


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def merges_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    merge = Merge(dut, idle, stall)
    await merge.reset()
    frames = corners.Corners(FMT, TABLES)
    await merge.check(frames.edges())
    await merge.check([("summaries", frames.gradient(2100, zeros=0.04))])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def merges_chunks(dut: Any) -> None:
    merge = Merge(dut)
    await merge.reset()
    frames = corners.Corners(FMT, TABLES)
    await merge.check(
        [
            ("sparse", frames.gradient(2 * POINT.chunk, zeros=0.5)),
            ("few zeros", frames.with_nonzeros(POINT.chunk, POINT.chunk - 3)),
            ("few values", frames.with_nonzeros(POINT.chunk + 1, 3)),
            ("zeros", [0] * (POINT.chunk + 40)),
            ("a word less one", frames.gradient(1023, zeros=0.1)),
            ("a summary", frames.gradient(1024, zeros=0.1)),
            ("a summary and one", frames.gradient(1025, zeros=0.1)),
        ]
    )


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[2, 33, 200])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    merge = Merge(dut)
    await merge.reset()
    frames = corners.Corners(FMT, TABLES)
    merge.send(frames.gradient(1500, zeros=0.5))
    await merge.cycles(stop)
    await merge.reset()
    await merge.check([("a mixture", frame) for _, frame in frames.mixture()])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Also the cycles that a chunk takes beyond its values."""
    merge = Merge(dut)
    frames = corners.Corners(FMT, TABLES)
    for frame, more in (
        (frames.gradient(500), 1),
        ([0] * 500, 1),
        (frames.gradient(1024, zeros=0.5), 3),
        (frames.gradient(1025, zeros=0.5), 5),
        (frames.gradient(3000, zeros=0.5), 7),
    ):
        await merge.reset()
        await merge.check([("first", frame), ("second", frame)])
        moved = merge.values.moved
        mapped = 2 if 0 in frame and any(frame) else 0  # summary and bitmap
        assert moved[0] - merge.zeros.moved[0] - mapped == CONTRACT.latency
        word = moved[:32]
        assert word == list(range(word[0], word[0] + 32, CONTRACT.interval))
        assert moved[len(frame)] - moved[0] == len(frame) + more
