# SPDX-License-Identifier: Apache-2.0
"""raw_join: exponents and raw bytes become the values that are not zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cocotb

from cosim.bench import corners, golden, setting
from cosim.bench.bench import Bench
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same
from cosim.bench.parts import dissect
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.configuration import load
from hls.point import POINT
from hls.raw_join import CONTRACT

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "raw_join is built for a number format"
FMT = CONFIGURATION.fmt
TABLES = next(c.tables.tables for c in load() if c.tables)  # of any set: the codes are not seen


class Join(Bench):
    """The DUT between sources of its three inputs and a sink of values."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.exponents, self.raw, self.tails = (
            self.source(name, idle) for name in ("s_exponents", "s_raw", "s_tail")
        )
        self.values = self.sink("m_axis", stall)

    def send(self, frame: Frame) -> list[int]:
        """Send a frame; returns the values that must come."""
        for chunk in golden.chunks(frame, FMT):
            parts = dissect(chunk, FMT, TABLES)
            if parts.nonzeros:
                self.raw.send(parts.raw_words())
                self.tails.send([Word(parts.tail)])
                self.exponents.send(
                    Word(exponent, tuser=behind)
                    for exponent, behind in zip(parts.exponents, parts.behind, strict=True)
                )
        return [value for value in frame if value]

    async def check(self, named: Iterable[tuple[str, Frame]]) -> None:
        """Join frames back to back."""
        start, frames, values = self.cycle, list(named), 0
        expected = [(name, self.send(frame)) for name, frame in frames]
        for name, nonzeros in expected:
            words = await self.within(20 * (len(nonzeros) + 20), self.values.words(len(nonzeros)))
            assert_same([word.tdata for word in words], nonzeros, name)
            values += len(nonzeros)
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
async def joins_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    join = Join(dut, idle, stall)
    await join.reset()
    frames = corners.Corners(FMT, TABLES)
    await join.check(frames.edges())
    await join.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def joins_chunks(dut: Any) -> None:
    """Raw parts that begin at every byte of a word."""
    join = Join(dut)
    await join.reset()
    frames = corners.Corners(FMT, TABLES)
    sizes = [(f"{n} values", frames.gradient(n)) for n in range(150, 190)]
    starts = {
        dissect(chunk, FMT, TABLES).raw_at % 4
        for _, frame in sizes
        for chunk in golden.chunks(frame, FMT)
    }
    assert starts == {0, 1, 2, 3}
    await join.check([*sizes, ("two chunks", frames.gradient(POINT.chunk + 20, zeros=0.1))])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def waits_for_the_tail(dut: Any) -> None:
    """The tail that is there may still be the chunk's before: it is taken with the last value."""
    join = Join(dut)
    await join.reset()
    frames = corners.Corners(FMT, TABLES)
    first, second = frames.gradient(1), frames.gradient(1)
    expected = join.send(first) + join.send(second)
    words = await join.within(100, join.values.words(2))
    assert [word.tdata for word in words] == expected
    latencies = {w.cycle - taken for w, taken in zip(words, join.tails.moved, strict=True)}
    assert latencies == {CONTRACT.latency}


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[3, 50, 51, 52])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    join = Join(dut)
    await join.reset()
    frames = corners.Corners(FMT, TABLES)
    join.send(frames.gradient(300))
    await join.cycles(stop)
    await join.reset()
    await join.check(frames.mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    join = Join(dut)
    await join.reset()
    await join.check([("dense", corners.Corners(FMT, TABLES).gradient(1000))])
    moved = join.values.moved
    assert [a - b for a, b in zip(moved, join.exponents.moved, strict=True)] == (
        [CONTRACT.latency] * len(moved)
    )
    assert moved == list(range(moved[0], moved[0] + len(moved), CONTRACT.interval))
