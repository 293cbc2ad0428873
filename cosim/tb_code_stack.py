# SPDX-License-Identifier: Apache-2.0
"""code_stack: the bytes of every packet come back from the last to the first."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, Fields
from cosim.bench.stages import stack_words
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free, waits
from cosim.bench.streams import Word
from hls.code_stack import PACKET_PAUSE, SHORTEST, longest, memory_bytes
from hls.lane_enc import beat_bytes
from hls.stream import word_bytes

WIDTH = setting.width()
CONTRACT = setting.configuration().contract
BEAT, WORD = beat_bytes(WIDTH), word_bytes(WIDTH)
LONGEST = longest(WIDTH)


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(size: int, full: float = 0.3) -> Case:
    """A packet of so many bytes, which enter one to BEAT a word. full: how likely is BEAT."""
    data, words, at = random.randbytes(size), [], size
    while at:
        count = BEAT if random.random() < full else random.randint(1, BEAT)
        put = data[max(0, at - count) : at][::-1]
        at -= len(put)
        value = int.from_bytes(put + random.randbytes(BEAT - len(put)), "little")
        words.append(Word(value, tkeep=2 ** len(put) - 1, tlast=int(at == 0)))
    return Case(f"{size} bytes", {"s_axis": words}, {"m_axis": stack_words(data, WIDTH)}, size)


def cases(sizes: Iterable[int]) -> Iterator[Case]:
    return (case(size) for size in sizes)


def short_sizes() -> list[int]:
    shortest = range(SHORTEST, SHORTEST + 20)
    return [*shortest, *(random.randrange(SHORTEST, 300) for _ in range(20))]


class Counting:
    """What is compared of the words of packets, one by one: of a packet's first, what counts."""

    def __init__(self) -> None:
        self.first = True

    def __call__(self, _: str, word: Word) -> Fields:
        gap = 8 * (-word.tuser % WORD) if self.first else 0
        self.first = bool(word.tlast)
        return word.tdata >> gap << gap, word.tkeep, word.tuser, word.tlast


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def turns_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(short_sizes()), Counting())


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin, waits(3 * LONGEST)])
async def turns_the_longest(dut: Any, stall: Stall) -> None:
    """More than the memory holds, several times around it."""
    tb = block(dut, stall=stall)
    await tb.reset()
    sizes = [LONGEST, LONGEST, LONGEST - 1, SHORTEST, LONGEST - 2, LONGEST - 3, 29, LONGEST]
    assert sum(sizes) > 2 * memory_bytes(WIDTH)
    await tb.check(cases(sizes), Counting())


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 9, 60, 150])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    await tb.check_after_reset(stop, cases([30, 200, 40]), cases(short_sizes()), Counting())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    sizes = [1200, 1200 + 1, 1200 + WORD - 1]
    await tb.check([case(size, full=1) for size in sizes], Counting())
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    for size in sizes:
        puts, words = -(-size // BEAT), len(stack_words(bytes(size), WIDTH))
        assert offered[0] - taken[puts - 1] == CONTRACT.latency
        steps = [b - a for a, b in pairwise(taken[: puts + 1])]
        assert steps[: puts - 1] == [CONTRACT.interval] * (puts - 1)
        assert set(steps[puts - 1 :]) <= {CONTRACT.interval + PACKET_PAUSE}
        assert offered[:words] == list(range(offered[0], offered[0] + words, CONTRACT.interval))
        taken, offered = taken[puts:], offered[words:]
    assert not taken
    assert not offered
