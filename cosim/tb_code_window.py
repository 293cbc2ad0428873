# SPDX-License-Identifier: Apache-2.0
"""code_window: bytes come in order, two at a time, and missing ones are known to be missing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.stalls import Stall, burst4, coin, free
from cosim.bench.streams import Word
from hls.code_window import CONTRACT

WORD = 4
PATIENCE = 100  # cycles that the DUT may wait for a word


class Window(Bench):
    """The DUT, a source of words, and what lane_dec would ask for."""

    def __init__(self, dut: Any, idle: Stall = free) -> None:
        super().__init__(dut)
        self.words = self.source("s_axis", idle)
        self.edge = RisingEdge(dut.clk)
        self.taken: list[tuple[int, bytes]] = []  # when two bytes were taken, and which
        cocotb.start_soon(self.watch())
        for name in ("start", "coded", "one", "two", "go"):
            getattr(dut, name).value = 0

    async def watch(self) -> None:
        dut = self.dut
        while True:
            await self.edge
            if dut.go.value and dut.two.value and dut.able.value and not dut.missing.value:
                pair = bytes([int(dut.first.value), int(dut.second.value)])
                self.taken.append((self.cycle, pair))

    async def begin(self, codes: bytes, offset: int = 0) -> None:
        """Begin a chunk with these codes, `offset` bytes into its first word."""
        data = bytes(offset) + codes
        for at in range(0, len(data) if codes else 0, WORD):
            part = data[at : at + WORD]
            user = (offset // 2 if at == 0 else 0) << 2 | len(part) - 1
            value = int.from_bytes(part.ljust(WORD, b"\xff"), "little")
            self.words.send([Word(value, tuser=user, tlast=at + WORD >= len(data))])
        self.dut.start.value, self.dut.coded.value = 1, bool(codes)
        await self.edge
        self.dut.start.value = 0

    async def take(self, count: int) -> bytes | None:
        """Take none, one or two bytes; None if they are missing."""
        dut = self.dut
        dut.one.value, dut.two.value, dut.go.value = count > 0, count > 1, 1
        for _ in range(PATIENCE):
            await self.edge
            if dut.able.value:
                break
        else:
            raise AssertionError(f"{count} bytes are neither there nor missing")
        missing = dut.missing.value == 1
        shown = [int(dut.first.value)] if count else []
        if count > 1 and not missing:
            shown.append(int(dut.second.value))
        dut.go.value = 0
        return None if missing else bytes(shown)


def chunks(count: int) -> Iterator[bytes]:
    for size in [0, 1, 2, 3, 4, 5, 6, *(random.randrange(60) for _ in range(count))]:
        yield random.randbytes(size)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], wait=[free, coin])
async def shows_bytes_in_order(dut: Any, idle: Stall, wait: Stall) -> None:
    window = Window(dut, idle)
    await window.reset()
    start, total, pause = window.cycle, 0, wait()
    for codes in chunks(60):
        await window.begin(codes, random.choice([0, 2]))
        left = codes
        while left:
            if next(pause):
                await window.edge
                continue
            count = min(len(left), random.choice([0, 1, 2]))
            assert await window.take(count) == left[:count]
            left = left[count:]
        await window.edge
        assert dut.unread.value == 0
        total += len(codes)
    setting.report_compared(frames=67, values=total, size=total, cycles=window.cycle - start)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, coin], too_many=[1, 2])
async def knows_what_is_missing(dut: Any, idle: Stall, too_many: int) -> None:
    window = Window(dut, idle)
    await window.reset()
    for codes in chunks(20):
        await window.begin(codes)
        for byte in codes[too_many - 1 :]:
            assert await window.take(1) is not None, byte
        assert await window.take(too_many) is None


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def knows_what_is_unread(dut: Any) -> None:
    window = Window(dut)
    await window.reset()
    for size in (1, 4, 5, 8):
        codes = random.randbytes(size)
        await window.begin(codes)
        for at in range(size):
            await window.edge
            assert dut.unread.value == 1
            assert await window.take(1) == codes[at : at + 1]
        await window.edge
        assert dut.unread.value == 0


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
async def keeps_its_contract(dut: Any) -> None:
    """Two bytes in each cycle, from the cycle after the first word has come."""
    window = Window(dut)
    await window.reset()
    codes = random.randbytes(200)
    await window.begin(codes)
    dut.one.value, dut.two.value, dut.go.value = 1, 1, 1
    await window.cycles(len(codes))
    assert b"".join(pair for _, pair in window.taken) == codes
    cycles = [cycle for cycle, _ in window.taken]
    assert cycles[0] - window.words.moved[0] == CONTRACT.latency
    assert cycles == list(range(cycles[0], cycles[0] + 100, CONTRACT.interval))
