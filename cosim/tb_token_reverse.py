# SPDX-License-Identifier: Apache-2.0
"""token_reverse: the classes of every chunk with known runs are the reference's, backwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb
from reference.profile import PROFILES

from cosim.bench import setting
from cosim.bench.block import Block, Case, Fields, chunks, corners, kept, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from cosim.bench.streams import Word
from hls.point import MOST_PAIRS, POINT
from hls.token_reverse import CONTRACT, ROUND, SLOTS, pairs_at_once

PROFILE = PROFILES["hw2-n8-c4096"]
INPUTS = "s_axis", "s_choice"


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, idle=idle, stall=stall)


def case(name: str, chunk: Stages) -> Case:
    inputs = chunk.class_words, [chunk.choice_word]
    outputs = {"m_axis": chunk.backwards_class_words}
    return Case(name, dict(zip(INPUTS, inputs, strict=True)), outputs, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames, PROFILE))


def view(stream: str, word: Word) -> Fields:
    """What is compared: nothing more of a word without a pair."""
    data, keep, user, last = kept(stream, word)
    return (data, keep, user, last) if user & 1 else (0, 0, 0, last)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def reverses_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)
    await tb.check(cases(corners().rounds()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def reverses_chunks(dut: Any) -> None:
    """The most pairs that may be coded, and more, which are not."""
    tb = block(dut)
    await tb.reset()
    frames = corners()
    await tb.check(cases(frames.chunks()), view)
    most = frames.runs(*[1, 3] * MOST_PAIRS)
    parts = [("most pairs", most), ("more", frames.runs(*[1, 1] * (POINT.chunk // 2)))]
    await tb.check(cases([*parts, ("a few", frames.runs(*[40, 60] * 5)), *parts]), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def fills_its_memory(dut: Any) -> None:
    """More chunks than it holds, before the first leaves: the input waits, and none is lost."""
    tb = block(dut, stall=waits(4 * MOST_PAIRS))
    await tb.reset()
    runs, few = corners().runs, (300, 7, 512, 30, 3, 400)
    assert len(few) > SLOTS
    await tb.check(cases([(f"{pairs} pairs", runs(*[3, 5] * pairs)) for pairs in few]), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 3, 40, 130])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().runs(*[3, 5] * 80))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(lacking=range(ROUND))
async def keeps_its_contract(dut: Any, lacking: int) -> None:
    """A chunk whose last round lacks so many pairs."""
    tb = block(dut)
    await tb.reset()
    pairs = 3 * ROUND - lacking
    frame = corners().runs(*[40, 60] * pairs)
    await tb.check(cases([("first", frame), ("second", frame)]), view)
    taken, chosen, offered = tb.moved("s_axis"), tb.moved("s_choice"), tb.moved("m_axis")
    words, steps = pairs + 1, [b - a for a, b in pairwise(taken)]
    assert steps[: words - 1] == [CONTRACT.interval] * (words - 1)
    assert steps[words - 1] == CONTRACT.interval + 1 + lacking
    assert chosen[0] - taken[words - 1] == 1 + lacking
    packet = 3 * ROUND // pairs_at_once(setting.width())
    assert lags(offered[::packet], [chosen[0], max(chosen[1], offered[packet - 1])]) == {
        CONTRACT.latency
    }
    assert offered[:packet] == list(range(offered[0], offered[0] + packet))
