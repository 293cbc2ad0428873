# SPDX-License-Identifier: Apache-2.0
"""gradient_enc: the chunks are those of the package, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Any

import cocotb

from cosim.bench import corners, golden, setting
from cosim.bench.bench import Bench, test_where
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same, values_to_words, words_to_chunk
from cosim.bench.parts import dissect
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from cosim.bench.table_port import assert_used, write_tables
from hls.bitmap_words import SUMMARIES, SUMMARY_PAUSE
from hls.point import MOST_PAIRS, POINT, Tables
from hls.stream import word_bytes
from hls.zero_bitmap import CHUNK_PAUSE
from hls.zero_runs import CHUNK_PAUSE as RUNS_PAUSE
from hls.zero_split import turns

FULL = setting.full()
FMT, TABLES = setting.codec()
WIDTH = setting.width()
WORD_BYTES = word_bytes(WIDTH)
LOADABLE = setting.loadable()
CONTRACT = setting.configuration().contract
PAUSES = (SUMMARIES - 1) * SUMMARY_PAUSE  # for zeros in a chunk, and behind it
PAUSES += RUNS_PAUSE if setting.runs() else max(CHUNK_PAUSE, turns(FMT, WIDTH))

Named = tuple[str, Frame]


def value_words(frame: Frame) -> list[Word]:
    return values_to_words(frame, FMT, WIDTH)


def golden_chunks(frame: Frame, tables: Tables = TABLES) -> list[bytes]:
    return golden.encoded(frame, setting.configuration(), tables)


class Encoder(Bench):
    """The DUT between a source of values and a sink of chunks."""

    def __init__(
        self, dut: Any, idle: Stall = free, stall: Stall = free, *, shy: bool = False
    ) -> None:
        super().__init__(dut)
        self.values = self.source("s_axis", idle)
        self.packets = self.sink("m_axis", stall, shy=shy)

    async def reset(self) -> None:
        await super().reset()
        if LOADABLE:
            await write_tables(self, TABLES)

    async def check(self, named: Iterable[Named], tables: Tables = TABLES) -> None:
        """Encode frames back to back; each must become its chunks, and nothing else come out."""
        frames, start, size = list(named), self.cycle, 0
        for _, frame in frames:
            self.values.send(value_words(frame))
        for name, frame in frames:
            expected = golden_chunks(frame, tables)
            for i, chunk in enumerate(expected):
                words = await self.within(8 * POINT.chunk, self.packets.packet())
                what = f"chunk {i} of {name}"
                assert_same(words_to_chunk(words, WORD_BYTES), chunk, what)
                last = int(i == len(expected) - 1)
                assert all(word.tuser == last for word in words), f"{what}: tuser is not {last}"
                size += len(chunk)
        await self.cycles(50)
        assert self.packets.empty, "more came than the chunks of the frames"
        setting.report_compared(
            frames=len(frames),
            values=sum(len(frame) for _, frame in frames),
            size=size,
            cycles=self.cycle - start,
        )


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def equals_the_package_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    encoder = Encoder(dut, idle, stall)
    await encoder.reset()
    frames = corners.Corners(FMT, TABLES)
    await encoder.check(frames.edges())
    await encoder.check(frames.blocks() if FULL else frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def offers_without_being_asked(dut: Any) -> None:
    encoder = Encoder(dut, shy=True)
    await encoder.reset()
    await encoder.check(corners.Corners(FMT, TABLES).mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def equals_the_package_on_blocks(dut: Any) -> None:
    encoder = Encoder(dut)
    await encoder.reset()
    await encoder.check(corners.Corners(FMT, TABLES).blocks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin] if FULL else [free])
async def equals_the_package_on_tables(dut: Any, stall: Stall) -> None:
    encoder = Encoder(dut, stall, stall)
    await encoder.reset()
    await encoder.check(corners.Corners(FMT, TABLES).whole_tables())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin] if FULL else [free])
async def equals_the_package_on_chunks(dut: Any, stall: Stall) -> None:
    encoder = Encoder(dut, stall, stall)
    await encoder.reset()
    await encoder.check(corners.Corners(FMT, TABLES).chunks())


@test_where(LOADABLE, timeout_time=20, timeout_unit="ms")
async def takes_other_tables(dut: Any) -> None:
    """Between two frames; a reset leaves them as they are."""
    encoder = Encoder(dut)
    await encoder.reset()
    for tables, named in corners.Corners(FMT, TABLES).relearned():
        chunks = [chunk for _, frame in named for chunk in golden_chunks(frame, tables)]
        parts = [dissect(chunk, FMT, tables) for chunk in chunks]
        assert_used({block.table for part in parts for block in part.blocks}, tables)
        await write_tables(encoder, tables)
        await encoder.check(named, tables)
        await Bench.reset(encoder)
        await encoder.check(named[-1:], tables)


@test_where(setting.runs(), timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def equals_the_package_on_runs(dut: Any, stall: Stall) -> None:
    """Tokens that end anywhere, the most pairs that runs may have, more, and chunks without any."""
    encoder = Encoder(dut, stall, stall)
    await encoder.reset()
    frames = corners.Corners(FMT, TABLES)
    await encoder.check(frames.rounds())
    most = frames.runs(*[1, 3] * MOST_PAIRS)
    more = frames.runs(*[1, 1] * (POINT.chunk // 2))
    few = frames.runs(*[200, 300] * 7)
    mixed = [most, few, more, frames.gradient(POINT.chunk), [0] * POINT.chunk, most, most]
    await encoder.check([(f"part {i} of runs", part) for i, part in enumerate(mixed)])
    await encoder.check([("runs in one frame", list(chain.from_iterable(mixed)))])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def equals_the_package_on_gradients(dut: Any) -> None:
    encoder = Encoder(dut)
    await encoder.reset()
    await encoder.check(corners.samples(FMT, chunks=8 if FULL else 1))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 700, 4600, 5500, 7000])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    encoder = Encoder(dut)
    await encoder.reset()
    frames = corners.Corners(FMT, TABLES)
    encoder.values.send(value_words(frames.gradient(2 * POINT.chunk)))
    await encoder.cycles(stop)
    await encoder.reset()
    await encoder.check(frames.mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """The rate is that of the coding pass: the input runs ahead of it until the queues are full.

    All exponents are the same, so that the size of a chunk is, and no group puts many bytes.
    """
    encoder = Encoder(dut)
    await encoder.reset()
    value = corners.Corners(FMT, TABLES).value
    await encoder.check([("dense", [value(100) for _ in range(8 * POINT.chunk)])])
    assert encoder.packets.moved[0] - encoder.values.moved[0] == CONTRACT.latency
    starts = encoder.values.moved[3 * POINT.chunk // WIDTH :: POINT.chunk // WIDTH]
    assert {POINT.chunk / (b - a) for a, b in pairwise(starts)} == {CONTRACT.values_per_cycle}
    setting.report_sustained(POINT.chunk * (len(starts) - 1) / (starts[-1] - starts[0]))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_up_with_zeros(dut: Any) -> None:
    """Chunks of fewer non-zeros, and last blocks of any size, must not cost the rate."""
    encoder = Encoder(dut)
    await encoder.reset()
    frames = corners.Corners(FMT, TABLES)
    if setting.runs():  # of which each costs the time of two values
        frame = frames.runs(*[288, 32] * (4 * POINT.chunk // 320))
    else:
        frame = frames.gradient(4 * POINT.chunk, zeros=0.1)
    await encoder.check([("sparse", frame)])
    groups = POINT.chunk // WIDTH
    starts = encoder.values.moved[groups::groups]
    waits = [b - a - groups for a, b in pairwise(starts)]
    assert max(waits) <= PAUSES, f"the input waits {waits} cycles a chunk"


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def keeps_up_with_gradients(dut: Any) -> None:
    """The escapes of real gradients must not cost 5 % of W values a cycle."""
    encoder = Encoder(dut)
    for name, frame in corners.samples(FMT, chunks=6):
        await encoder.reset()
        await encoder.check([(name, frame)])
        groups = POINT.chunk // WIDTH
        starts = encoder.values.moved[3 * groups :: groups]
        rate = POINT.chunk * (len(starts) - 1) / (starts[-1] - starts[0])
        assert rate >= 0.95 * WIDTH, f"{name}: {rate:.3f} values a cycle"
