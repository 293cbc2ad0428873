# SPDX-License-Identifier: Apache-2.0
"""fifo: every word comes out, in order, whatever the stalls."""

import random
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.stalls import BOTH_SIDES, Stall, free, waits
from cosim.bench.streams import Sink, Source, Word
from hls.fifo import CONTRACT

CONFIGURATION = setting.configuration()
DEPTH = CONFIGURATION.parameters["depth"]


async def start(dut: Any, idle: Stall = free, stall: Stall = free) -> tuple[Bench, Source, Sink]:
    bench = Bench(dut)
    source, sink = bench.source("s_axis", idle), bench.sink("m_axis", stall)
    await bench.reset()
    return bench, source, sink


def packet(size: int) -> list[Word]:
    return [Word(random.getrandbits(32), tlast=i == size - 1) for i in range(size)]


def plain(words: list[Word]) -> list[tuple[int, int]]:
    return [(word.tdata, word.tlast) for word in words]


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def keeps_the_words(dut: Any, idle: Stall, stall: Stall) -> None:
    bench, source, sink = await start(dut, idle, stall)
    packets = [packet(size) for size in (1, 2, 3, 64, 1, 500)]
    for sent in packets:
        source.send(sent)
    for sent in packets:
        assert plain(await sink.packet()) == plain(sent)
    assert sink.empty
    words = sum(map(len, packets))
    setting.report_compared(frames=len(packets), values=words, size=4 * words, cycles=bench.cycle)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def keeps_its_contract(dut: Any) -> None:
    _, source, sink = await start(dut)
    source.send(packet(100))
    cycles = [word.cycle for word in await sink.packet()]
    assert cycles[0] - source.moved[0] == CONTRACT.latency
    assert source.moved == list(range(source.moved[0], source.moved[0] + 100, CONTRACT.interval))
    assert cycles == list(range(cycles[0], cycles[0] + 100, CONTRACT.interval))


@cocotb.test(timeout_time=100, timeout_unit="us")
async def holds_its_depth(dut: Any) -> None:
    bench = Bench(dut)
    source, sink = bench.source("s_axis"), bench.sink("m_axis", waits(1500))
    await bench.reset()
    sent = packet(DEPTH + 100)
    source.send(sent)
    await bench.cycles(1400)
    assert len(source.moved) == DEPTH + 1
    assert plain(await sink.packet()) == plain(sent)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def forgets_in_reset(dut: Any) -> None:
    bench, source, sink = await start(dut)
    source.send(packet(300))
    await bench.cycles(40)
    await bench.reset()
    fresh = packet(20)
    source.send(fresh)
    assert plain(await sink.packet()) == plain(fresh)
    assert sink.empty
