# SPDX-License-Identifier: Apache-2.0
"""zero_part: the part zeros of every chunk is the reference's, whichever is the smaller."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb
from reference.choose import Tokens
from reference.profile import PROFILES
from reference.zeros import KNOWN_TABLES

from cosim.bench import setting
from cosim.bench.block import Block, Case, Fields, chunks, corners
from cosim.bench.corners import Frame, samples
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from cosim.bench.streams import Word
from hls.bitmap_words import SUMMARY_PAUSE, WORD
from hls.point import FP32, MOST_PAIRS, POINT
from hls.zero_part import CHUNK_PAUSE, CHUNKS, CONTRACT

PROFILE = PROFILES["hw2-n8-c4096"]
GROUPS = POINT.chunk // setting.width()  # of a chunk
SUMMARY = WORD * WORD // setting.width()  # groups of a word of the summary
INPUTS, OUTPUTS = ("s_axis", "s_runs", "s_chunk"), ("m_choice", "m_axis")


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, OUTPUTS, idle, stall)


def case(name: str, chunk: Stages) -> Case:
    nonzeros = Word(len(chunk.nonzeros))
    inputs = chunk.flag_words, chunk.token_words, [nonzeros]
    outputs = [chunk.choice_word], chunk.part_words
    return Case(
        name,
        dict(zip(INPUTS, inputs, strict=True)),
        dict(zip(OUTPUTS, outputs, strict=True)),
        len(chunk.values),
    )


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames, PROFILE))


def view(stream: str, word: Word) -> Fields:
    """What is compared: not the bytes of a word without any, nor tables that are not used."""
    data, keep, user, last = word.tdata, word.tkeep, word.tuser, word.tlast
    if stream == "m_axis" and not keep:
        data = 0
    elif stream == "m_choice" and not data & 1:
        data &= ~2
    return data, keep, user, last


def costs(frame: Frame) -> tuple[int, list[int]]:
    """Bits of the bitmap, and of known runs with either pair of tables."""
    ((_, chunk),) = chunks([("", frame)], PROFILE)
    classes, extra = chunk.runs
    tokens = [Tokens(0, classes, tables, extra, i) for i, tables in enumerate(KNOWN_TABLES)]
    return 8 * len(chunk.zeros), [t.cost() for t in tokens]


def ties() -> Iterator[tuple[str, Frame]]:
    """Frames whose bitmap costs as much as runs, or these as much with both pairs of tables."""
    rng, wanted = random.Random(setting.seed()), {"bitmap": 3, "tables": 3}
    for _ in range(5000):
        numbers = [rng.choice((1, 1, 2, 3, 5, 9, 40)) for _ in range(2 * rng.randrange(4, 20))]
        frame = corners().runs(*numbers)
        bitmap, runs = costs(frame)
        tie = "bitmap" if bitmap == min(runs) else "tables" if len({*runs}) == 1 else ""
        if wanted.get(tie) and min(runs) <= bitmap:
            wanted[tie] -= 1
            yield f"as cheap: {tie}", frame
            if not any(wanted.values()):
                return
    raise AssertionError(f"no such frames were found: {wanted}")


def most_pairs() -> Iterator[tuple[str, Frame]]:
    """As many pairs as known runs may have, and one more, though they would be cheaper."""
    runs = corners().runs
    numbers = [1, 3] * MOST_PAIRS
    yield "most pairs", runs(*numbers)
    yield "a pair too many", runs(*numbers[:-2], 1, 1, 1, 1)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def chooses_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def chooses_for_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), view)
    sparse = corners().runs(2000, 3000, 500, 1, 1, 1, 30, 90)
    await tb.check(cases([("long runs", sparse)]), view)
    for name, frame in samples(FP32, 4 if setting.full() else 2):
        await tb.check(cases([(name, frame)]), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def takes_the_first_of_equals(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(ties()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def counts_pairs(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    most, too_many = most_pairs()
    for _, frame in most, too_many:
        bitmap, runs = costs(frame)
        assert min(runs) < bitmap
    await tb.check(cases([most, too_many]), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 40, 300, 620])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def fills_its_memory(dut: Any) -> None:
    """More chunks than it holds, before the first leaves: the input waits, and none is lost."""
    tb = Block(dut, INPUTS, OUTPUTS[:1])
    tb.sinks["m_axis"] = tb.sink("m_axis", waits((CHUNKS + 2) * GROUPS))
    await tb.reset()
    frames = corners()
    sizes = POINT.chunk, 40, 1, POINT.chunk, 1, 1, POINT.chunk, POINT.chunk, 33
    parts = [(f"{n} values", frames.gradient(n, zeros=0.5)) for n in sizes]
    parts.insert(3, ("runs", frames.runs(*[100, 28] * 32)))
    await tb.check(cases(parts), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frame = corners().gradient(POINT.chunk, zeros=0.5) + corners().runs(*[96, 32] * 32)
    await tb.check(cases([("a bitmap, then runs", frame)]), view)
    taken, offered, chosen = tb.moved("s_axis"), tb.moved("m_axis"), tb.moved("m_choice")
    steps = [b - a for a, b in pairwise(taken)]
    summaries = range(SUMMARY - 1, len(steps), SUMMARY)  # that are complete with this flag
    for i, step in enumerate(steps):
        pause = 0 if i not in summaries else CHUNK_PAUSE if i == GROUPS - 1 else SUMMARY_PAUSE
        assert step == CONTRACT.interval + pause, f"group {i + 1} was taken {step} cycles after {i}"
    parts = [case.outputs["m_axis"] for case in cases([("", frame)])]
    for chunk, part in enumerate(parts):
        begun = offered[0]
        assert begun - taken[(chunk + 1) * GROUPS - 1] == CONTRACT.latency
        words, offered = offered[: len(part)], offered[len(part) :]
        assert words == list(range(begun, begun + len(part), CONTRACT.interval))
    assert [b - a for a, b in zip(taken[GROUPS - 1 :: GROUPS], chosen, strict=True)] == [
        CHUNK_PAUSE + 1
    ] * len(parts)
