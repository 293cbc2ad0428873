# SPDX-License-Identifier: Apache-2.0
"""chunk_parse: every part of a packet comes out of its stream, and faults in it are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import corners, golden, malformed, setting
from cosim.bench.bench import Bench, test_where
from cosim.bench.block import kept
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same, chunks_to_words
from cosim.bench.parts import WORD, Parts, dissect, run_words
from cosim.bench.stalls import BOTH_SIDES, Stall, burst3, coin, free
from cosim.bench.streams import Word
from hls.chunk_error import ChunkError
from hls.chunk_parse import CONTRACT, LOOK, SETTLING, WEIGHING, place_bits
from hls.point import POINT

FMT, TABLES = setting.codec()
WIDTH = setting.width()
RUNS = setting.runs()
SIZE = WORD * WIDTH
STREAMS = ("m_zeros", "m_bitmap", "m_lanes", "m_shape", "m_span", "m_codes", "m_raw")
STRIPPING = "hw2-n8-c4096"  # the profile that leaves trailing zeros out
HERE = {  # the others are for the blocks behind to find
    ChunkError.MODE,
    ChunkError.SIZE,
    ChunkError.COUNT,
    ChunkError.ZEROS,
    ChunkError.LANES,
    ChunkError.BLOCK,
    ChunkError.TRAILING,
}


class Parser(Bench):
    """The DUT between a source of packets and a sink for each part."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        dut.resume.value = 0
        self.packets = self.source("s_axis", idle)
        self.parts = {name: self.sink(name, stall) for name in STREAMS}

    async def check(self, named: Iterable[tuple[str, Frame]], profile: str = POINT.profile) -> None:
        """Parse frames back to back and compare all that comes of each chunk."""
        start, frames, size = self.cycle, list(named), 0
        expected = []
        for name, frame in frames:
            chunks = golden.chunks(frame, FMT, profile)
            self.packets.send(words(chunks))
            for i, chunk in enumerate(chunks):
                size += len(chunk)
                expected.append((name, i == len(chunks) - 1, dissect(chunk, FMT, TABLES)))
        for name, last, parts in expected:
            await self.within(20 * POINT.chunk, self.check_chunk(name, last=last, parts=parts))
        await self.cycles(10)
        assert all(sink.empty for sink in self.parts.values()), "more came than the parts"
        assert self.dut.fault.value == ChunkError.NONE
        values = sum(len(frame) for _, frame in frames)
        setting.report_compared(
            frames=len(frames), values=values, size=size, cycles=self.cycle - start
        )

    async def check_chunk(self, name: str, *, last: bool, parts: Parts) -> None:
        zeros = await self.take("m_zeros", 1 + len(parts.summary))
        assert_same(data(zeros), parts.zeros_words(frame_last=last), f"{name}: zeros")
        await self.check_bitmap(name, parts)
        if not parts.nonzeros:
            return
        lanes = data(await self.take("m_lanes", len(parts.lane_words)))
        assert_same(lanes, parts.lane_words, f"{name}: lanes")
        shapes = data(await self.take("m_shape", len(parts.shapes)))
        assert_same(shapes, parts.shapes, f"{name}: shapes")
        (span,) = await self.take("m_span", 1)
        assert span.tdata == parts.span(WIDTH), f"{name}: span {span.tdata:x}"
        expected = parts.code_words(WIDTH)
        codes = await self.take("m_codes", len(expected))
        assert_same(joined_codes(codes), parts.codes, f"{name}: codes")
        assert [word.tlast for word in codes] == [word.tlast for word in expected]
        expected = parts.raw_words(WIDTH)
        raw = await self.take("m_raw", len(expected))
        joined = b"".join(word.tdata.to_bytes(SIZE, "little") for word in raw)
        joined = joined[parts.raw_at % SIZE :]
        assert_same(joined[: len(parts.raw)], parts.raw, f"{name}: raw")
        assert [word.tlast for word in raw] == [word.tlast for word in expected]

    async def check_bitmap(self, name: str, parts: Parts) -> None:
        expected = [Word(word) for word in parts.bitmap]
        if parts.runs:
            expected = run_words(parts.runs, parts.count)
        came = await self.take("m_bitmap", len(expected))
        if parts.runs:  # bytes behind the last extra one are the lanes'
            behind = WORD - 1 - (len(parts.runs.extra) - 2) % WORD
            ones = (1 << 8 * behind) - 1 << 8 * (WORD - behind)
            came[-1] = replace(came[-1], tdata=came[-1].tdata | ones)
        for number, (word, due) in enumerate(zip(came, expected, strict=True)):
            assert kept("m_bitmap", word) == kept("m_bitmap", due), f"{name}: word {number}"

    async def take(self, stream: str, count: int) -> list[Word]:
        return await self.parts[stream].words(count)

    async def drop(self) -> None:
        """Take whatever comes until the input has been taken."""
        await self.within(20 * POINT.chunk, self.packets.drained())
        await self.cycles(100)

    async def resume(self) -> None:
        """Let the DUT go on behind a frame at fault, as gradient_dec does; forget what came."""
        assert self.dut.drained.value == 1, "the frame has not been taken"
        for sink in self.parts.values():
            sink.reset()
        self.dut.resume.value = 1
        await self.cycles(1)
        self.dut.resume.value = 0


def data(words: Sequence[Word]) -> list[int]:
    return [word.tdata for word in words]


def words(chunks: Sequence[bytes]) -> list[Word]:
    return chunks_to_words(chunks, SIZE)


def joined_codes(codes: Sequence[Word]) -> bytes:
    """The bytes of a chunk's words of codes that count."""
    if not codes:
        return b""
    first, last = codes[0].tuser >> place_bits(WIDTH), codes[-1].tuser % SIZE
    joined = b"".join(word.tdata.to_bytes(SIZE, "little") for word in codes)
    return joined[first : len(joined) - (SIZE - 1 - last)]


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def takes_packets_apart(dut: Any, idle: Stall, stall: Stall) -> None:
    parser = Parser(dut, idle, stall)
    await parser.reset()
    await parser.check(corners.Corners(FMT, TABLES).edges())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def takes_chunks_apart(dut: Any) -> None:
    parser = Parser(dut)
    await parser.reset()
    frames = corners.Corners(FMT, TABLES)
    await parser.check(frames.blocks())
    await parser.check(frames.chunks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def takes_stripped_chunks_apart(dut: Any, stall: Stall) -> None:
    """Headers of three bytes, and codes and raw parts that begin anywhere."""
    parser = Parser(dut, stall, stall)
    await parser.reset()
    await parser.check(corners.Corners(FMT, TABLES).stripped(), STRIPPING)


@test_where(RUNS, timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, coin], stall=[free, burst3, coin])
async def takes_runs_apart(dut: Any, idle: Stall, stall: Stall) -> None:
    """Extra bytes that end anywhere, so that the lanes begin there; none, and many."""
    parser = Parser(dut, idle, stall)
    await parser.reset()
    runs = corners.Corners(FMT, TABLES).runs
    named = [(f"{pairs} pairs", runs(*[9, 33] * pairs)) for pairs in range(2, 12)]
    named += [("no extra bytes", runs(1, 1, 300)), ("stripped", runs(9, 990))]
    named += [("many", runs(*[1, 12] * 300)), ("whole", runs(2000, 90, 1000, 1006))]
    chunks = [
        dissect(one, FMT, TABLES) for _, f in named for one in golden.chunks(f, FMT, STRIPPING)
    ]
    ends = {len(parts.runs.extra) % WORD for parts in chunks if parts.runs}
    assert all(parts.runs for parts in chunks), "one is not written in runs"
    assert ends == set(range(WORD)), "the lanes do not begin anywhere"
    await parser.check(named, STRIPPING)
    await parser.check(corners.Corners(FMT, TABLES).edges(), STRIPPING)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def names_faults(dut: Any, stall: Stall) -> None:
    """And takes the words of the frame, but none of the next before it may."""
    parser = Parser(dut, stall, stall)
    await parser.reset()
    frames = corners.Corners(FMT, TABLES)
    behind = frames.gradient(40)
    (chunk,) = golden.chunks(behind, FMT)
    named = set()
    for faulty in malformed.faults(frames):
        parser.packets.send(words(faulty.chunks))
        await parser.drop()
        found = ChunkError(int(dut.fault.value))
        assert found is (faulty.error if faulty.error in HERE else ChunkError.NONE) or (
            faulty.error is ChunkError.CODES and found is ChunkError.SIZE  # none are left
        ), f"{faulty.name}: called {found!r}"
        named.add(found)
        if found is ChunkError.NONE:
            await parser.reset()
            continue
        before = len(parser.packets.moved)
        parser.packets.send(words([chunk]))
        await parser.cycles(20)
        assert len(parser.packets.moved) <= before + 1, "a word of the next frame was dropped"
        await parser.resume()
        parts = dissect(chunk, FMT, TABLES)
        name = f"behind {faulty.name}"
        await parser.within(POINT.chunk, parser.check_chunk(name, last=True, parts=parts))
        await parser.check([(name, behind)])
    assert named >= HERE


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def too_many_codes(dut: Any) -> None:
    """More codes than any chunk can use would fill the queue for them before its raw parts come."""
    parser = Parser(dut)
    (chunk,) = golden.chunks(corners.Corners(FMT, TABLES).gradient(POINT.chunk), FMT)
    parts = dissect(chunk, FMT, TABLES)
    for total, error in (
        (2 * POINT.chunk, ChunkError.NONE),
        (2 * POINT.chunk + 1, ChunkError.CODES),
    ):
        longer = bytearray(
            chunk[: parts.raw_at] + bytes(total - len(parts.codes)) + chunk[parts.raw_at :]
        )
        longer[1:4] = len(longer).to_bytes(3, "little")
        await parser.reset()
        parser.packets.send(words([bytes(longer)]))
        await parser.drop()
        assert dut.fault.value == error, f"{total} bytes of codes"


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[3, 9, 60, 400])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    parser = Parser(dut)
    await parser.reset()
    frames = corners.Corners(FMT, TABLES)
    parser.packets.send(words(golden.chunks(frames.gradient(2000, zeros=0.2), FMT)))
    await parser.cycles(stop)
    await parser.reset()
    await parser.check(frames.mixture())


def cycles(parts: Parts) -> int:
    """What a chunk takes without stalls."""
    words = len(parts.code_words(WIDTH)) + len(parts.raw_words(WIDTH))
    more = WEIGHING * bool(parts.nonzeros) + SETTLING * bool(parts.summary)
    return LOOK + parts.front_steps + more + words


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Words pass in the cycle in which they come; a chunk takes as many cycles as is said."""
    parser = Parser(dut)
    frames = corners.Corners(FMT, TABLES)
    for name, frame in [*frames.edges(), *frames.blocks()]:
        await parser.reset()
        chunk = golden.chunks(frame, FMT)[0]
        parts = dissect(chunk, FMT, TABLES)
        for _ in range(3):
            parser.packets.send(words([chunk]))
        await parser.drop()
        heads = parser.parts["m_zeros"].moved[:: 1 + len(parts.summary)]
        taken = cycles(parts)
        assert [b - a for a, b in pairwise(heads)] == [taken, taken], f"{name}: {heads}, {taken}"
        if parts.raw:
            raw = parser.parts["m_raw"].moved[-len(parts.raw_words(WIDTH)) :]
            assert raw[-1] - parser.packets.moved[-1] == CONTRACT.latency
            assert raw == list(range(raw[0], raw[0] + len(raw), CONTRACT.interval))
