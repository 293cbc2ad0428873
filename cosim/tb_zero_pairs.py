# SPDX-License-Identifier: Apache-2.0
"""zero_pairs: distances and runs of every chunk are the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from hls.point import POINT
from hls.zero_pairs import CHUNK_PAUSE, CONTRACT

WIDTH = setting.width()
GROUPS = POINT.chunk // WIDTH  # of a chunk


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(name: str, chunk: Stages) -> Case:
    return Case(name, {"s_axis": chunk.flag_words}, {"m_axis": chunk.pair_words}, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


def pattern(flags: Iterable[int]) -> Frame:
    """A frame with zeros where the flags are set."""
    (value,) = corners().gradient(1)
    return [0 if flag else value for flag in flags]


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def counts_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def counts_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))
    await tb.check(cases([("a chunk of pairs", pattern([0, 1] * (POINT.chunk // 2)))]))
    await tb.check(cases([("zeros, last", pattern([0] * (POINT.chunk - 1) + [1]))]))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def counts_every_pattern(dut: Any, stall: Stall) -> None:
    """All flags of two groups, before and behind each other."""
    tb = block(dut, stall=stall)
    await tb.reset()
    await tb.check(cases((f"{flags}", pattern(flags)) for flags in product((0, 1), repeat=8)))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 3, 40, 300])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.5))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Runs that end in the first values of every other group."""
    tb = block(dut)
    await tb.reset()
    frame = pattern(([1] * WIDTH + [0] * WIDTH) * GROUPS)
    await tb.check(cases([("runs", frame)]))
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    for i, (a, b) in enumerate(pairwise(taken)):
        assert b - a == CONTRACT.interval + (CHUNK_PAUSE if i == GROUPS else 0), f"group {i}"
    assert [b - a for a, b in zip(taken[1::2], offered, strict=False)][: GROUPS // 2] == [
        CONTRACT.latency
    ] * (GROUPS // 2)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def pauses_for_the_second_of_two_pairs(dut: Any) -> None:
    """Only a group of four values can end two runs."""
    tb = block(dut)
    await tb.reset()
    await tb.check(cases([("pairs", pattern([1, 0] * 100))]))
    steps = [b - a for a, b in pairwise(tb.moved("s_axis"))]
    assert set(steps[WIDTH:]) == {CONTRACT.interval + (WIDTH == 4)}
