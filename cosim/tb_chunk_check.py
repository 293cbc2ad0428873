# SPDX-License-Identifier: Apache-2.0
"""chunk_check: values pass unchanged, and another CRC-32 than theirs is noticed."""

from __future__ import annotations

import random
import zlib
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.frames import assert_same
from cosim.bench.stalls import Stall, burst3, burst4, coin, free
from cosim.bench.streams import Word
from hls.chunk_check import CONTRACT

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "chunk_check is built for a number format"
FMT = CONFIGURATION.fmt

CHECKED, LAST = 2, 1  # tuser


class Checker(Bench):
    """The DUT, its streams, and the cycles in which it finds a mismatch."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.values, self.checks = self.source("s_axis", idle), self.source("s_check")
        self.passed = self.sink("m_axis", stall)
        self.mismatches: list[int] = []
        cocotb.start_soon(self.watch())

    async def watch(self) -> None:
        edge = RisingEdge(self.dut.clk)
        while True:
            await edge
            if self.dut.mismatch.value == 1:
                self.mismatches.append(self.cycle)

    async def check(self, count: int, *, flip: int = 0, checked: bool = True) -> int:
        """Send a chunk, perhaps with bits of its CRC-32 flipped; returns its last cycle."""
        values = [random.getrandbits(FMT.width) for _ in range(count)]
        plain = b"".join(value.to_bytes(FMT.width // 8, "little") for value in values)
        if checked:
            self.checks.send([Word(zlib.crc32(plain) ^ flip)])
        user = CHECKED if checked else 0
        self.values.send(
            Word(value, tuser=user | (LAST if i == count - 1 else 0), tlast=i == count - 1)
            for i, value in enumerate(values)
        )
        words = await self.within(20 * (count + 20), self.passed.packet())
        assert_same([word.tdata for word in words], values, "values")
        setting.report_compared(frames=1, values=count, size=len(plain), cycles=count)
        return words[-1].cycle


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst4, coin], stall=[free, burst3, coin])
async def passes_what_is_right(dut: Any, idle: Stall, stall: Stall) -> None:
    checker = Checker(dut, idle, stall)
    await checker.reset()
    for count in (1, 1, 2, 3, 200, 1):
        await checker.check(count)
        await checker.check(count, checked=False)
    await checker.cycles(5)
    assert not checker.mismatches


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def finds_every_bit(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    for bit in range(32):
        at = await checker.check(3, flip=1 << bit)
        await checker.cycles(3)
        assert checker.mismatches == [at + 1], f"bit {bit}"
        checker.mismatches.clear()
        await checker.check(2)
    await checker.cycles(3)
    assert not checker.mismatches


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def starts_anew_after_reset(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    checker.values.send(Word(i, tuser=CHECKED) for i in range(50))
    await checker.cycles(20)
    await checker.reset()
    await checker.check(5)
    await checker.cycles(3)
    assert not checker.mismatches


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    await checker.check(100)
    moved = checker.values.moved
    assert moved == list(range(moved[0], moved[0] + 100, CONTRACT.interval))
    latencies = {b - a for a, b in zip(moved, checker.passed.moved, strict=True)}
    assert latencies == {CONTRACT.latency}
