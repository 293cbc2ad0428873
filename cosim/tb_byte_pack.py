# SPDX-License-Identifier: Apache-2.0
"""byte_pack: the bytes of a packet come in full words, in order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, lags
from cosim.bench.frames import chunks_to_words
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.byte_pack import CONTRACT, UNITS

UNIT = setting.configuration().parameters.get("unit", 1)
BYTES = UNIT * UNITS


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def case(units: tuple[int, ...]) -> Case:
    """One packet, whose words hold so many units; the other bytes of tdata are not 0."""
    user, words, joined = random.getrandbits(1), [], b""
    for i, size in enumerate(UNIT * n for n in units):
        data = random.randbytes(size) + b"\xff" * (BYTES - size)
        joined += data[:size]
        keep, last = (1 << size) - 1, int(i == len(units) - 1)
        words.append(Word(int.from_bytes(data, "little"), keep, user, last))
    packed = [Word(w.tdata, w.tkeep, user, w.tlast) for w in chunks_to_words([joined], BYTES)]
    return Case(f"words of {units} units", {"s_axis": words}, {"m_axis": packed}, len(words))


def cases(count: int) -> Iterator[Case]:
    """Packets of any number of words of any size."""
    for _ in range(count):
        yield case(tuple(random.choices(range(1, UNITS + 1), k=random.randrange(1, 30))))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def packs_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(40))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def packs_every_short_packet(dut: Any, stall: Stall) -> None:
    """All packets of up to four words, so that every alignment meets every end."""
    tb = block(dut, stall=stall)
    await tb.reset()
    sizes = range(1, UNITS + 1)
    await tb.check(case(chosen) for n in range(1, 5) for chosen in product(sizes, repeat=n))


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[2, 3, 4, 5, 40])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    await tb.check_after_reset(stop, cases(10), cases(10))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check([case((UNITS,) * 100)])
    taken = tb.moved("s_axis")
    assert taken == list(range(taken[0], taken[0] + 100, CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken) == {CONTRACT.latency}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def takes_a_cycle_more_for_a_last_word_of_its_own(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check([case((3, 3)), case((4,)), case((2, 2)), case((4,))])
    start = tb.moved("s_axis")[0]
    assert [cycle - start for cycle in tb.moved("s_axis")] == [0, 1, 3, 4, 5, 6]
