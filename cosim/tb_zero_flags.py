# SPDX-License-Identifier: Apache-2.0
"""zero_flags: flags are where the bitmap has them, and frames end where they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb
from reference.zeros import write_bitmap

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import INDEX, Stages, whole_words
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.chunk_parse import ALL_ZEROS, BITMAP
from hls.point import POINT
from hls.zero_flags import CONTRACT, WORD

WIDTH = setting.width()


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, ["s_zeros", "s_bitmap"], ["m_axis"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    count, nonzeros = len(chunk.values), len(chunk.nonzeros)
    zeros = 0 if nonzeros == count else BITMAP if nonzeros else ALL_ZEROS
    words = whole_words(write_bitmap(chunk.values)) if zeros == BITMAP else []
    summaries = -(-count // WORD**2)
    head = (zeros << 1 | chunk.last) << INDEX | count - 1
    inputs = {
        "s_zeros": [Word(word) for word in (head, *words[:summaries])],
        "s_bitmap": [Word(word) for word in words[summaries:]],
    }
    return Case(name, inputs, {"m_axis": chunk.known_zeros}, count)


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def flags_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases([("summaries", corners().gradient(2100, zeros=0.04))]))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def flags_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))
    frames = corners()
    for count in (1023, 1024, 1025, 2 * POINT.chunk):
        await tb.check(cases([(f"{count} values", frames.gradient(count, zeros=0.1))]))
    few = frames.with_nonzeros(POINT.chunk, POINT.chunk - 3)
    await tb.check(cases([("few zeros", few), ("few values", frames.with_nonzeros(4097, 3))]))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[2, 9, 33, 200])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(1500, zeros=0.5))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """A group a cycle, whatever must be looked up, and a cycle more a chunk."""
    tb = block(dut)
    for zeros in (0, 0.01, 0.5, 1):
        await tb.reset()
        await tb.check(cases([("frame", corners().gradient(3 * POINT.chunk, zeros))]))
        groups, moved = POINT.chunk // WIDTH, tb.moved("m_axis")
        assert moved[0] - tb.moved("s_zeros")[0] == CONTRACT.latency
        starts = moved[::groups]
        assert [b - a for a, b in pairwise(starts)] == [groups * CONTRACT.interval + 1] * 2
        assert lags(moved[1:groups], moved[: groups - 1]) == {CONTRACT.interval}
