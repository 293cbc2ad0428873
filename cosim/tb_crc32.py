# SPDX-License-Identifier: Apache-2.0
"""crc32: the check value of every prefix of a chunk, in groups, is zlib's."""

from __future__ import annotations

import random
import zlib
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.stalls import Stall, burst3, coin, free

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "crc32 is built for a number format"
WIDTH = setting.width() * CONFIGURATION.fmt.width  # bits of a group
CONTRACT = CONFIGURATION.contract
assert CONTRACT.latency is not None
LATENCY = CONTRACT.latency


class Check(Bench):
    """The DUT, which has no streams."""

    def __init__(self, dut: Any, idle: Stall = free) -> None:
        super().__init__(dut)
        self.idle = idle()
        dut.take.value, dut.first.value, dut.value.value = 0, 0, 0

    async def take(self, value: int, *, first: bool) -> None:
        """Let a group enter, after pauses in which others are shown."""
        while next(self.idle):
            await self.show(random.getrandbits(WIDTH), first=bool(random.getrandbits(1)), take=0)
        await self.show(value, first=first, take=1)

    async def show(self, value: int, *, first: bool, take: int) -> None:
        """Drive the inputs for a cycle."""
        self.dut.value.value, self.dut.first.value, self.dut.take.value = value, first, take
        await self.cycles(1)

    async def check(self, values: list[int]) -> None:
        """Take the groups of a chunk, and look after each."""
        start, plain = self.cycle, b""
        for i, value in enumerate(values):
            await self.take(value, first=i == 0)
            plain += value.to_bytes(WIDTH // 8, "little")
            for _ in range(LATENCY):
                await self.show(random.getrandbits(WIDTH), first=True, take=0)
            found = int(self.dut.check.value)
            assert found == zlib.crc32(plain), f"after {i + 1} groups: {found:08x}"
        setting.report_compared(
            frames=1, values=len(values), size=len(plain), cycles=self.cycle - start
        )


def anything(count: int) -> list[int]:
    return [random.getrandbits(WIDTH) for _ in range(count)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(idle=[free, burst3, coin])
async def checks_as_zlib_does(dut: Any, idle: Stall) -> None:
    check = Check(dut, idle)
    await check.reset()
    await check.check([0] * 40)
    await check.check([2**WIDTH - 1] * 40)
    for bit in range(WIDTH):  # every row and column of the network
        await check.check([1 << bit, 0, 0, 0])
    for count in (1, 2, 3, 100):
        await check.check(anything(count))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def starts_anew_after_reset(dut: Any) -> None:
    check = Check(dut)
    await check.reset()
    await check.check(anything(3))
    dut.take.value = 0
    await check.reset()
    await check.cycles(1)
    assert int(dut.check.value) == zlib.crc32(b"")
    await check.check(anything(3))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """A group every cycle, and the check value of those before it beside it."""
    check = Check(dut)
    await check.reset()
    assert CONTRACT.interval == 1
    plain = b""
    for i, group in enumerate(anything(100)):
        await check.show(group, first=i == 0, take=1)
        plain += group.to_bytes(WIDTH // 8, "little")
        before = i - LATENCY + 1
        if before > 0:
            found = int(dut.check.value)
            assert found == zlib.crc32(plain[: before * WIDTH // 8]), f"beside {i}: {found:08x}"
