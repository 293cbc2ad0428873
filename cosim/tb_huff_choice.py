# SPDX-License-Identifier: Apache-2.0
"""huff_choice: the header of every block is the reference's choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench.block import Block, Case, chunks, codec, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from hls.huff_choice import CONTRACT, header_latency
from hls.point import POINT, RAW

TABLES = codec()[1]


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, ["s_axis"], ["m_axis", "m_header"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    outputs = {"m_axis": chunk.exponent_words, "m_header": chunk.header_words}
    return Case(name, {"s_axis": chunk.maxima_words}, outputs, len(chunk.exponents))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames) if chunk.nonzeros)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def chooses_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def chooses_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 15, 300, 460])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def chooses_every_table(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frames = corners()
    blocks = [(f"table {t}", frames.block_of(t)) for t in range(len(TABLES))]
    blocks += [(f"as cheap raw {i}", frame) for i, frame in enumerate(frames.as_cheap_raw())]
    blocks += [("raw", frames.noise(POINT.block))]
    chosen = {table for _, chunk in chunks(blocks) for _, table in chunk.headers}
    assert chosen == {*range(len(TABLES)), RAW}
    await tb.check(cases(blocks))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(2 * POINT.chunk)
    await tb.check(cases([("dense", frame)]))
    taken = tb.moved("s_axis")
    assert taken == list(range(taken[0], taken[0] + len(frame), CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken) == {CONTRACT.latency}
    ends = taken[POINT.block - 1 :: POINT.block]
    assert lags(tb.moved("m_header"), ends) == {header_latency(TABLES)}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_short_blocks_apart(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frames = corners()
    await tb.check(cases([(f"value {i}", frames.gradient(1)) for i in range(5)]))
    steps = [b - a for a, b in pairwise(tb.moved("s_axis"))]
    assert steps == [header_latency(TABLES) + 1] * 4
