# SPDX-License-Identifier: Apache-2.0
"""huff_choice: the header of every block is the reference's choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import cocotb
from reference.profile import PROFILES

from cosim.bench import setting
from cosim.bench.bench import test_where
from cosim.bench.block import Block, Case, chunks, codec, corners, lags, present
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.table_port import assert_used, write_tables
from hls.huff_choice import CONTRACT, EXPONENT, header_latency
from hls.point import POINT, RAW, Tables

(FMT, TABLES), WIDTH = codec(), setting.width()
STRIDE = setting.configuration().parameters.get("stride", 1)
PROFILE = PROFILES[{1: "hw-n8-c4096", 4: "hw2-n8-c4096"}[STRIDE]]
LOADABLE = setting.loadable()
GROUPS = POINT.block // WIDTH
VIEW = present(EXPONENT)
LATENCIES = header_latency(TABLES, WIDTH, STRIDE)


class Choice(Block):
    """The DUT, with its tables written after each reset if it is loadable."""

    async def reset(self) -> None:
        await super().reset()
        if LOADABLE:
            await write_tables(self, TABLES)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Choice:
    return Choice(dut, ["s_axis"], ["m_axis", "m_header"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    outputs = {"m_axis": chunk.exponent_words, "m_header": chunk.header_words}
    return Case(name, {"s_axis": chunk.maxima_words}, outputs, len(chunk.exponents))


def seen(frame: Frame) -> Frame:
    """A frame of which the values that count are these."""
    return [value for value in frame for _ in range(STRIDE)]


def share(frame: Frame) -> Frame:
    """One of every STRIDE values, of each exponent its share."""
    return sorted(frame, key=lambda value: value % 2 ** (FMT.width - 1))[STRIDE // 2 :: STRIDE]


def cases(frames: Iterable[tuple[str, Frame]], tables: Tables | None = None) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames, PROFILE, tables) if chunk.nonzeros)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def chooses_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), VIEW)
    await tb.check(cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def chooses_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 15, 300, 460])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def chooses_every_table(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frames = corners()
    blocks = [(f"table {t}", seen(share(frames.block_of(t)))) for t in range(len(TABLES))]
    blocks += [(f"as cheap raw {i}", seen(frame)) for i, frame in enumerate(frames.as_cheap_raw())]
    blocks += [("raw", frames.noise(POINT.block))]
    chosen = {table for _, chunk in chunks(blocks, PROFILE) for _, table in chunk.headers}
    assert chosen == {*range(len(TABLES)), RAW}
    await tb.check(cases(blocks), VIEW)


@test_where(LOADABLE, timeout_time=20, timeout_unit="ms")
async def takes_other_tables(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    for tables, frames in corners().relearned():
        named = [
            (name, seen(share(frame)) if len(frame) == POINT.block else frame)
            for name, frame in frames
        ]
        coded = chunks(named, PROFILE, tables)
        assert_used({table for _, chunk in coded for _, table in chunk.headers}, tables)
        await write_tables(tb, tables)
        await tb.check(cases(named, tables), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(2 * POINT.chunk)
    await tb.check(cases([("dense", frame)]), VIEW)
    taken = tb.moved("s_axis")
    assert taken == list(range(taken[0], taken[0] + len(frame) // WIDTH, CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken) == {CONTRACT.latency}
    (lag,) = lags(tb.moved("m_header"), taken[GROUPS - 1 :: GROUPS])
    assert lag in LATENCIES


async def short_blocks(tb: Block) -> tuple[list[int], list[int]]:
    """Check blocks of a few groups; when they ended, and when their headers moved."""
    sizes, frames = [n % 9 + 1 for n in range(99)], corners()
    await tb.check(cases([(f"{size} values", frames.gradient(size)) for size in sizes]), VIEW)
    ends = [end - 1 for end in accumulate(-(-size // WIDTH) for size in sizes)]
    taken = tb.moved("s_axis")
    return [taken[end] for end in ends], tb.moved("m_header")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_short_blocks_apart(dut: Any) -> None:
    """The last group of a block waits until the header before it has left."""
    tb = block(dut)
    await tb.reset()
    ends, headers = await short_blocks(tb)
    assert lags(ends[1:], headers[:-1]) == {1}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def offers_headers_in_time(dut: Any) -> None:
    """However the groups fall into turns."""
    tb = block(dut, coin)
    await tb.reset()
    ends, headers = await short_blocks(tb)
    found = lags(headers, ends)
    assert (min(found), max(found)) == (LATENCIES[0], LATENCIES[-1])
