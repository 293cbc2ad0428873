# SPDX-License-Identifier: Apache-2.0
"""fifo and ram, simulated in MyHDL."""

import random
from collections.abc import Callable

import pytest
from myhdl import ResetSignal, Signal, StopSimulation, always, block, delay, instance, intbv

from hls.fifo import CONTRACT, REGISTER_BITS, REGISTER_CONTRACT, TAPS, fifo, follow_address
from hls.ram import CONTRACT as RAM_CONTRACT
from hls.ram import ram
from hls.stream import AxiStream

Stall = Callable[[], bool]  # whether to wait in this cycle
DEPTHS = [2, 4, 32, 64, 256]  # of 33-bit words: the first two in flip-flops, the others in a RAM


def run_fifo(
    depth: int, words: list[int], idle: Stall, stall: Stall, reset_at: int | None = None
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Push words, pop them; returns (cycle, word) of what went in and of what came out.

    With `reset_at`, rst is high in that cycle and only then.
    """
    clk = Signal(bool(0))
    rst = ResetSignal(0, active=1, isasync=False)
    s_axis, m_axis = AxiStream(32), AxiStream(32)
    taken: list[tuple[int, int]] = []
    given: list[tuple[int, int]] = []

    @block
    def bench():
        queue = fifo(clk, rst, s_axis, m_axis, depth)

        @always(delay(5))
        def clock():
            clk.next = not clk

        @instance
        def drive():
            todo, held, shown = list(words), False, None
            for cycle in range(20 * len(words) + 100):
                rst.next = cycle == reset_at
                if todo and not held and not idle():
                    s_axis.tdata.next = todo[0]
                    s_axis.tlast.next = todo[0] & 1
                    s_axis.tvalid.next = True
                    held = True
                m_axis.tready.next = not stall()
                yield delay(4)  # all settled, just before the edge
                if s_axis.tvalid and s_axis.tready:
                    taken.append((cycle, int(s_axis.tdata)))
                    todo.pop(0)
                    held = False
                word = (int(m_axis.tdata), bool(m_axis.tlast)) if m_axis.tvalid else None
                assert shown is None or word == shown, "a word changed while it waited"
                shown = None if m_axis.tready or cycle == reset_at else word
                if word and m_axis.tready:
                    assert word[1] == bool(word[0] & 1)
                    given.append((cycle, word[0]))
                yield clk.posedge
                if not held:
                    s_axis.tvalid.next = False
                yield clk.negedge
            raise StopSimulation

        return queue, clock, drive

    simulation = bench()
    simulation.run_sim()
    simulation.quit_sim()
    return taken, given


def never() -> bool:
    return False


def sometimes(probability: float, seed: int) -> Stall:
    rng = random.Random(seed)
    return lambda: rng.random() < probability


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("idle", [0, 0.5, 0.9])
@pytest.mark.parametrize("stall", [0, 0.5, 0.9])
def test_every_word_in_order(depth: int, idle: float, stall: float) -> None:
    words = [random.Random(5).getrandbits(32) ^ i for i in range(3 * depth + 20)]
    taken, given = run_fifo(depth, words, sometimes(idle, 1), sometimes(stall, 2))
    assert [word for _, word in taken] == words
    assert [word for _, word in given] == words


@pytest.mark.parametrize("depth", DEPTHS)
def test_contract(depth: int) -> None:
    words = list(range(2 * depth + 10))
    taken, given = run_fifo(depth, words, never, never)
    promise = REGISTER_CONTRACT if depth * 33 <= REGISTER_BITS else CONTRACT
    assert [out - into for (into, _), (out, _) in zip(taken, given, strict=True)] == [
        promise.latency
    ] * len(words)
    assert [cycle for cycle, _ in taken] == list(range(0, len(words), promise.interval))


@pytest.mark.parametrize("depth", DEPTHS)
def test_holds_its_depth(depth: int) -> None:
    taken, given = run_fifo(depth, list(range(depth + 8)), never, lambda: True)
    assert len(taken) == depth + (0 if depth * 33 <= REGISTER_BITS else 1)
    assert given == []


@pytest.mark.parametrize("depth", DEPTHS)
def test_reset_empties(depth: int) -> None:
    ready = iter([True] * (depth + 9))  # a full queue, reset, then it drains
    taken, given = run_fifo(
        depth, list(range(depth + 20)), never, lambda: next(ready, False), reset_at=depth + 5
    )
    before = [word for cycle, word in taken if cycle <= depth + 5]
    assert len(before) >= depth
    assert [word for _, word in given] == list(range(len(before), depth + 20))


@pytest.mark.parametrize("bits", TAPS)
def test_addresses_are_all_but_one(bits: int) -> None:
    address, following = (Signal(intbv(0)[bits:]) for _ in range(2))
    seen = set()

    @block
    def bench():
        step = follow_address(address, following)

        @instance
        def walk():
            yield delay(1)
            while int(address) not in seen:
                seen.add(int(address))
                address.next = following
                yield delay(1)
            raise StopSimulation

        return step, walk

    simulation = bench()
    simulation.run_sim()
    simulation.quit_sim()
    assert address == 0, "the cycle does not close"
    assert len(seen) == (1 << bits) - 1


def test_depth_is_a_power_of_two() -> None:
    clk, rst = Signal(bool(0)), ResetSignal(0, active=1, isasync=False)
    with pytest.raises(ValueError, match="depth 3"):
        fifo(clk, rst, AxiStream(8), AxiStream(8), 3)


def test_streams_have_the_same_fields() -> None:
    clk, rst = Signal(bool(0)), ResetSignal(0, active=1, isasync=False)
    with pytest.raises(ValueError, match="other fields"):
        fifo(clk, rst, AxiStream(8), AxiStream(8, last=False), 4)


def test_ram_reads_what_was_written_and_holds() -> None:
    depth = 48
    clk, write, read = (Signal(bool(0)) for _ in range(3))
    to, at = (Signal(intbv(0, min=0, max=depth)) for _ in range(2))
    data, shown = (Signal(intbv(0)[9:]) for _ in range(2))
    memory: dict[int, int] = {}
    checked = 0

    @block
    def bench():
        uut = ram(clk, write, to, data, read, at, shown, depth)

        @instance
        def drive():
            nonlocal checked
            rng, expected = random.Random(6), None
            for _ in range(2000):
                write.next, to.next = rng.getrandbits(1), rng.randrange(depth)
                read.next, at.next, data.next = (
                    rng.getrandbits(1),
                    rng.randrange(depth),
                    rng.getrandbits(9),
                )
                yield delay(1)
                if write and to == at:
                    read.next = False
                    yield delay(1)
                if read:
                    expected = memory.get(int(at))
                if write:
                    memory[int(to)] = int(data)
                clk.next = True
                yield delay(RAM_CONTRACT.latency)
                if expected is not None:
                    assert shown == expected
                    checked += 1
                clk.next = False
                yield delay(1)
            raise StopSimulation

        return uut, drive

    simulation = bench()
    simulation.run_sim()
    simulation.quit_sim()
    assert checked > 1500
