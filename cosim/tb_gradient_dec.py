# SPDX-License-Identifier: Apache-2.0
"""gradient_dec: the values are those that the package compressed, and bad frames are refused."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cocotb
from reference.encode import encode_chunk
from reference.profile import PROFILES

from cosim.bench import corners, golden, malformed, setting
from cosim.bench.bench import Bench, test_where
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same, chunks_to_words, words_to_values
from cosim.bench.parts import WORD, dissect
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from cosim.bench.table_port import assert_used, write_noise, write_tables
from hls.chunk_check import wait
from hls.chunk_error import ChunkError
from hls.gradient_dec import EXPONENT_BYTES, TO_EXPONENT, TO_RAW, first_taken
from hls.lane_dec import overhead
from hls.point import POINT, Tables
from hls.raw_join import TURN

FULL = setting.full()
FMT, TABLES = setting.codec()
WIDTH = setting.width()
LOADABLE = setting.loadable()
RUNS = setting.runs()
CONTRACT = setting.configuration().contract
STRIPPING = "hw2-n8-c4096"  # the profile that leaves trailing zeros out

Named = tuple[str, Frame]


class Decoder(Bench):
    """The DUT between a source of chunks and a sink of values."""

    def __init__(
        self, dut: Any, idle: Stall = free, stall: Stall = free, *, shy: bool = False
    ) -> None:
        super().__init__(dut)
        self.packets = self.source("s_axis", idle)
        self.values = self.sink("m_axis", stall, shy=shy)

    async def reset(self) -> None:
        await super().reset()
        if LOADABLE:
            await write_tables(self, TABLES)

    async def check(
        self,
        named: Iterable[Named],
        profile: str = POINT.profile,
        tables: Tables = TABLES,
    ) -> None:
        """Decode frames back to back; each must come out, nothing else, and no error."""
        frames, start, size = list(named), self.cycle, 0
        for _, frame in frames:
            size += self.send(frame, profile, tables)
        for name, frame in frames:
            await self.expect(name, frame)
        await self.cycles(50)
        assert self.values.empty, "more came than the values of the frames"
        setting.report_compared(
            frames=len(frames),
            values=sum(len(frame) for _, frame in frames),
            size=size,
            cycles=self.cycle - start,
        )

    def send(self, frame: Frame, profile: str = POINT.profile, tables: Tables = TABLES) -> int:
        """Send a frame's chunks; returns their bytes."""
        chunks = golden.chunks(frame, FMT, profile, tables)
        self.packets.send(words_of(chunks))
        return sum(map(len, chunks))

    async def expect(self, name: str, frame: Frame) -> None:
        """The next frame must be this one, and not at fault."""
        words = await self.within(8 * (len(frame) + POINT.chunk), self.values.packet())
        assert verdict(words) is ChunkError.NONE, f"{name}: {verdict(words)!r}"
        assert_same(words_to_values(words, FMT, WIDTH), frame, name)

    async def refuse(
        self, faulty: Sequence[malformed.Faulty], *, around: Sequence[Frame]
    ) -> set[ChunkError]:
        """Decode frames at fault, others around each; returns what the faults are called.

        Those others must come out as if nothing had been between them.
        """
        found = set()
        for fault in faulty:
            assert golden.refuses(fault.chunks, fault.values, FMT), (
                f"{fault.name}: the package reads it"
            )
            for frame in around:
                self.send(frame)
            self.packets.send(words_of(fault.chunks))
        for frame in around:
            self.send(frame)
        for fault in faulty:
            for frame in around:
                await self.expect(f"before {fault.name}", frame)
            limit = 8 * POINT.chunk * (len(fault.chunks) + 1)
            error = verdict(await self.within(limit, self.values.packet()))
            assert fault.may_be_called(error), f"{fault.name}: called {error!r}"
            found.add(error)
        for frame in around:
            await self.expect("behind all faults", frame)
        await self.cycles(50)
        assert self.values.empty, "more came than the frames"
        return found


def words_of(chunks: Sequence[bytes]) -> list[Word]:
    return chunks_to_words(chunks, WORD * WIDTH)


def verdict(words: Sequence[Word]) -> ChunkError:
    """What the last word of a frame says of it; the others must say nothing."""
    assert not any(word.tuser for word in words[:-1]), "an error before the frame's last word"
    return ChunkError(words[-1].tuser)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
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
@cocotb.parametrize(stall=[free, coin])
async def equals_the_package_on_stripped_parts(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).stripped(), STRIPPING)


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
    decoder.packets.send(words_of(golden.chunks(frames.gradient(2 * POINT.chunk, zeros=0.2), FMT)))
    await decoder.cycles(stop)
    await decoder.reset()
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin], alone=[True, False])
async def names_each_fault(dut: Any, stall: Stall, alone: bool) -> None:
    """Alone, or with frames so short that many are inside together."""
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    around = [] if alone else [frames.gradient(1), [0] * 3, frames.gradient(9), frames.gradient(2)]
    found = await decoder.refuse(list(malformed.faults(frames)), around=around)
    missing = set(ChunkError) - {ChunkError.NONE} - found
    assert not missing, f"nothing provoked {missing}"
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def refuses_flipped_bits(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    faulty = []
    for _ in range(400 if FULL else 40):
        some = random.randrange(150)  # and one: only the directory counts the values of all zeros
        frame = [*frames.gradient(some, zeros=random.choice([0, 0.3])), *frames.gradient(1)]
        (chunk,) = golden.chunks(frame, FMT)
        bits = random.sample(range(8 * len(chunk)), random.choice([1, 2]))
        spoilt = [malformed.flipped(chunk, bits)]
        faulty.append(malformed.Faulty(f"bits {bits}", None, spoilt, len(frame)))
    await decoder.refuse(faulty, around=[frames.gradient(5)])


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin] if FULL else [free])
async def drops_no_more_than_the_frame(dut: Any, stall: Stall) -> None:
    """Whichever of a frame's chunks is at fault, and whatever its packet holds instead."""
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    frame = frames.gradient((1 + FULL) * POINT.chunk + 600, zeros=0.1)
    sound, faulty = golden.chunks(frame, FMT), []
    for at, chunk in enumerate(sound):
        for name, other in malformed.replaced(chunk):
            spoilt = [*sound[:at], other, *sound[at + 1 :]]
            faulty.append(malformed.Faulty(f"chunk {at} {name}", None, spoilt, len(frame)))
    await decoder.refuse(faulty, around=[frames.gradient(700)])


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def holds_the_most_codes(dut: Any, stall: Stall) -> None:
    """Two bytes for almost every value, as an encoder may write that looks at a block's first."""
    decoder = Decoder(dut, free, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    blocks = POINT.chunk // POINT.block
    frame = ([frames.value(200)] + [frames.value(100) for _ in range(POINT.block - 1)]) * blocks
    careless = replace(PROFILES[POINT.profile], step=POINT.block)
    chunk = encode_chunk(frame, FMT.name, TABLES, careless)
    assert len(dissect(chunk, FMT, TABLES).codes) > 2 * (POINT.chunk - blocks - POINT.lanes)
    assert not golden.refuses([chunk], len(frame), FMT)
    for _ in range(3):
        decoder.packets.send(words_of([chunk]))
    behind = frames.gradient(700)
    decoder.send(behind)
    for i in range(3):
        await decoder.expect(f"most codes {i}", frame)
    await decoder.expect("behind", behind)


@test_where(RUNS, timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def equals_the_package_on_runs(dut: Any, idle: Stall, stall: Stall) -> None:
    """Chunks in known runs, and others among them."""
    decoder = Decoder(dut, idle, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    runs = [("few", frames.runs(*[9, 33] * 7)), ("one", frames.runs(700, 1000, 1))]
    runs += [("many", frames.runs(*[1, 12] * 300, 9)), ("short", frames.runs(3, 40, 1, 20, 4))]
    runs += [(f"{n} at once", frames.runs(*[5 * n, 20 * n] * 40)) for n in (1, 7)]
    chunks = [chunk for _, frame in runs for chunk in golden.chunks(frame, FMT, STRIPPING)]
    assert all(dissect(chunk, FMT, TABLES).runs for chunk in chunks), "one is not written in runs"
    await decoder.check(runs, STRIPPING)
    await decoder.check([*frames.rounds(), *frames.mixture(), *frames.edges()], STRIPPING)
    await decoder.check([*runs, *frames.chunks()], STRIPPING)


@test_where(RUNS, timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def names_faults_of_runs(dut: Any, stall: Stall) -> None:
    decoder = Decoder(dut, stall, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    faulty, around = list(malformed.run_faults(frames, STRIPPING)), [frames.gradient(9), [0] * 3]
    for _ in range(100 if FULL else 20):
        frame = frames.runs(*[random.randrange(1, 30) for _ in range(8)], 1)
        (chunk,) = golden.chunks(frame, FMT, STRIPPING)
        bits = random.sample(range(8 * len(chunk)), random.choice([1, 2]))
        spoilt = [malformed.flipped(chunk, bits)]
        faulty.append(malformed.Faulty(f"bits {bits}", None, spoilt, len(frame)))
    await decoder.refuse(faulty, around=around)
    await decoder.check(frames.rounds(), STRIPPING)


@test_where(LOADABLE, timeout_time=20, timeout_unit="ms")
async def takes_other_tables(dut: Any) -> None:
    """Between two frames; a reset leaves them as they are."""
    decoder = Decoder(dut)
    await decoder.reset()
    for tables, named in corners.Corners(FMT, TABLES).relearned():
        chunks = [chunk for _, frame in named for chunk in golden.chunks(frame, FMT, tables=tables)]
        parts = [dissect(chunk, FMT, tables) for chunk in chunks]
        assert_used({block.table for part in parts for block in part.blocks}, tables)
        await write_tables(decoder, tables)
        await decoder.check(named, tables=tables)
        await Bench.reset(decoder)
        await decoder.check(named[-1:], tables=tables)


@test_where(LOADABLE, timeout_time=20, timeout_unit="ms")
async def refuses_what_it_has_no_tables_for(dut: Any) -> None:
    """Whatever the memory holds instead; blocks left raw need none. Then it takes the tables."""
    decoder = Decoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    raw = [("raw", frames.noise(700)), ("zeros", [0] * 40)]
    for _ in range(20 if FULL else 5):
        await write_noise(decoder, TABLES)
        await decoder.check(raw)
        for count in (40, 700, POINT.chunk + 100):
            decoder.send(frames.gradient(count, zeros=0.1))
            words = await decoder.within(20 * POINT.chunk, decoder.values.packet())
            assert verdict(words) is not ChunkError.NONE, f"{count} values are taken"
    await write_tables(decoder, TABLES)
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_latency(dut: Any) -> None:
    decoder = Decoder(dut)
    frames = corners.Corners(FMT, TABLES)
    for count in (1, 140, 150, 160, 170, 300, 301, 513, 1100, POINT.chunk):
        frame = frames.gradient(count)
        await decoder.reset()
        await decoder.check([(f"{count} values", frame)])
        latency = decoder.values.moved[0] - decoder.packets.moved[0]
        promised = latency_of(golden.chunks(frame, FMT)[0]) if count > 1 else CONTRACT.latency
        assert latency == promised, f"{count} values: {latency}"
        words = -(-count // WIDTH)
        held = wait(FMT, -count % WIDTH) if count > 1 else 0
        assert decoder.values.moved[-1] - decoder.values.moved[0] >= words - 1 + held


def latency_of(chunk: bytes) -> int:
    """What hls/gradient_dec.py promises for a chunk without zeros and of two raw words or more."""
    parts = dissect(chunk, FMT, TABLES)
    assert len(parts.raw_words(WIDTH)) > 2
    codes, taken = len(parts.code_words(WIDTH)), first_taken(WIDTH, short=chunk[0] > 127)
    word, aligned = WORD * WIDTH, parts.raw_at % (WORD * WIDTH) == 0
    before = (parts.raw_at - 1) % word
    passes = before >= word // 2 and before + FMT.raw // 8 * WIDTH >= word + word // 2
    first = max(TO_EXPONENT[WIDTH], codes + TO_RAW + 2 * (not aligned) + passes)
    return parts.front_steps + first - taken


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def keeps_its_rate(dut: Any) -> None:
    """Of chunks of one table without escapes, each of which may cost a cycle."""
    decoder = Decoder(dut)
    await decoder.reset()
    hidden = overhead(WIDTH) - (TURN + 3)  # of a chunk's turn, by the queue of exponents
    skipped = 2 + EXPONENT_BYTES // WIDTH // hidden
    period = 3  # of chunks: the values repeat, and one may begin a cycle early or late
    chunks, groups = skipped + 1 + period, POINT.chunk // WIDTH
    frames = corners.Corners(FMT, TABLES)
    dense = [frames.value(100 + i % 3) for i in range(chunks * POINT.chunk)]
    await decoder.check([("dense", dense)])
    moved = decoder.values.moved[skipped * groups :: groups]
    rate = (len(moved) - 1) * POINT.chunk / (moved[-1] - moved[0])
    assert rate == CONTRACT.values_per_cycle
    setting.report_sustained(rate)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_up_with_zeros(dut: Any) -> None:
    """Chunks of fewer non-zeros, and last blocks of any size, must not cost the rate."""
    decoder = Decoder(dut)
    await decoder.reset()
    sparse = corners.Corners(FMT, TABLES).gradient(4 * POINT.chunk, zeros=0.1)
    await decoder.check([("sparse", sparse)])
    groups = POINT.chunk // WIDTH
    starts = decoder.values.moved[groups::groups]
    rates = [POINT.chunk / (b - a) for a, b in pairwise(starts)]
    assert all(rate >= 0.99 * WIDTH for rate in rates), rates


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def keeps_up_with_gradients(dut: Any) -> None:
    """Escapes, zeros, and last blocks of any size must not cost the rate."""
    frames, chunks = corners.Corners(FMT, TABLES), 6 if FULL else 3
    size = chunks * POINT.chunk
    named = [(f"{zeros} zeros", frames.gradient(size, zeros)) for zeros in (0.02, 0.5)]
    named += corners.samples(FMT, chunks=chunks)
    decoder = Decoder(dut)
    for name, frame in named:
        await decoder.reset()
        await decoder.check([(name, frame)])
        starts = decoder.values.moved[:: POINT.chunk // WIDTH]
        rates = [POINT.chunk / (b - a) for a, b in pairwise(starts)]
        assert all(rate >= 0.95 * WIDTH for rate in rates[1:]), f"{name}: {rates}"
