# SPDX-License-Identifier: Apache-2.0
"""chunk_reverse: every packet of exponents comes back from its last to its first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners, present
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from hls.chunk_reverse import CONTRACT, EXPONENT, PACKET_PAUSE
from hls.point import POINT

GROUPS = POINT.chunk // setting.width()
VIEW = present(EXPONENT)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(name: str, chunk: Stages) -> Case:
    exponents = chunk.exponent_words
    return Case(
        name, {"s_axis": exponents}, {"m_axis": chunk.backwards_words}, len(chunk.exponents)
    )


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames) if chunk.nonzeros)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def reverses_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), VIEW)
    await tb.check(cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def reverses_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 200, 430, 600])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, coin], stall=[free, coin])
async def writes_behind_what_it_reads(dut: Any, idle: Stall, stall: Stall) -> None:
    """Full packets one behind the other, in both directions, with shorter ones between."""
    tb = block(dut, idle, stall)
    await tb.reset()
    frames, full = corners(), POINT.chunk
    sizes = full, full, full - 1, 3, full, 1, 1, full, full - 2, full
    await tb.check(cases([(f"{n} values", frames.gradient(n)) for n in sizes]), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases([("dense", corners().gradient(4 * POINT.chunk))]), VIEW)
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    for at in range(0, len(taken), GROUPS):
        end = at + GROUPS - 1
        assert offered[at] - taken[end] == CONTRACT.latency
        packet = offered[at : end + 1]
        assert packet == list(range(packet[0], packet[0] + len(packet), CONTRACT.interval))
    starts = offered[::GROUPS]
    assert {b - a for a, b in pairwise(starts[1:])} == {GROUPS + PACKET_PAUSE}
