# SPDX-License-Identifier: Apache-2.0
"""run_bitmap: the words are those of the reference's bitmap, and what is wrong of runs is found."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import cocotb
from reference.reader import Refused
from reference.zeros import KNOWN_TABLES, Runs, find_runs, join_runs

from cosim.bench import setting
from cosim.bench.block import Block, Case, corners
from cosim.bench.corners import Frame
from cosim.bench.parts import run_words, token_groups
from cosim.bench.stalls import BOTH_SIDES, Stall, coin, free
from cosim.bench.streams import Word
from hls.point import MOST_PAIRS, POINT
from hls.run_bitmap import CONTRACT, MOST_CLASS, WORD, cycles

WIDTH = setting.width()
INPUTS = "s_words", "s_tokens"
CODED = 255  # from there a class is counted down


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, idle=idle, stall=stall)


@dataclass(frozen=True)
class Chunk:
    """Runs of a chunk of so many values, and their tokens; whether a class is given as such."""

    runs: Runs
    classes: list[int]
    count: int
    spelt: frozenset[int] = frozenset()

    @property
    def bits(self) -> int | None:
        """The bitmap, if the runs are sound."""
        try:
            zeros = join_runs(self.runs, self.classes, self.count)
        except (Refused, OverflowError):  # a class may be too great to be counted with
            return None
        return sum(1 << i for i, zero in enumerate(zeros) if zero)

    @property
    def tokens(self) -> list[int]:
        """A byte for each."""
        return [c if i in self.spelt else CODED - c for i, c in enumerate(self.classes)]


def chunk(values: Frame, spelt: Iterable[int] = ()) -> Chunk:
    """Of values some of which are zero."""
    found = find_runs([value == 0 for value in values])
    assert found is not None
    classes, extra = found
    nonzeros, pairs = sum(value != 0 for value in values), len(classes) // 2
    runs = Runs(0, 0, nonzeros, pairs, KNOWN_TABLES[0], 0, extra)
    return Chunk(runs, classes, len(values), frozenset(spelt))


def inputs(one: Chunk) -> dict[str, list[Word]]:
    """Its words and tokens."""
    groups = [Word(group) for group in token_groups(one.tokens, WIDTH)]
    return dict(zip(INPUTS, (run_words(one.runs, one.count), groups), strict=True))


def case(name: str, one: Chunk) -> Case:
    """A sound chunk's; behind its last value all bits are set."""
    assert one.bits is not None, name
    bits = one.bits | -1 << one.count
    words = [Word(bits >> at & (1 << WORD) - 1) for at in range(0, one.count, WORD)]
    return Case(name, inputs(one), {"m_axis": words}, one.count)


def bitmap(name: str, *words: int) -> Case:
    """Words that pass."""
    return Case(name, {"s_words": [Word(w) for w in words]}, {"m_axis": [Word(w) for w in words]})


def chunks() -> Iterator[tuple[str, Chunk]]:
    """Runs of all lengths, at all places of words, and the most of them."""
    runs, rng = corners().runs, random.Random(7)
    yield "one zero", chunk([0, 1])
    yield "two values", chunk([1, 0])
    yield "a word", chunk(runs(31, 1))
    yield "two words", chunk(runs(0, 32, 32))
    yield "ends of words", chunk(runs(32, 32, 64, 31, 1, 64, 1, 31, 32))
    for number in (1, 2, 3, 4, 5, 8, 9, 31, 33, 64, 65, 1023, 1025, 2047, 2049):
        rest = POINT.chunk - number
        yield f"{number} zeros", chunk(runs(rest // 2, number, rest - rest // 2))
        yield f"{number} values", chunk(runs(0, rest // 2, number, rest - rest // 2))
    yield "the most zeros", chunk(runs(0, POINT.chunk - 1, 1))
    yield "the most values", chunk(runs(POINT.chunk - 1, 1))
    yield "the most pairs", chunk(runs(*[1, 3] * MOST_PAIRS))
    for pairs in (3, 40, 200, 300):
        numbers = [1 + int(rng.expovariate(pairs / 2000)) for _ in range(2 * pairs)]
        values = [*runs(*numbers)[: POINT.chunk - 1], 1]
        yield f"{pairs} pairs", chunk(values)
        yield f"{pairs} pairs, spelt", chunk(values, rng.sample(range(2 * pairs), pairs))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def writes_bitmaps_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    """Between words that pass, which may be alike."""
    tb = block(dut, idle, stall)
    await tb.reset()
    passing = (bitmap("passing", 1 << i % WORD, 5 << i % 29) for i in range(1000))
    await tb.check(both for name, one in chunks() for both in (case(name, one), next(passing)))


def faults() -> Iterator[tuple[str, Chunk]]:
    """Chunks whose runs are at fault, as the reference says."""
    runs = corners().runs
    sound = chunk(runs(40, 100, 7, 9, 300, 44))
    for name, nonzeros in ("more", 348), ("fewer", 346):
        yield f"{name} values than tokens", replace_runs(sound, nonzeros=nonzeros)
    for name, extra in (
        ("a byte too many", sound.runs.extra + b"\0"),
        ("words too many", sound.runs.extra + bytes(11)),
        ("a byte too few", sound.runs.extra[:-1]),
        ("none", b""),
    ):
        yield name, replace_runs(sound, extra=extra)
    padded = chunk(runs(40, 100, 7, 9, 300, 40))
    for one in sound, padded:
        data = bytearray(one.runs.extra)
        data[-1] |= 128
        yield "padding", replace_runs(one, extra=bytes(data))
    for place in range(6):
        for kind in (MOST_CLASS + 1, 14, 15, 17, 64, 127):
            classes = list(sound.classes)
            classes[place] = kind
            yield f"class {kind}", replace(sound, classes=classes, spelt=frozenset([place]))
            if kind < 16:
                yield f"class {kind}", replace(sound, classes=classes)
        classes = list(sound.classes)
        classes[place] = MOST_CLASS
        longer = sound.runs.extra + bytes(2)
        yield f"a long token {place}", replace_runs(replace(sound, classes=classes), extra=longer)
    for numbers in (32, 32, 32), (1, 1, 30), (33, 64, 31):
        short = chunk(runs(*numbers))
        yield f"fewer zeros, {numbers}", replace_runs(short, nonzeros=sum(numbers[::2]) - 1)


def replace_runs(one: Chunk, **changes: Any) -> Chunk:
    return replace(one, runs=replace(one.runs, **changes))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(stall=[free, coin])
async def finds_faults(dut: Any, stall: Stall) -> None:
    """The bitmap has its number of zeros in any case, and what follows is as if nothing had been.

    No reader of extra bits behind the last byte can tell what it reads there.
    """
    tb = block(dut, stall, stall)
    await tb.reset()
    sound = case("behind a fault", chunk(corners().runs(3, 4, 5, 100)))
    for name, one in faults():
        assert one.bits is None, name
        tb.send(Case(name, inputs(one), {}))
        sink = tb.sinks["m_axis"]
        words = await tb.within(4 * one.count + 500, sink.words(-(-one.count // WORD)))
        bits = sum(word.tdata << WORD * i for i, word in enumerate(words)) & (1 << one.count) - 1
        assert bits.bit_count() == one.count - one.runs.nonzeros, name
        assert [word.tuser for word in words] == [0] * (len(words) - 1) + [1], name
        await tb.check([sound])


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[1, 3, 40, 130])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut, free, coin)
    await tb.reset()
    lost = [case("lost", chunk(corners().runs(*[3, 5] * 80)))]
    await tb.check_after_reset(stop, lost, [case(name, one) for name, one in chunks()])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    """A word of a bitmap at once; of runs a cycle for each token, and for each word."""
    tb = block(dut)
    await tb.reset()
    await tb.check([bitmap("passing", *range(1, 100))])
    latencies = {
        out - came for out, came in zip(tb.moved("m_axis"), tb.moved("s_words"), strict=True)
    }
    assert latencies == {CONTRACT.latency}
    for numbers in [1, 3] * MOST_PAIRS, [5, 7] * 300, [100, 130] * 10, [0, 600, 1]:
        await tb.reset()
        one = chunk(corners().runs(*numbers))
        await tb.check([case("runs", one)] * 3)
        starts = tb.moved("s_words")[:: len(run_words(one.runs, one.count))]
        spans = [b - a for a, b in pairwise(starts)]
        assert spans == [cycles(len(one.classes), one.count)] * 2, (spans, len(one.classes))
