# SPDX-License-Identifier: Apache-2.0
"""zero_split: non-zeros, flags and totals of every chunk are the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import cocotb

from cosim.bench.block import Block, Case, chunks, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.point import POINT
from hls.zero_split import CHUNK_LATENCY, CONTRACT, FLAG_LATENCY


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, ["s_axis"], ["m_axis", "m_flag", "m_chunk"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    end = len(chunk.values) - 1
    values = [Word(v, tlast=int(chunk.last and i == end)) for i, v in enumerate(chunk.values)]
    outputs = {
        "m_axis": chunk.nonzero_words,
        "m_flag": chunk.flag_words,
        "m_chunk": [chunk.totals_word],
    }
    return Case(name, {"s_axis": values}, outputs, len(values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def splits_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def splits_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 2, 3, 33, 90])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(2 * POINT.chunk)
    await tb.check(cases([("dense", frame)]))
    taken = tb.moved("s_axis")
    assert taken == list(range(taken[0], taken[0] + len(frame), CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken) == {CONTRACT.latency}
    assert lags(tb.moved("m_flag"), taken) == {FLAG_LATENCY}
    ends = taken[POINT.chunk - 1 :: POINT.chunk]
    assert lags(tb.moved("m_chunk"), ends) == {CHUNK_LATENCY}
