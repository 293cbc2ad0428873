# SPDX-License-Identifier: Apache-2.0
"""zero_bitmap: the part zeros of every chunk is the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from hls.bitmap_words import SUMMARY_PAUSE, WORD
from hls.point import POINT
from hls.zero_bitmap import CHUNK_PAUSE, CONTRACT

GROUPS = POINT.chunk // setting.width()  # of a chunk
SUMMARY = WORD * WORD // setting.width()  # groups of a word of the summary


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(name: str, chunk: Stages) -> Case:
    flags = chunk.flag_words
    return Case(name, {"s_axis": flags}, {"m_axis": chunk.zeros_words}, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def maps_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def maps_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 40, 300, 620])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def fills_its_memory(dut: Any) -> None:
    """More chunks than it holds, before the first leaves: the input waits, and none is lost."""
    tb = block(dut, stall=waits(6 * GROUPS))
    await tb.reset()
    frames = corners()
    sizes = POINT.chunk, 40, 1, POINT.chunk, 1, 1, POINT.chunk, POINT.chunk, 33
    await tb.check(cases([(f"{n} values", frames.gradient(n, zeros=0.5)) for n in sizes]))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(2 * POINT.chunk, zeros=0.5)
    await tb.check(cases([("half zeros", frame)]))
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    assert offered[0] - taken[GROUPS - 1] == CONTRACT.latency
    steps = [b - a for a, b in pairwise(taken)]
    summaries = range(SUMMARY - 1, len(steps), SUMMARY)  # that are complete with this flag
    for i, step in enumerate(steps):
        pause = 0 if i not in summaries else CHUNK_PAUSE if i == GROUPS - 1 else SUMMARY_PAUSE
        assert step == CONTRACT.interval + pause, f"group {i + 1} was taken {step} cycles after {i}"
    words = len(next(cases([("", frame)])).outputs["m_axis"])
    assert offered[:words] == list(range(offered[0], offered[0] + words, CONTRACT.interval))
