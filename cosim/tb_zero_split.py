# SPDX-License-Identifier: Apache-2.0
"""zero_split: non-zeros, flags and totals of every chunk are the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners, lags, present
from cosim.bench.corners import Frame
from cosim.bench.frames import values_to_words
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.point import POINT
from hls.zero_split import CONTRACT, FLAG_LATENCY, chunk_latency, turns

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "zero_split is built for a number format"
FMT = CONFIGURATION.fmt
WIDTH = setting.width()
OPTIONS = FMT, WIDTH, bool(CONFIGURATION.parameters.get("trailing"))
VIEW = present(FMT.width)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    outputs = ["m_axis", "m_flag", "m_chunk"]
    return Block(dut, ["s_axis"], outputs, idle, stall, partial=["m_axis"])


def value_words(chunk: Stages) -> list[Word]:
    """Words of s_axis: the frame ends with its last chunk."""
    words = values_to_words(chunk.values, FMT, WIDTH)
    return [replace(word, tlast=word.tlast and int(chunk.last)) for word in words]


def case(name: str, chunk: Stages) -> Case:
    outputs = {
        "m_axis": chunk.nonzero_words,
        "m_flag": chunk.flag_words,
        "m_chunk": [chunk.totals_word],
    }
    return Case(name, {"s_axis": value_words(chunk)}, outputs, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def splits_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), VIEW)
    await tb.check(cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def splits_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), VIEW)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def splits_any_length(dut: Any) -> None:
    """Every end of a frame in a group, after every number of non-zeros that are held."""
    tb = block(dut)
    await tb.reset()
    frames = corners()
    ends = [
        (f"{nonzeros} of {count} values", frames.with_nonzeros(count, nonzeros))
        for count in range(1, 3 * WIDTH + 1)
        for nonzeros in range(count + 1)
    ]
    await tb.check(cases(ends), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 2, 3, 33, 90])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), VIEW)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(2 * POINT.chunk)
    await tb.check(cases([("dense", frame)]), VIEW)
    groups, pause = POINT.chunk // WIDTH, turns(*OPTIONS)
    taken = tb.moved("s_axis")
    due = [taken[0] + i * CONTRACT.interval + i // groups * pause for i in range(2 * groups)]
    assert taken[1:] == [cycle + 1 for cycle in due[:-1]]  # as the group before moves on
    assert lags(tb.moved("m_axis"), due) == {CONTRACT.latency}
    assert lags(tb.moved("m_flag"), due) == {FLAG_LATENCY}
    assert lags(tb.moved("m_chunk"), due[groups - 1 :: groups]) == {chunk_latency(*OPTIONS)}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def takes_off_what_the_last_group_lacks(dut: Any) -> None:
    tb = block(dut)
    for lacking in range(WIDTH):
        await tb.reset()
        await tb.check(cases([("short", corners().gradient(3 * WIDTH - lacking))]), VIEW)
        (came,), end = tb.moved("m_chunk"), tb.moved("s_axis")[-1]
        assert came - end == chunk_latency(*OPTIONS, lacking)
