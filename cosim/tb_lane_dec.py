# SPDX-License-Identifier: Apache-2.0
"""lane_dec: exponents and payload are the reference's, and faults in the codes are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import cocotb

from cosim.bench import corners, golden, setting
from cosim.bench.bench import Bench, test_where
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same
from cosim.bench.parts import Parts, dissect, token_groups
from cosim.bench.stalls import BOTH_SIDES, Stall, burst3, coin, free
from cosim.bench.streams import Word
from cosim.bench.table_port import assert_used, write_tables
from hls.chunk_error import ChunkError
from hls.lane_dec import CONTRACT, overhead, rounds_of
from hls.point import ESCAPE, FP32, KNOWN_TABLES, MAX_LENGTH, POINT, RAW, Tables

CONFIGURATION = setting.configuration()
assert CONFIGURATION.tables, "lane_dec is built with tables"
TABLES = CONFIGURATION.tables.tables
LOADABLE = setting.loadable()
RUNS = setting.runs()
WIDTH = setting.width()
OTHER_PROFILE = "hw2-n8-c4096"  # the other profile of hardware
FMT = FP32  # whose chunks these are; the exponents of bf16 are the same


class LaneDecoder(Bench):
    """The DUT between sources of its three inputs and sinks of its three outputs."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.shapes, self.lanes, self.codes = (
            self.source(name, idle) for name in ("s_shape", "s_lanes", "s_codes")
        )
        self.exponents, self.tails, self.checks = (
            self.sink(name, stall) for name in ("m_exponents", "m_tail", "m_check")
        )
        self.tokens = self.sink("m_tokens", stall) if RUNS else None

    async def reset(self) -> None:
        await super().reset()
        if LOADABLE:
            await write_tables(self, TABLES)

    def send(self, parts: Parts) -> None:
        self.shapes.send([Word(word) for word in parts.shapes])
        self.lanes.send([Word(word) for word in parts.lane_words])
        self.codes.send(parts.code_words(WIDTH))

    async def check(
        self,
        named: Iterable[tuple[str, Frame]],
        profile: str = POINT.profile,
        tables: Tables = TABLES,
    ) -> None:
        """Decode frames back to back; groups and the payload must be right."""
        start, frames = self.cycle, list(named)
        chunks = [
            (name, parts) for name, frame in frames for parts in coded(frame, profile, tables)
        ]
        for _, parts in chunks:
            self.send(parts)
        for name, parts in chunks:
            limit = 20 * (parts.nonzeros + len(parts.classes) + 100)
            if parts.runs:
                assert self.tokens, name
                groups = token_groups(parts.tokens, WIDTH)
                came = await self.within(limit, self.tokens.words(len(groups)))
                items = (len(parts.classes) - 1) % WIDTH + 1
                assert_same(whole_items([word.tdata for word in came], items), groups, name)
            words = await self.within(limit, self.exponents.words(len(parts.groups(WIDTH))))
            assert_groups(words, parts, name)
            (tail,) = await self.within(limit, self.tails.words(1))
            (check,) = await self.within(limit, self.checks.words(1))
            error, crc = divmod(check.tdata, 1 << 32)
            assert (tail.tdata, crc) == (parts.tail, parts.check), f"{name}: payload"
            assert error == ChunkError.NONE, f"{name}: {ChunkError(error)!r}"
        await self.cycles(50)
        assert self.exponents.empty
        values = sum(parts.nonzeros for _, parts in chunks)
        setting.report_compared(
            frames=len(frames), values=values, size=values, cycles=self.cycle - start
        )


def assert_groups(words: Sequence[Word], parts: Parts, name: str) -> None:
    """The words of m_exponents must be a chunk's."""
    items = (parts.nonzeros - 1) % WIDTH + 1
    assert_same(whole_items([word.tdata for word in words], items), parts.groups(WIDTH), name)


def whole_items(groups: list[int], items: int) -> list[int]:
    """Groups, of which the last has so many items and the others are full."""
    return [*groups[:-1], groups[-1] % (1 << 8 * items)]


def coded(frame: Frame, profile: str = POINT.profile, tables: Tables = TABLES) -> list[Parts]:
    """The chunks of a frame that have lanes."""
    chunks = [dissect(chunk, FMT, tables) for chunk in golden.chunks(frame, FMT, profile, tables)]
    return [parts for parts in chunks if parts.nonzeros]


def one(frame: Frame) -> Parts:
    (parts,) = coded(frame)
    return parts


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def decodes_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    decoder = LaneDecoder(dut, idle, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    await decoder.check(frames.edges())
    await decoder.check(frames.mixture())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def decodes_blocks(dut: Any) -> None:
    decoder = LaneDecoder(dut)
    await decoder.reset()
    await decoder.check(corners.Corners(FMT, TABLES).blocks())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def decodes_every_codeword_of_every_table(dut: Any) -> None:
    decoder = LaneDecoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    blocks = [(f"table {i}", frames.block_of(i)) for i in range(len(TABLES))]
    assert {block.table for _, frame in blocks for block in one(frame).blocks} == set(
        range(len(TABLES))
    )
    await decoder.check(blocks)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def decodes_codes_that_begin_anywhere(dut: Any, stall: Stall) -> None:
    """Headers of three bytes put them there, in chunks that say what is stripped of each block."""
    decoder = LaneDecoder(dut, stall, stall)
    await decoder.reset()
    frames, stripped = corners.Corners(FMT, TABLES), 2**16 - 1
    named = [
        (f"{count} stripped", [v & ~stripped | 1 << FMT.mantissa for v in frames.gradient(count)])
        for count in (7, 200, 600, 1100, 1600, 2100, POINT.chunk + 9)
    ]
    starts = {parts.coded_at for _, frame in named for parts in coded(frame, OTHER_PROFILE)}
    assert any(start % 2 for start in starts), "no chunk has headers of three bytes"
    await decoder.check(named, OTHER_PROFILE)


@test_where(RUNS, timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, burst3, coin])
async def decodes_tokens(dut: Any, stall: Stall) -> None:
    """Of all numbers, so that they end in all lanes, among chunks without any."""
    decoder = LaneDecoder(dut, stall, stall)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    runs = frames.runs
    named = [(f"{pairs} pairs", runs(*[10, 33] * pairs)) for pairs in range(3, 12)]
    named += [("one pair", runs(600, 900)), ("long", runs(1000, 1, 1, 1000, 2, 900))]
    named += [("more than a block", runs(*[2, 13] * 270)), ("few values", runs(1, 300, 1, 500))]
    named += [("distances first", runs(*[1, 40] * 90)), ("runs first", runs(*[40, 1] * 90))]
    chunks = [parts for _, frame in named for parts in coded(frame, OTHER_PROFILE)]
    assert all(parts.runs for parts in chunks), "one is not written in runs"
    assert {parts.runs and parts.runs.tables for parts in chunks} == set(KNOWN_TABLES)
    await decoder.check(named, OTHER_PROFILE)
    await decoder.check([*frames.mixture(), *named, *frames.rounds()], OTHER_PROFILE)
    await decoder.check(frames.edges(), OTHER_PROFILE)
    dense = [("dense", frames.gradient(600))]
    await decoder.check([both for one in named for both in (one, *dense)], OTHER_PROFILE)


@test_where(LOADABLE, timeout_time=2, timeout_unit="ms")
async def takes_other_tables(dut: Any) -> None:
    """A table changes with its last word; tables are written while the decoder is empty."""
    decoder = LaneDecoder(dut)
    await decoder.reset()
    for tables, named in corners.Corners(FMT, TABLES).relearned():
        chunks = [parts for _, frame in named for parts in coded(frame, tables=tables)]
        assert_used({block.table for parts in chunks for block in parts.blocks}, tables)
        await write_tables(decoder, tables)
        await decoder.check(named, tables=tables)


def faults() -> Iterable[tuple[str, ChunkError, Parts]]:
    """Chunks that the reference would not make."""
    frames = corners.Corners(FMT, TABLES)
    dense, raw = one(frames.gradient(200)), one(frames.noise(100))
    eight, single = one([frames.value(90)] * 8), one([frames.value(90)])
    for name, parts in (("coded", dense), ("raw", raw)):
        less, more = parts.codes[:-1], parts.codes + b"\0"
        yield f"a byte too few, {name}", ChunkError.CODES, replace(parts, codes=less)
        yield f"a byte too many, {name}", ChunkError.CODES, replace(parts, codes=more)
    more = dense.codes + bytes(9)
    yield "words too many", ChunkError.CODES, replace(dense, codes=more)
    yield "no codes", ChunkError.CODES, replace(dense, codes=b"")
    (block,) = dense.blocks
    low = [replace(block, emax=0)]
    yield "a negative exponent", ChunkError.EXPONENT, replace(dense, blocks=low)
    for lane, state in enumerate(eight.lanes):
        lanes = list(eight.lanes)
        lanes[lane] += 1 << state.bit_length()
        yield f"lane {lane} is left", ChunkError.FINAL_STATE, replace(eight, lanes=lanes)
    lanes = list(single.lanes)
    lanes[4] += 5
    yield "payload without raw bytes", ChunkError.PAYLOAD, replace(single, lanes=lanes)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def names_faults(dut: Any, stall: Stall) -> None:
    """A chunk at fault has as many values as ever, and the next begins as if nothing had been."""
    decoder = LaneDecoder(dut, stall, stall)
    await decoder.reset()
    sound = one(corners.Corners(FMT, TABLES).gradient(9))
    faulty = list(faults())
    for _, _, parts in faulty:
        decoder.send(parts)
        decoder.send(sound)
    for name, error, parts in faulty:
        limit = 8 * parts.nonzeros + 200
        await decoder.within(limit, decoder.exponents.words(len(parts.groups(WIDTH))))
        found, of_sound = await decoder.within(limit, decoder.checks.words(2))
        assert found.tdata >> 32 == error, f"{name}: called {found.tdata >> 32}"
        assert of_sound.tdata == sound.check, f"behind {name}"
        words = decoder.exponents.words(len(sound.groups(WIDTH)))
        assert_groups(await decoder.within(limit, words), sound, f"behind {name}")
    await decoder.within(200, decoder.tails.words(2 * len(faulty)))
    await decoder.check(corners.Corners(FMT, TABLES).mixture())


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[5, 13, 20, 600])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    decoder = LaneDecoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    decoder.send(one(frames.gradient(1500)))
    await decoder.cycles(stop)
    await decoder.reset()
    await decoder.check(frames.mixture())


def waits(parts: Parts) -> int:
    """Values of a chunk that take a byte for their state and one for their exponent."""
    exponents, count = iter(parts.exponents), 0
    for block in parts.blocks:
        drops = [block.emax - exponent for exponent in islice(exponents, block.count)]
        if block.table != RAW:
            lengths = TABLES[block.table]
            assert lengths[ESCAPE] == MAX_LENGTH, "not every escape empties the state"
            count += sum(drop >= ESCAPE or not lengths[drop] for drop in drops)
    return count


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Also of groups with escapes: each may cost a cycle, but where a group is a value."""
    decoder = LaneDecoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    named = [(f"{count} values", frames.gradient(count)) for count in (1024, 600, 13, 1024)]
    named += [("a burst of escapes", frames.escapes(None)), ("raw", frames.noise(600))]
    named += [("none", [frames.value(100)] * 512), ("one", [frames.value(100)])]
    await decoder.check(named)
    assert decoder.exponents.moved[0] - decoder.lanes.moved[0] == CONTRACT.latency
    chunks, starts, at = [one(frame) for _, frame in named], [], 0
    for parts in chunks:
        starts.append(decoder.exponents.moved[at])
        at += len(parts.groups(WIDTH))
    assert sum(map(waits, chunks)) > 40
    for (name, _), parts, start, end in zip(named, chunks, starts, starts[1:], strict=False):
        groups, rounds = len(parts.groups(WIDTH)), rounds_of(WIDTH)
        cycles = groups + -groups % rounds + overhead(WIDTH) + (WIDTH > 1 and waits(parts))
        assert end - start == cycles, f"{name}: {end - start} cycles"
    steady = decoder.exponents.moved[-1 - 512 // WIDTH : -1 - POINT.lanes]  # then comes the turn
    assert steady == list(range(steady[0], steady[-1] + 1, CONTRACT.interval))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def keeps_up_with_gradients(dut: Any) -> None:
    """Of each sample at least .95 of a group a cycle, the chunks' turns and escapes included."""
    decoder = LaneDecoder(dut)
    for name, frame in corners.samples(FMT, chunks=2):
        await decoder.reset()
        await decoder.check([(name, frame)])
        values = sum(parts.nonzeros for parts in coded(frame))
        moved = decoder.exponents.moved
        rate = values / (moved[-1] - moved[0] + overhead(WIDTH))
        assert rate >= 0.95 * WIDTH, f"{name}: {rate} values a cycle"
