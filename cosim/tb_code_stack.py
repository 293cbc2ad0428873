# SPDX-License-Identifier: Apache-2.0
"""code_stack: the bytes of every packet come back from the last to the first."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench.block import Block, Case
from cosim.bench.stages import stack_words
from cosim.bench.stalls import Stall, burst3, burst4, coin, free, waits
from cosim.bench.streams import Word
from hls.code_stack import CONTRACT, DEPTH, LONGEST, PACKET_PAUSE, WORD


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(size: int, pairs: float = 0.5) -> Case:
    """A packet of so many bytes, which enter in twos and ones. pairs: how likely are twos."""
    data, words, at = random.randbytes(size), [], size
    while at:
        count = 2 if at > 1 and random.random() < pairs else 1
        at -= count
        part = data[at : at + count]
        unused = b"" if count == 2 else random.randbytes(1)
        value = int.from_bytes(part + unused, "little")
        words.append(Word(value, tkeep=2**count - 1, tlast=int(at == 0)))
    return Case(f"{size} bytes", {"s_axis": words}, {"m_axis": stack_words(data)}, size)


def cases(sizes: Iterable[int]) -> Iterator[Case]:
    return (case(size) for size in sizes)


def short_sizes() -> list[int]:
    return [*range(1, 20), *(random.randrange(1, 300) for _ in range(20))]


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def turns_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(short_sizes()))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin, waits(3 * LONGEST)])
async def turns_the_longest(dut: Any, stall: Stall) -> None:
    """More than the memory holds, several times around it."""
    tb = block(dut, stall=stall)
    await tb.reset()
    sizes = [LONGEST, LONGEST, LONGEST - 1, 1, LONGEST - 2, LONGEST - 3, 18, LONGEST]
    assert sum(sizes) > 2 * DEPTH * WORD // 8
    await tb.check(cases(sizes))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 9, 60, 150])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    await tb.check_after_reset(stop, cases([30, 200, 40]), cases(short_sizes()))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    size = 1200
    await tb.check([case(size, pairs=1), case(size + 1, pairs=1), case(size + 4, pairs=1)])
    taken, offered = tb.moved("s_axis"), tb.moved("m_axis")
    puts, words = size // 2, size // 4
    assert offered[0] - taken[puts - 1] == CONTRACT.latency
    assert offered[:words] == list(range(offered[0], offered[0] + words, CONTRACT.interval))
    steps = [b - a for a, b in pairwise(taken)]
    ends = puts - 1, puts - 1 + puts + 1
    assert [i for i, step in enumerate(steps) if step != CONTRACT.interval] == list(ends)
    assert {steps[i] for i in ends} == {CONTRACT.interval + PACKET_PAUSE}
