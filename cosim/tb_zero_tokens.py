# SPDX-License-Identifier: Apache-2.0
"""zero_tokens: classes, extra bits and costs of every chunk's runs are the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench.block import Block, Case, Fields, chunks, corners, kept, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.point import POINT
from hls.zero_tokens import BYTE_LATENCY, CONTRACT, SUMS_LATENCY


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, ["s_axis"], ["m_class", "m_axis"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    outputs = {
        "m_class": chunk.class_words,
        "m_axis": chunk.token_words,
    }
    return Case(name, {"s_axis": chunk.pair_words}, outputs, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


def view(stream: str, word: Word) -> Fields:
    """What is compared: of the classes' last word nothing."""
    data, keep, user, last = kept(stream, word)
    return 0 if stream == "m_class" and last else data, keep, user, last


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def codes_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def codes_every_class(dut: Any) -> None:
    """The least and the greatest number of every class, as distance and as run."""
    tb = block(dut)
    await tb.reset()
    runs = corners().runs
    bounds = [number for c in range(12) for number in (1 << c, (1 << c) + 1)]
    frames = [(f"{n}, 1", runs(n, 1)) for n in bounds if n < POINT.chunk]
    frames += [(f"1, {n}, 3, {n}", runs(1, n, 3, n)) for n in bounds]
    frames += [("all zeros", runs(0, POINT.chunk)), ("one, last", runs(POINT.chunk - 1, 1))]
    await tb.check(cases(frames), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def codes_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    runs = corners().runs
    await tb.check(cases(corners().chunks()), view)
    await tb.check(cases([("most pairs", runs(*[1] * POINT.chunk))]), view)
    await tb.check(cases([("most bits", runs(*[5] * (POINT.chunk // 5)))]), view)
    for numbers in (200, 3000, 4, 8), (100, 1900, 1000, 500), (1, 250, 3100, 4, 100, 12):
        await tb.check(cases([(f"many bits at once {numbers}", runs(*numbers))]), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 3, 40, 130])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.5))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Chunks of pairs without extra bits; with 8 of one token, or of both; with 6, 11 and 1."""
    tb = block(dut)
    await tb.reset()
    runs = corners().runs
    frames = [runs(*[1, 1] * 4), runs(*[1, 257] * 4), runs(*[257, 257] * 4)]
    frames.append(runs(1, 65, 1, 2049, 1, 3))
    await tb.check(cases([(f"{len(frame)} values", frame) for frame in frames]), view)
    taken = tb.moved("s_axis")
    one, two = CONTRACT.interval, CONTRACT.interval + 1
    expected = [one] * 3 + [3]  # to the last word: the sums come when nothing is left
    expected += [one] * 4 + [4]
    expected += [two] * 4 + [4]
    expected += [one] * 3 + [5]  # 11 bits behind 6: a byte leaves before the next enter
    assert [b - a for a, b in pairwise(taken)] == expected
    ends = 4, 9, 14, 18
    assert lags(tb.moved("m_class"), taken) == {CONTRACT.latency}
    put = tb.moved("m_axis")  # 4 bytes and sums, 8 and sums, 3 and sums
    assert lags(put[1:5], taken[5:9]) == {BYTE_LATENCY}
    assert lags(put[7:14:2], taken[10:14]) == {BYTE_LATENCY}
    assert lags([put[i] for i in (0, 5, 14, 18)], [taken[end] for end in ends]) == {SUMS_LATENCY}
