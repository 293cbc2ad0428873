# SPDX-License-Identifier: Apache-2.0
"""raw_join: exponents, raw bytes and flags of zeros become the values of the frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb
from reference.encode import raw_strings

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, corners
from cosim.bench.corners import Frame
from cosim.bench.parts import code_words, raw_span
from cosim.bench.stages import Stages, group_words
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.point import POINT
from hls.raw_join import CONTRACT, TRIPLE, TURN

FMT = setting.configuration().fmt
assert FMT, "raw_join is built for a number format"
WIDTH = setting.width()
WORD = 4 * WIDTH
RAW_BYTES = FMT.raw // 8
LATENCY = CONTRACT.latency or 0
assert LATENCY, "it is the same for all chunks"
INPUTS = ["s_flags", "s_span", "s_exponents", "s_raw", "s_tail"]


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, ["m_axis"], idle, stall)


def case(name: str, chunk: Stages, start: int) -> Case:
    """A chunk whose raw bytes begin so far into it, whatever its parts would be."""
    trailing = trailing_bytes(chunk)
    spans = chunk.spans
    raw = raw_strings(chunk.raws, spans, [8 * trailing] * len(spans), chunk.dtype)
    stored, tail = raw[: -POINT.tail], (bytes(POINT.tail) + raw)[-POINT.tail :]
    inputs: dict[str, list[Word]] = {"s_flags": chunk.known_zeros}
    if chunk.nonzeros:
        words = code_words(stored, start, WIDTH)
        inputs |= {
            "s_span": [Word(raw_span(start + len(raw) - POINT.tail, len(raw), trailing, WIDTH))],
            "s_exponents": group_words(chunk.exponents, chunk.fmt.exponent, WIDTH),
            "s_raw": [Word(word.tdata, tlast=word.tlast) for word in words],
            "s_tail": [Word(int.from_bytes(tail, "little"))],
        }
    outputs = {"m_axis": chunk.value_words}
    return Case(name, inputs, outputs, len(chunk.values))


def trailing_bytes(chunk: Stages) -> int:
    """Whole bytes of the mantissa that are 0 in all its values other than zero."""
    low = 0
    for raw in chunk.raws:
        low |= raw
    return min(RAW_BYTES - 1, ((low & -low).bit_length() - 1) // 8) if low else 0


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    """Raw bytes begin at each byte of a word in turn."""
    return (case(name, chunk, 60 + i) for i, (name, chunk) in enumerate(chunks(frames)))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def joins_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def joins_stripped_parts(dut: Any, stall: Stall) -> None:
    tb = block(dut, stall, stall)
    await tb.reset()
    frames = list(corners().stripped())
    found = {trailing_bytes(chunk) for _, chunk in chunks(frames)}
    assert found == set(range(RAW_BYTES if RAW_BYTES == TRIPLE else 1))
    await tb.check(cases(frames))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def joins_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def joins_short_chunks_that_begin_anywhere(dut: Any, stall: Stall) -> None:
    """So that every number of raw bytes meets every place of a word, and every number of zeros."""
    tb = block(dut, stall, stall)
    await tb.reset()
    frames, cut = corners(), []
    for count in range(1, 3 * POINT.tail + 2):
        for start in range(4 * WIDTH):
            for nonzeros in {count, max(1, count - 3)}:
                frame = frames.with_nonzeros(count, nonzeros)
                ((_, chunk),) = chunks([("", frame)])
                cut.append(case(f"{nonzeros} of {count} values from {start}", chunk, start))
    await tb.check(cut)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(count=[1, 2, 40])
async def waits_for_the_last_bytes(dut: Any, count: int) -> None:
    """They come when all exponents of the chunk have, and other groups must not."""
    tb = block(dut)
    await tb.reset()
    ((_, chunk),) = chunks([("", corners().gradient(count))])
    whole = case("late", chunk, 61)
    expected = whole.outputs["m_axis"]
    tb.send(Case("before", {**whole.inputs, "s_tail": []}, {}))
    await tb.cycles(100)
    assert len(tb.moved("m_axis")) < len(expected), "a value came before its bytes"
    tb.sources["s_tail"].send(whole.inputs["s_tail"])
    words = await tb.within(100, tb.sinks["m_axis"].words(len(expected)))
    assert [word.tdata for word in words] == [word.tdata for word in expected]


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[3, 50, 51, 52])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(900, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """A group a cycle, however many of its values are zero, and what a chunk's turn costs."""
    tb = block(dut)
    begins = [15 * WORD - 1, 16 * WORD, 16 * WORD + 1]  # in words, the second at their border
    for zeros in (0.0, 0.1, 0.7):
        await tb.reset()
        frame = corners().gradient(len(begins) * POINT.chunk, zeros)
        for at in range(0, len(frame), POINT.chunk):
            frame[at] = corners().value(90)  # a group of zeros would not wait
        cut = chunks([("frame", frame)])
        sent = [case(name, chunk, at) for (name, chunk), at in zip(cut, begins, strict=True)]
        await tb.check(sent)
        groups, late, delays, starts = POINT.chunk // WIDTH, [], [], []
        taken, given = tb.moved("s_flags"), tb.moved("m_axis")
        for i, one in enumerate(sent):
            here = slice(i * groups, (i + 1) * groups)
            lags = [b - a - LATENCY for a, b in zip(taken[here], given[here], strict=True)]
            late.append(sum(lags))
            delays.append(sum(lags[:-1]))  # of the input: no group is behind the last
            starts.append(taken[here][0])
            first = WIDTH - one.inputs["s_flags"][0].tdata.bit_count()
            before, borders = (begins[i] - 1) % WORD, range(WORD // 2, WORD - 1)
            waits = before in borders and before + first * RAW_BYTES >= WORD + WORD // 2
            assert lags[0] == waits
            lags[0] = 0
            assert sum(lags) <= 2, "others wait than those that first need a half of the last word"
            waiting = [j for j, lag in enumerate(lags) if lag]
            if waiting:
                behind = one.inputs["s_flags"][waiting[0] + 1 :]
                values = sum(WIDTH - word.tdata.bit_count() for word in behind)
                assert values * RAW_BYTES < WORD + POINT.tail, "a group waits for no reason"
        turns = [b - a - groups * CONTRACT.interval for a, b in pairwise(starts)]
        assert turns == [TURN + late[0], TURN + late[1]]
        assert taken[-1] - starts[-1] == groups - 1 + delays[-1]
