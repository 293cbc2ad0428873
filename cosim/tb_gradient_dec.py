# SPDX-License-Identifier: Apache-2.0
"""gradient_dec: the values are those that the package compressed, and bad chunks are refused."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge, Trigger

from cosim.bench import corners, golden, malformed, setting
from cosim.bench.bench import Bench
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same, chunks_to_words, words_to_values
from cosim.bench.parts import WORD, dissect
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from hls.chunk_error import ChunkError
from hls.gradient_dec import CONTRACT
from hls.point import POINT

FULL = setting.full()
FMT, TABLES = setting.codec()

Named = tuple[str, Frame]


class Decoder(Bench):
    """The DUT between a source of chunks and a sink of values."""

    def __init__(
        self, dut: Any, idle: Stall = free, stall: Stall = free, *, shy: bool = False
    ) -> None:
        super().__init__(dut)
        self.packets = self.source("s_axis", idle)
        self.values = self.sink("m_axis", stall, shy=shy)

    async def check(self, named: Iterable[Named]) -> None:
        """Decode frames back to back; each must come out, nothing else, and no error."""
        frames, start, size = list(named), self.cycle, 0
        for _, frame in frames:
            chunks = golden.chunks(frame, FMT)
            size += sum(map(len, chunks))
            self.packets.send(chunks_to_words(chunks))
        for name, frame in frames:
            words = await self.within(8 * (len(frame) + POINT.chunk), self.values.packet())
            assert_same(words_to_values(words), frame, name)
        await self.cycles(50)
        assert self.values.empty, "more came than the values of the frames"
        assert not self.dut.error.value, f"error {self.dut.error_code.value}"
        setting.report_compared(
            frames=len(frames),
            values=sum(len(frame) for _, frame in frames),
            size=size,
            cycles=self.cycle - start,
        )

    async def refuse(self, chunks: Sequence[bytes]) -> ChunkError:
        """Decode a frame that is at fault; returns what the DUT calls the fault.

        The DUT must go on taking words but offer none, until it is reset.
        """
        self.packets.send(chunks_to_words(chunks))
        if not self.dut.error.value:
            await self.within(8 * POINT.chunk, until(RisingEdge(self.dut.error)))
        await self.cycles(2)
        offered = len(self.values.moved)
        await self.within(8 * POINT.chunk, self.packets.drained())
        await self.cycles(100)
        assert len(self.values.moved) <= offered + 1, "values after the error"
        assert self.dut.error.value, "the error went away"
        return ChunkError(int(self.dut.error_code.value))


async def until(trigger: Trigger) -> None:
    await trigger


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def equals_the_package_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    decoder = Decoder(dut, idle, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    await decoder.check(frames.edges())
    await decoder.check(frames.blocks() if FULL else frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def offers_without_being_asked(dut: Any) -> None:
    decoder = Decoder(dut, shy=True)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def equals_the_package_on_blocks(dut: Any) -> None:
    decoder = Decoder(dut)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).blocks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin] if FULL else [free])
async def equals_the_package_on_tables(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).whole_tables())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin] if FULL else [free])
async def equals_the_package_on_chunks(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).chunks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def equals_the_package_on_gradients(dut: Any) -> None:
    decoder = Decoder(dut)
    await decoder.reset()
    await decoder.check(corners.samples(FMT, chunks=8 if FULL else 1))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 40, 700, 3600, 6000])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    decoder = Decoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    decoder.packets.send(
        chunks_to_words(golden.chunks(frames.gradient(2 * POINT.chunk, zeros=0.2), FMT))
    )
    await decoder.cycles(stop)
    await decoder.reset()
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def names_each_fault(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    frames = corners.Corners(FMT, TABLES)
    missing = set(ChunkError) - {ChunkError.NONE}
    for faulty in malformed.faults(frames):
        assert golden.refuses(faulty.chunks, faulty.values, FMT), (
            f"{faulty.name}: the package reads it"
        )
        await decoder.reset()
        error = await decoder.refuse(faulty.chunks)
        assert faulty.may_be_called(error), f"{faulty.name}: called {error!r}"
        missing.discard(error)
    assert not missing, f"nothing provoked {missing}"
    await decoder.reset()
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def refuses_flipped_bits(dut: Any) -> None:
    decoder = Decoder(dut)
    frames = corners.Corners(FMT, TABLES)
    for _ in range(400 if FULL else 40):
        some = random.randrange(150)  # and one: only the directory counts the values of all zeros
        frame = [*frames.gradient(some, zeros=random.choice([0, 0.3])), *frames.gradient(1)]
        (chunk,) = golden.chunks(frame, FMT)
        bits = random.sample(range(8 * len(chunk)), random.choice([1, 2]))
        spoilt = [malformed.flipped(chunk, bits)]
        assert golden.refuses(spoilt, len(frame), FMT), f"the package reads it with {bits} flipped"
        await decoder.reset()
        assert await decoder.refuse(spoilt) is not ChunkError.NONE
    await decoder.reset()
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_latency(dut: Any) -> None:
    decoder = Decoder(dut)
    frames = corners.Corners(FMT, TABLES)
    for count in (1, 2, 3, 4, 9, 50, 300, 301, 513, POINT.chunk):
        frame = frames.gradient(count)
        await decoder.reset()
        await decoder.check([(f"{count} values", frame)])
        latency = decoder.values.moved[0] - decoder.packets.moved[0]
        assert latency == latency_of(golden.chunks(frame, FMT)[0]), f"{count} values: {latency}"


def latency_of(chunk: bytes) -> int:
    """What hls/gradient_dec.py promises for a chunk without zeros."""
    parts = dissect(chunk, FMT, TABLES)
    if len(parts.raw) < FMT.raw // 8:
        return 38
    word, byte = divmod(parts.raw_at, WORD)
    return max(28, word + 8 + len(parts.blocks) % 2 + 2 * (byte > 0))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_rate(dut: Any) -> None:
    decoder = Decoder(dut)
    await decoder.reset()
    chunks, skipped = 17, 14  # before, the queues hide what a chunk's turn costs
    dense = corners.Corners(FMT, TABLES).gradient(chunks * POINT.chunk)
    await decoder.check([("dense", dense)])
    moved = decoder.values.moved[skipped * POINT.chunk :: POINT.chunk]
    rate = (len(moved) - 1) * POINT.chunk / (moved[-1] - moved[0])
    assert rate == CONTRACT.values_per_cycle
    setting.report_sustained(rate)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_up_with_zeros(dut: Any) -> None:
    """Chunks of fewer non-zeros, and last blocks of any size, must not cost the rate."""
    decoder = Decoder(dut)
    await decoder.reset()
    await decoder.check(
        [("sparse", corners.Corners(FMT, TABLES).gradient(4 * POINT.chunk, zeros=0.1))]
    )
    starts = decoder.values.moved[POINT.chunk :: POINT.chunk]
    assert all(POINT.chunk / (b - a) >= 0.99 for a, b in pairwise(starts))
