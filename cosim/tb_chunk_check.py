# SPDX-License-Identifier: Apache-2.0
"""chunk_check: values pass unchanged, and each frame's last word says what was wrong with it."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.frames import assert_same, words_to_values
from cosim.bench.stages import group_words
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.chunk_check import CONTRACT, wait
from hls.chunk_error import ChunkError

CONFIGURATION = setting.configuration()
assert CONFIGURATION.fmt, "chunk_check is built for a number format"
FMT = CONFIGURATION.fmt
WIDTH = setting.width()


@dataclass
class Chunk:
    """Values at random; flip: bits of the CRC-32 that are inverted; error: what lane_dec found."""

    count: int
    checked: bool = True
    flip: int = 0
    error: ChunkError = ChunkError.NONE
    values: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.values = [random.getrandbits(FMT.width) for _ in range(self.count)]

    @property
    def verdict(self) -> ChunkError:
        """What is wrong with it."""
        return self.error or (ChunkError.CHECK if self.flip else ChunkError.NONE)

    @property
    def check(self) -> int:
        """The word of s_check."""
        size = FMT.width // 8
        plain = b"".join(value.to_bytes(size, "little") for value in self.values)
        return self.error << 32 | zlib.crc32(plain) ^ self.flip

    def words(self, *, ends: bool) -> list[Word]:
        """Words of s_axis; a frame may end with the chunk. What its last group lacks is 0."""
        words, bits = group_words(self.values, FMT.width, WIDTH, absent=0), (WIDTH - 1).bit_length()
        return [
            replace(
                word,
                tuser=(self.checked << 1 | word.tlast) << bits | word.tuser,
                tlast=word.tlast and int(ends),
            )
            for word in words
        ]


class Checker(Bench):
    """The DUT and its streams."""

    def __init__(self, dut: Any, idle: Stall = free, stall: Stall = free) -> None:
        super().__init__(dut)
        self.values, self.checks = self.source("s_axis", idle), self.source("s_check")
        self.passed = self.sink("m_axis", stall)
        dut.halt.value = dut.close.value = dut.fault.value = 0

    def send(self, chunks: Sequence[Chunk], *, ends: bool = True) -> None:
        """Send chunks of a frame, perhaps to its end."""
        for chunk in chunks:
            if chunk.checked:
                self.checks.send([Word(chunk.check)])
            self.values.send(chunk.words(ends=ends and chunk is chunks[-1]))

    async def expect(self, chunks: Sequence[Chunk]) -> None:
        """The next frame must be these chunks', with the verdict on the first that is at fault."""
        values = [value for chunk in chunks for value in chunk.values]
        words = await self.within(20 * (len(values) + 20), self.passed.packet())
        assert_same(words_to_values(words, FMT, WIDTH), values, "values")
        verdicts = [chunk.verdict for chunk in chunks if chunk.checked and chunk.verdict]
        told = [word.tuser for word in words]
        assert told == [0] * (len(words) - 1) + [next(iter(verdicts), ChunkError.NONE)]
        setting.report_compared(
            frames=1, values=len(values), size=len(values) * FMT.width // 8, cycles=len(values)
        )

    async def until(self, flag: Any) -> None:
        """Wait for the next edge that sees a signal high."""
        await self.cycles(1)
        while not flag.value:
            await self.cycles(1)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def judges_each_frame(dut: Any, idle: Stall, stall: Stall) -> None:
    checker = Checker(dut, idle, stall)
    await checker.reset()
    frames = []
    for count in (1, 1, 2, 3, 4, 5, 6, 7, 8, 200, 1):
        whole = WIDTH * count  # only a frame's last group may be short
        frames += [[Chunk(count)], [Chunk(count, checked=False)], [Chunk(count, flip=1)]]
        frames += [[Chunk(count, error=ChunkError.CODES, flip=1)], [Chunk(whole), Chunk(count)]]
        frames += [[Chunk(whole, flip=4), Chunk(whole), Chunk(1, error=ChunkError.EXPONENT)]]
        frames += [[Chunk(whole), Chunk(whole, checked=False), Chunk(2, flip=2)]]
    for frame in frames:
        checker.send(frame)
    for frame in frames:
        await checker.expect(frame)
    await checker.cycles(5)
    assert checker.passed.empty


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def finds_every_bit(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    for bit in range(32):
        for frame in ([Chunk(3, flip=1 << bit)], [Chunk(2)]):
            checker.send(frame)
            await checker.expect(frame)


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin], found=[ChunkError.NONE, ChunkError.CODES])
async def closes_a_frame(dut: Any, stall: Stall, found: ChunkError) -> None:
    """After halt nothing more comes but what was being offered, and then the frame's end."""
    checker = Checker(dut, coin, stall)
    await checker.reset()
    for cycles in range(40):
        checker.passed.moved.clear()
        begun = Chunk(3 * WIDTH, error=found)
        checker.send([begun, Chunk(30 * WIDTH)], ends=False)
        await checker.cycles(cycles)
        dut.halt.value, dut.fault.value = 1, ChunkError.SIZE
        await checker.until(dut.halted)
        moved = len(checker.passed.moved)
        await checker.cycles(5)
        assert len(checker.passed.moved) == moved, "a value moved after halted"
        checker.values.reset()
        checker.checks.reset()
        dut.close.value = 1
        await checker.until(dut.m_axis_tready)
        dut.close.value = dut.halt.value = 0
        words = await checker.within(100, checker.passed.packet())
        judged = moved >= begun.count // WIDTH and found != ChunkError.NONE
        assert [word.tuser for word in words[:-1]] == [0] * moved
        assert words[-1].tuser == (found if judged else ChunkError.SIZE), f"after {moved} groups"
        behind = [Chunk(cycles % 3 + 1)]
        checker.send(behind)
        await checker.expect(behind)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def starts_anew_after_reset(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    checker.send([Chunk(5 * WIDTH, flip=1), Chunk(50)])
    await checker.cycles(20)
    await checker.reset()
    frame = [Chunk(5)]
    checker.send(frame)
    await checker.expect(frame)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    checker = Checker(dut)
    await checker.reset()
    for lacking in range(WIDTH):
        checker.values.moved.clear()
        checker.passed.moved.clear()
        frame = [Chunk(60 * WIDTH), Chunk(40 * WIDTH - lacking)]
        checker.send(frame)
        await checker.expect(frame)
        *moved, last = checker.values.moved
        assert moved == list(range(moved[0], moved[0] + 99, CONTRACT.interval))
        assert last == moved[-1] + 1 + wait(FMT, lacking)
        latencies = {b - a for a, b in zip(moved, checker.passed.moved[:-1], strict=True)}
        assert latencies == {CONTRACT.latency}
        assert checker.passed.moved[-1] == last
