# SPDX-License-Identifier: Apache-2.0
"""block_max: every exponent comes with the maximum of its block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners, present
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from hls.block_max import EXPONENT
from hls.point import POINT

CONTRACT, WIDTH = setting.configuration().contract, setting.width()
GROUPS = POINT.block // WIDTH
VIEW = present(EXPONENT)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(name: str, chunk: Stages) -> Case:
    exponents = chunk.exponent_words
    return Case(name, {"s_axis": exponents}, {"m_axis": chunk.maxima_words}, len(chunk.exponents))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames) if chunk.nonzeros)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def finds_maxima_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), VIEW)
    await tb.check(cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def finds_maxima_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 300, 515, 900])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases([("dense", corners().gradient(2 * POINT.chunk))]), VIEW)
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    for cycles in taken, offered:
        assert cycles == list(range(cycles[0], cycles[0] + len(cycles), CONTRACT.interval))
    assert offered[0] - taken[GROUPS - 1] == CONTRACT.latency


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def holds_two_blocks(dut: Any) -> None:
    """One leaves and one waits; a third may enter, but not end before the second leaves."""
    tb = block(dut, stall=waits(600))
    await tb.reset()
    await tb.check(cases([(f"chunk {i}", corners().gradient(9)) for i in range(5)]), VIEW)
    third_end = 3 * -(-9 // WIDTH) - 1
    taken, first = tb.moved("s_axis"), tb.moved("m_axis")[0]
    assert taken[third_end - 1] < first < taken[third_end]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def is_full_in_time(dut: Any) -> None:
    """It holds a block, and what may enter before its first group has left."""
    tb = block(dut, stall=waits(1200))
    await tb.reset()
    await tb.check(cases([("dense", corners().gradient(POINT.chunk))]), VIEW)
    assert CONTRACT.latency is not None
    room = GROUPS + CONTRACT.latency
    taken, first = tb.moved("s_axis"), tb.moved("m_axis")[0]
    assert taken[room - 1] < first < taken[room]
