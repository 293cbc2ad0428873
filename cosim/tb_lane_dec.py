# SPDX-License-Identifier: Apache-2.0
"""lane_dec: exponents and payload are the reference's, and faults in the codes are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import cocotb

from cosim.bench import corners, golden, setting
from cosim.bench.bench import Bench
from cosim.bench.corners import Frame
from cosim.bench.frames import assert_same
from cosim.bench.parts import Parts, dissect
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.chunk_error import ChunkError
from hls.lane_dec import CONTRACT, OVERHEAD
from hls.point import FP32, POINT

CONFIGURATION = setting.configuration()
assert CONFIGURATION.tables, "lane_dec is built with tables"
TABLES = CONFIGURATION.tables.tables
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

    def send(self, parts: Parts) -> None:
        self.shapes.send([Word(parts.shape(FMT))])
        self.lanes.send([Word(word) for word in parts.lane_words()])
        self.codes.send(parts.code_words())

    async def check(self, named: Iterable[tuple[str, Frame]]) -> None:
        """Decode frames back to back; exponents, their places, and the payload must be right."""
        start, frames = self.cycle, list(named)
        chunks = [(name, parts) for name, frame in frames for parts in coded(frame)]
        for _, parts in chunks:
            self.send(parts)
        for name, parts in chunks:
            limit = 20 * (parts.nonzeros + 100)
            words = await self.within(limit, self.exponents.words(parts.nonzeros))
            assert_same([word.tdata for word in words], parts.exponents, name)
            assert_same([word.tuser for word in words], parts.behind, f"{name}: how many follow")
            (tail,) = await self.within(limit, self.tails.words(1))
            (check,) = await self.within(limit, self.checks.words(1))
            assert (tail.tdata, check.tdata) == (parts.tail, parts.check), f"{name}: payload"
        await self.cycles(50)
        assert self.exponents.empty
        assert self.dut.fault.value == ChunkError.NONE
        values = sum(parts.nonzeros for _, parts in chunks)
        setting.report_compared(
            frames=len(frames), values=values, size=values, cycles=self.cycle - start
        )


def coded(frame: Frame) -> list[Parts]:
    """The chunks of a frame that have lanes."""
    chunks = [dissect(chunk, FMT, TABLES) for chunk in golden.chunks(frame, FMT)]
    return [parts for parts in chunks if parts.nonzeros]


def one(frame: Frame) -> Parts:
    (parts,) = coded(frame)
    return parts


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
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
    decoder = LaneDecoder(dut, stall, stall)
    for name, error, parts in faults():
        await decoder.reset()
        decoder.send(parts)
        await decoder.cycles(8 * parts.nonzeros + 200)
        assert dut.fault.value == error, f"{name}: called {dut.fault.value}"
        assert len(decoder.exponents.moved) <= parts.nonzeros
    await decoder.reset()
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


def runs(cycles: Sequence[int], counts: Iterable[int]) -> Iterable[Sequence[int]]:
    """Cut cycles into runs of these lengths."""
    at = 0
    for count in counts:
        yield cycles[at : at + count]
        at += count


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    decoder = LaneDecoder(dut)
    await decoder.reset()
    frames = corners.Corners(FMT, TABLES)
    counts = (1024, 600, 13, 1024)
    await decoder.check([(f"{count} values", frames.gradient(count)) for count in counts])
    assert decoder.exponents.moved[0] - decoder.lanes.moved[0] == CONTRACT.latency
    starts = []
    for cycles in runs(decoder.exponents.moved, counts):
        starts.append(cycles[0])
        steady = cycles[: -POINT.lanes]  # then comes the turn
        assert steady == list(range(cycles[0], cycles[0] + len(steady), CONTRACT.interval))
    for count, start, following in zip(counts, starts, starts[1:], strict=False):
        odd = -(-count // POINT.block) % 2
        assert following - start == count + -count % POINT.lanes + OVERHEAD + odd
