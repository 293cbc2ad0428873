# SPDX-License-Identifier: Apache-2.0
"""code_window: bytes come in order, many at once, and missing ones are known to be missing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.parts import code_words
from cosim.bench.stalls import Stall, burst4, coin, free
from hls.code_window import CONTRACT, slots_of

WIDTH = setting.width()
SLOTS = slots_of(WIDTH)
BUT_LAST = 2 ** (SLOTS - 1) - 1
WORD = 4 * WIDTH
PATIENCE = 100  # cycles that the DUT may wait for a word


class Window(Bench):
    """The DUT, a source of words, and what lane_dec would ask for."""

    def __init__(self, dut: Any, idle: Stall = free) -> None:
        super().__init__(dut)
        self.words = self.source("s_axis", idle)
        self.edge = RisingEdge(dut.clk)
        self.started = 0  # when the last chunk began
        self.taken: list[tuple[int, bytes]] = []  # when all slots took a byte, and which
        cocotb.start_soon(self.watch())
        for name in ("start", "coded", "needed", "want", "take", "go"):
            getattr(dut, name).value = 0

    async def watch(self) -> None:
        dut, every = self.dut, 2**SLOTS - 1
        while True:
            await self.edge
            if dut.start.value:
                self.started = self.cycle
            if dut.go.value and dut.take.value == every and dut.able.value:
                self.taken.append((self.cycle, self.dealt()))

    def dealt(self) -> bytes:
        return int(self.dut.dealt.value).to_bytes(SLOTS, "little")

    async def begin(self, codes: bytes, offset: int = 0) -> None:
        """Begin a chunk with these codes, `offset` bytes into its first word."""
        self.words.send(code_words(codes, offset, WIDTH))
        await self.within(PATIENCE, self.clear())
        self.dut.start.value, self.dut.coded.value = 1, bool(codes)
        await self.edge
        self.dut.start.value = 0

    async def clear(self) -> None:
        """Until what was left of the chunk before has been dropped."""
        await ReadOnly()
        while not self.dut.cleared.value:
            await self.edge
            await ReadOnly()
        await self.edge

    async def take(self, count: int) -> bytes | None:
        """Take so many bytes, in any slots; None if some are missing. Slots behind want some."""
        dut, slots = self.dut, sorted(random.sample(range(SLOTS), count))
        take = sum(1 << slot for slot in slots)
        dut.take.value = take
        others = random.getrandbits(SLOTS) >> take.bit_length() << take.bit_length()
        dut.want.value = (take | others) & BUT_LAST
        dut.needed.value, dut.go.value = int(count > 0 or random.random() < 0.5), 1
        for _ in range(PATIENCE):
            await self.edge
            if dut.able.value:
                break
        else:
            raise AssertionError(f"{count} bytes are neither there nor missing")
        missing = dut.missing.value == 1
        dealt = b"" if missing else bytes(self.dealt()[slot] for slot in slots)
        dut.go.value = dut.needed.value = dut.want.value = dut.take.value = 0
        return None if missing else dealt


def chunks(count: int) -> Iterator[bytes]:
    for size in [*range(2 * WORD), *(random.randrange(15 * WORD) for _ in range(count))]:
        yield random.randbytes(size)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], wait=[free, coin])
async def shows_bytes_in_order(dut: Any, idle: Stall, wait: Stall) -> None:
    window = Window(dut, idle)
    await window.reset()
    start, total, frames, pause = window.cycle, 0, 0, wait()
    for codes in chunks(60):
        await window.begin(codes, random.randrange(WORD))
        left = codes
        while left:
            if next(pause):
                await window.edge
                continue
            count = min(len(left), random.randrange(SLOTS + 1))
            assert await window.take(count) == left[:count]
            left = left[count:]
        await window.edge
        assert dut.unread.value == 0
        total, frames = total + len(codes), frames + 1
    setting.report_compared(frames=frames, values=total, size=total, cycles=window.cycle - start)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, coin], too_many=range(1, SLOTS + 1))
async def knows_what_is_missing(dut: Any, idle: Stall, too_many: int) -> None:
    window = Window(dut, idle)
    await window.reset()
    for codes in chunks(20):
        await window.begin(codes, random.randrange(WORD))
        for byte in codes[too_many - 1 :]:
            assert await window.take(1) is not None, byte
        assert await window.take(too_many) is None


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def knows_what_is_unread(dut: Any) -> None:
    window = Window(dut)
    await window.reset()
    for size in (1, WORD, WORD + 1, 2 * WORD):
        codes = random.randbytes(size)
        await window.begin(codes)
        for at in range(size):
            await window.edge
            assert dut.unread.value == 1
            assert await window.take(1) == codes[at : at + 1]
        await window.edge
        assert dut.unread.value == 0


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, coin])
async def drops_what_is_left(dut: Any, idle: Stall) -> None:
    """A chunk that begins before all of the one before it has been taken has its own bytes."""
    window = Window(dut, idle)
    await window.reset()
    for codes in chunks(60):
        await window.begin(codes)
        for at in range(random.randrange(len(codes) + 1)):
            assert await window.take(1) == codes[at : at + 1]
        await window.cycles(random.randrange(12))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def starts_anew_after_reset(dut: Any) -> None:
    window = Window(dut)
    await window.reset()
    await window.begin(bytes(range(50)))
    for _ in range(3):
        await window.take(2)
    await window.reset()
    assert dut.unread.value == 0
    await window.begin(b"\5\6\7")
    assert await window.take(2) == b"\5\6"
    assert await window.take(1) == b"\7"


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(offset=range(WORD))
async def keeps_its_contract(dut: Any, offset: int) -> None:
    """A byte for each slot in each cycle, however the codes lie in their words."""
    window = Window(dut)
    await window.reset()
    codes = random.randbytes(100 * SLOTS)
    await window.begin(codes, offset)
    dut.want.value, dut.take.value = BUT_LAST, 2**SLOTS - 1
    dut.needed.value = dut.go.value = 1
    await window.cycles(120)
    assert b"".join(dealt for _, dealt in window.taken[:100]) == codes
    cycles = [cycle for cycle, _ in window.taken[:100]]
    assert cycles[0] - window.started == CONTRACT.latency
    assert cycles == list(range(cycles[0], cycles[0] + 100, CONTRACT.interval))
