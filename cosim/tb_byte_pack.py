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
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.byte_pack import CONTRACT, user_bits
from hls.raw_strip import WAYS, WHOLE, kept_places
from hls.stream import word_bytes

BYTES = word_bytes(setting.width())
TRAILING = setting.profile().trailing > 0
TOP = user_bits(setting.width(), TRAILING) - 1  # of tuser


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, idle=idle, stall=stall)


def view(_: str, word: Word) -> tuple[int, int, int, int]:
    """All fields: bytes behind a packet's last are 0."""
    return word.tdata, word.tkeep, word.tuser, word.tlast


def case(sizes: tuple[int, ...]) -> Case:
    """One packet, whose words hold so many bytes, in any place and stripped in any way."""
    user, words, joined = random.getrandbits(1), [], b""
    for i, size in enumerate(sizes):
        data, last = random.randbytes(BYTES), int(i == len(sizes) - 1)
        ways = [way for way in range(len(WAYS)) if len(kept_places(way, BYTES)) >= size]
        way = random.choice(ways) if TRAILING else WHOLE
        kept = kept_places(way, BYTES)
        first = random.randint(0, len(kept) - size)
        joined += bytes(data[k] for k in kept[first : first + size])
        tuser = user << TOP | (way * BYTES + first) * BYTES + size - 1
        words.append(Word(int.from_bytes(data, "little"), 0, tuser, last))
    packed = [Word(w.tdata, w.tkeep, user, w.tlast) for w in chunks_to_words([joined], BYTES)]
    return Case(f"words of {sizes} bytes", {"s_axis": words}, {"m_axis": packed}, len(words))


def cases(count: int) -> Iterator[Case]:
    """Packets of any number of words of any size, many of them full."""
    for _ in range(count):
        full = random.random()
        sizes = (
            BYTES if random.random() < full else random.randint(1, BYTES)
            for _ in range(random.randrange(1, 30))
        )
        yield case(tuple(sizes))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def packs_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(40), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def packs_every_short_packet(dut: Any, stall: Stall) -> None:
    """All packets of one, two and three words, so that every alignment meets every end."""
    tb = block(dut, stall=stall)
    await tb.reset()
    sizes = range(1, BYTES + 1)
    for count in 1, 2:
        await tb.check((case(chosen) for chosen in product(sizes, repeat=count)), view)
    few = sizes if BYTES == 4 else (1, 2, BYTES // 2, BYTES - 1, BYTES)
    await tb.check((case(chosen) for chosen in product(sizes, few, sizes)), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[2, 3, 4, 5, 40])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    await tb.check_after_reset(stop, cases(10), cases(10), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """A word that completes one leaves in the cycle after it has entered."""
    tb = block(dut)
    await tb.reset()
    await tb.check([case((BYTES,) * 100), case((BYTES - 1,) + (BYTES,) * 99 + (1,))], view)
    taken = tb.moved("s_axis")
    assert taken == list(range(taken[0], taken[0] + 201, CONTRACT.interval))
    assert lags(tb.moved("m_axis"), taken[:100] + taken[101:]) == {CONTRACT.latency}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def takes_a_cycle_more_for_a_last_word_of_its_own(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    much = BYTES - 1
    await tb.check([case((much, much)), case((BYTES,)), case((1, much)), case((BYTES,))], view)
    start = tb.moved("s_axis")[0]
    assert [cycle - start for cycle in tb.moved("s_axis")] == [0, 1, 3, 4, 5, 6]
    assert [cycle - start for cycle in tb.moved("m_axis")] == [2, 3, 4, 6, 7]
