# SPDX-License-Identifier: Apache-2.0
"""zero_runs: the part zeros and the tokens of every chunk are the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import cocotb
from reference.profile import PROFILES

from cosim.bench import setting
from cosim.bench.block import Block, Case, Fields, chunks, corners
from cosim.bench.corners import Frame, samples
from cosim.bench.stages import Stages
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.point import FP32, MOST_PAIRS, POINT
from hls.zero_runs import CHUNK_PAUSE, CONTRACT

PROFILE = PROFILES["hw2-n8-c4096"]
GROUPS = POINT.chunk // setting.width()  # of a chunk
INPUTS, OUTPUTS = ("s_axis", "s_chunk"), ("m_token", "m_axis")


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, OUTPUTS, idle, stall)


def case(name: str, chunk: Stages) -> Case:
    inputs = chunk.flag_words, [Word(len(chunk.nonzeros))]
    outputs = chunk.backwards_class_words, chunk.part_words
    return Case(
        name,
        dict(zip(INPUTS, inputs, strict=True)),
        dict(zip(OUTPUTS, outputs, strict=True)),
        len(chunk.values),
    )


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames, PROFILE))


def view(stream: str, word: Word) -> Fields:
    """What is compared: no bytes of a word without any, nothing more of one without a pair."""
    data, user = word.tdata, word.tuser
    if stream == "m_axis" and not word.tkeep:
        data = 0
    elif stream == "m_token" and not user & 1:
        data = user = 0
    return data, word.tkeep, user, word.tlast


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def writes_zeros_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)
    await tb.check(cases(corners().rounds()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def writes_zeros_of_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    frames = corners()
    await tb.check(cases(frames.chunks()), view)
    pairs = [("most pairs", frames.runs(*[1, 3] * MOST_PAIRS))]
    pairs.append(("a chunk of pairs", frames.runs(*[1, 1] * (POINT.chunk // 2))))
    pairs.append(("long runs", frames.runs(2000, 3000, 500, 1, 1, 1, 30, 90)))
    await tb.check(cases(pairs), view)
    for name, frame in samples(FP32, 4 if setting.full() else 1):
        await tb.check(cases([(name, frame)]), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 40, 300, 620])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """Runs that end with values, so that no pair is the chunk's last word but one."""
    tb = block(dut)
    await tb.reset()
    frame = corners().runs(*[96, 32] * 31, 96, 16, 16)
    await tb.check(cases([("runs", 3 * frame)]), view)
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    for end in range(GROUPS - 1, 2 * GROUPS, GROUPS):
        assert taken[end + 1] - taken[end] == CONTRACT.interval + CHUNK_PAUSE
    words = len(next(cases([("", frame)])).outputs["m_axis"])
    assert [offered[i * words] - taken[(i + 1) * GROUPS - 1] for i in range(3)] == [
        CONTRACT.latency
    ] * 3


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def keeps_up_with_gradients(dut: Any) -> None:
    """The flags of real gradients, taken without a stall, must not cost 3 % of W values a cycle."""
    tb = block(dut)
    for name, frame in samples(FP32, 6):
        await tb.reset()
        await tb.check(cases([(name, frame)]), view)
        taken = tb.moved("s_axis")
        rate = (len(frame) - setting.width()) / (taken[-1] - taken[0])
        assert rate >= 0.97 * setting.width(), f"{name}: {rate:.3f} values a cycle"
