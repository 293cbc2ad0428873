# SPDX-License-Identifier: Apache-2.0
"""raw_strip: what remains of the raw parts is the reference's raw bytes, and the last of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import cocotb
from reference.encode import raw_strings

from cosim.bench import setting
from cosim.bench.block import Block, Case, chunks, codec, corners, lags
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages, group_words
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.point import POINT
from hls.raw_strip import CONTRACT, RAW_BYTES, TAIL, UNITS

FORMAT, _ = codec()
WIDTH = setting.width()
LEFT_OUT = range(RAW_BYTES)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, ["s_axis", "s_trailing"], ["m_axis", "m_chunk"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    """A chunk, of each of whose blocks some bytes are left out."""
    left_out = [random.choice(LEFT_OUT) for _ in chunk.spans]
    raw = raw_strings(chunk.raws, chunk.spans, [8 * n for n in left_out], chunk.dtype)
    words, at = [], 0
    for n, span in zip(left_out, chunk.spans, strict=True):
        for first in range(span.start, span.stop, WIDTH):
            size = min(WIDTH, span.stop - first) * (RAW_BYTES - n)
            units, last = -(-size // WIDTH), int(first + WIDTH >= len(chunk.raws))
            data = int.from_bytes(raw[at : at + size], "little")
            words.append(Word(data, (1 << units * WIDTH) - 1, tlast=last))
            at += size
    assert at == len(raw)
    tail = int.from_bytes((bytes(POINT.tail) + raw)[-POINT.tail :], "little")
    inputs = {
        "s_axis": group_words(chunk.raws, FORMAT.raw, WIDTH),
        "s_trailing": [Word(n) for n in left_out],
    }
    outputs = {"m_axis": words, "m_chunk": [Word(len(raw) << TAIL | tail)]}
    return Case(name, inputs, outputs, len(chunk.raws))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames) if chunk.nonzeros)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def strips_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()))
    await tb.check(cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def strips_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().blocks()))
    await tb.check(cases(corners().chunks()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 15, 300])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def strips_every_short_chunk(dut: Any) -> None:
    """So that every number of last bytes meets every number of those before them."""
    tb = block(dut)
    await tb.reset()
    counts = [n for n in range(1, 3 * UNITS + 1) for _ in range(2 * len(LEFT_OUT))]
    await tb.check(cases((f"{n} values", corners().gradient(n)) for n in counts))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases([("dense", corners().gradient(2 * POINT.chunk))]))
    taken = tb.moved("s_axis")
    groups = 2 * POINT.chunk // WIDTH
    assert taken == list(range(taken[0], taken[0] + groups, CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken) == {CONTRACT.latency}
    ends = taken[groups // 2 - 1 :: groups // 2]
    assert lags(tb.moved("m_chunk"), ends) == {CONTRACT.latency}
