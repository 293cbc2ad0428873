# SPDX-License-Identifier: Apache-2.0
"""code_schedule: the operations for every chunk, in the order of the coding pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import test_where
from cosim.bench.block import Block, Case, Fields, chunks, corners, kept
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages, operation_words
from cosim.bench.stalls import BOTH_SIDES, Stall, free
from cosim.bench.streams import Word
from hls.code_schedule import (
    CODE,
    CONTRACT,
    EXPONENT,
    HEADER,
    START,
    TOKEN,
    busy_cycles,
    operation_bits,
    token_operations,
)
from hls.point import POINT

WIDTH = setting.width()
RUNS = setting.runs()
INPUTS = ("s_chunk", "s_header", "s_axis", "s_token")[: 4 if RUNS else 3]
OUTPUTS = "m_axis", "m_chunk"
OPERATION = operation_bits(RUNS)
TRAILING = setting.profile().trailing > 0
THIRD_BYTE = TRAILING * 255 << (EXPONENT + OPERATION)  # of a header


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, OUTPUTS, idle, stall)


def case(name: str, chunk: Stages) -> Case:
    inputs = [[chunk.totals_word], chunk.header_words, chunk.backwards_words]
    inputs += [chunk.backwards_class_words] * RUNS
    outputs = operation_words(chunk), [chunk.counts_word]
    return Case(
        name,
        dict(zip(INPUTS, inputs, strict=True)),
        dict(zip(OUTPUTS, outputs, strict=True)),
        len(chunk.exponents),
    )


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


def view(stream: str, word: Word) -> Fields:
    """What is compared: of an operation without bytes or items, not these."""
    data, keep, user, last = kept(stream, word)
    if stream == "m_axis" and data % 2**OPERATION not in {START, CODE, TOKEN}:
        third = data & THIRD_BYTE if data % 2**OPERATION == HEADER else 0
        data = data & ~((2 ** (EXPONENT * WIDTH) - 1) << OPERATION) | third
    if stream == "m_axis" and data % 2**OPERATION != CODE:
        user = 0
    return data, keep, user, last


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def schedules_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)
    await tb.check(cases(corners().rounds()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def schedules_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[4, 14, 200, 620, 628])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    counts = 2 * POINT.chunk, 600, 13, 1
    frames = corners()
    first, *others = cases([(f"{n} values", frames.gradient(n)) for n in counts])
    early = first.inputs["s_header"]  # as they are long before a chunk's end
    tb.sources["s_header"].send(early)
    await tb.cycles(2 * POINT.blocks)
    first = replace(first, inputs={**first.inputs, "s_header": []})
    await tb.check([first, *others], view)
    offered, begun = tb.moved("m_axis"), tb.moved("m_chunk")
    start = offered[0]
    assert start - tb.moved("s_header")[len(early)] == CONTRACT.latency
    for count in (POINT.chunk, POINT.chunk, *counts[1:]):
        operations = busy_cycles(count, WIDTH) - 1
        behind = operations - POINT.lanes // WIDTH - -(-count // POINT.block)  # the values
        cycles, offered = offered[:operations], offered[operations:]
        assert cycles == [start + i + (RUNS and i >= behind) for i in range(operations)]
        start += busy_cycles(count, WIDTH) + RUNS
    assert not offered
    assert [b - a for a, b in pairwise(begun)] == [
        busy_cycles(count, WIDTH) + RUNS for count in (POINT.chunk, POINT.chunk, 600, 13)
    ]


@test_where(RUNS, timeout_time=2, timeout_unit="ms")
async def codes_tokens_at_its_rate(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    pairs, size = 32, POINT.block // 32
    frame = corners().runs(*[size, 32] * pairs)
    await tb.check(cases([("runs", frame), ("values", corners().gradient(5))]), view)
    offered, begun = tb.moved("m_axis"), tb.moved("m_chunk")
    busy = busy_cycles(size * pairs, WIDTH) + token_operations(pairs, WIDTH)
    assert offered[: busy - 1] == list(range(offered[0], offered[0] + busy - 1))
    assert begun[1] - begun[0] == busy
