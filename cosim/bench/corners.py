# SPDX-License-Identifier: Apache-2.0
"""Frames for the codec: constructed corners, and the gradients of tables/samples.

A frame is a list of bit patterns. Only hls/point.py and the table set are known here: what a frame
becomes is the golden's to say.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from cosim.bench import setting
from hls.configuration import ROOT
from hls.point import ESCAPE, POINT, SYMBOLS, NumberFormat, Tables

Frame = list[int]

SAMPLES = ROOT / "tables" / "samples"
FAR = 40  # an exponent this far below the block's greatest has no symbol
SMALL = (1, 2, 3, 4, 5, 6, 7, 8, *(0,) * 7, 8)  # tables with all lengths, for small symbols,
LARGE = (8, *(0,) * 7, 7, 6, 5, 4, 3, 2, 1, 8)  # and for large ones


class Corners:
    """Frames of a number format and table set, the same whenever the seed (the run's) is."""

    def __init__(self, fmt: NumberFormat, tables: Tables, seed: int | None = None) -> None:
        self.fmt, self.tables = fmt, tables
        self.rng = random.Random(setting.seed() if seed is None else seed)
        self.top = 2**fmt.exponent - 1

    def value(self, exponent: int) -> int:
        """A value with this exponent, whatever sign and mantissa but not a zero."""
        pattern = 0
        while pattern == 0:
            raw = self.rng.getrandbits(self.fmt.raw)
            sign, mantissa = raw >> self.fmt.mantissa, raw & (2**self.fmt.mantissa - 1)
            pattern = (sign << self.fmt.exponent | exponent) << self.fmt.mantissa | mantissa
        return pattern

    def gradient(self, count: int, zeros: float = 0.0, deepest: int = 60) -> Frame:
        """Values whose exponents fall off as those of a dense gradient do."""
        frame = []
        for _ in range(count):
            drop = min(int(self.rng.expovariate(0.5)), deepest)
            frame.append(0 if self.rng.random() < zeros else self.value(120 - drop))
        return frame

    def noise(self, count: int) -> Frame:
        """Any exponent: blocks that are best left raw."""
        return [self.value(self.rng.randrange(self.top + 1)) for _ in range(count)]

    def block_of(self, table: int) -> Frame:
        """A full block in which a table's every codeword appears as often as its length implies.

        The table costs the entropy of the block then, so that no other can be cheaper; what has no
        codeword is left to the escape.
        """
        lengths = self.tables[table]
        without = [s for s in range(ESCAPE) if not lengths[s]] + list(range(ESCAPE, FAR))
        emax, block = self.rng.randrange(FAR + 1, self.top + 1), []
        for symbol in range(SYMBOLS):
            times = POINT.block >> lengths[symbol] if lengths[symbol] else 0
            for i in range(times):
                drop = symbol if symbol < ESCAPE else without[i % len(without)]
                block.append(self.value(emax - drop))
        self.rng.shuffle(block)
        return block

    def specials(self) -> Frame:
        """NaN payloads, infinities, subnormals, both zeros, and their neighbours."""
        mantissa, sign = self.fmt.mantissa, 1 << (self.fmt.width - 1)
        infinity = self.top << mantissa
        payloads = [infinity | 1 << bit for bit in range(mantissa)]
        subnormals = [1 << bit for bit in range(mantissa)] + [(1 << mantissa) - 1, 1 << mantissa]
        positive = [0, infinity, infinity - 1, *payloads, *subnormals]
        frame = positive + [sign | pattern for pattern in positive]
        self.rng.shuffle(frame)
        return frame

    def escapes(self, lane: int | None, count: int = POINT.block) -> Frame:
        """A block that is coded by a table, with escapes in one lane or, for None, in a burst."""
        frame = [self.value(100) for _ in range(count)]
        lanes = POINT.lanes
        where = range(lane, 96 * lanes, 3 * lanes) if lane is not None else range(200, 240)
        for i in where:
            if i < count:
                frame[i] = self.value(100 - FAR)
        return frame

    def short(self, count: int, bits: int) -> Frame:
        """Values whose last bits, as many as there are of these, are 0."""
        mask = (1 << min(bits, self.fmt.mantissa)) - 1
        return [value & ~mask for value in self.escapes(1, count)]

    def with_nonzeros(self, count: int, nonzeros: int) -> Frame:
        """So many non-zeros at random places."""
        frame = [0] * count
        for i in self.rng.sample(range(count), nonzeros):
            frame[i] = self.gradient(1)[0]
        return frame

    def runs(self, *numbers: int) -> Frame:
        """So many values that are not zero, so many zeros, and so on."""
        frame: Frame = []
        for i, number in enumerate(numbers):
            frame += [0] * number if i % 2 else self.gradient(number)
        return frame

    def as_cheap_raw(self) -> Iterator[Frame]:
        """Short blocks whose cheapest table costs exactly what raw costs."""
        for many, few in product(range(1, 9), range(1, 33)):
            symbols = [0] * many + [ESCAPE] * few
            costs = [
                sum(lengths[s] + 8 * (s == ESCAPE) if lengths[s] else 99 for s in symbols)
                for lengths in self.tables
            ]
            if min(costs) == 8 * len(symbols):
                frame = [self.value(90 - FAR * (s == ESCAPE)) for s in symbols]
                self.rng.shuffle(frame)
                yield frame

    def edges(self) -> Iterator[tuple[str, Frame]]:
        """Short frames: where counts, words, blocks and raw bytes begin and end."""
        for count in (1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65):
            yield f"{count} values", self.gradient(count)
        for count in (1, 31, 32, 33):
            yield f"{count} zeros", [0] * count
        for count in (33, 64, 100):
            one = self.gradient(1)
            yield f"first of {count}", one + [0] * (count - 1)
            yield f"last of {count}", [0] * (count - 1) + one
            yield f"all but the last of {count}", [*self.gradient(count - 1), 0]
            yield f"all but the first of {count}", [0, *self.gradient(count - 1)]
        for nonzeros in (2, 3, 4, 5, 8, 9):
            yield f"{nonzeros} of 70", self.with_nonzeros(70, nonzeros)
        for count, bits in product((1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 40), (8, 16)):
            yield f"{count} values, {bits} bits short", self.short(count, bits)
        for bits in (8, 16):
            many, few = self.short(19, bits), self.short(3, bits - 1)
            yield f"the first ones not {bits} bits short", [*few, 0, *many]
            yield f"the last ones not {bits} bits short", [*many, 0, *few]
        yield "minus zeros", [1 << (self.fmt.width - 1)] * 40
        yield "special values", self.specials()
        for i, frame in zip(range(3), self.as_cheap_raw(), strict=False):
            yield f"as cheap raw {i}", frame

    def blocks(self) -> Iterator[tuple[str, Frame]]:
        """Frames of a few blocks: every table, raw blocks, escapes in every lane."""
        for count in (511, 512, 513):
            yield f"{count} values", self.gradient(count)
            yield f"{count} non-zeros", self.with_nonzeros(900, count)
        for lane in range(POINT.lanes):
            yield f"escapes in lane {lane}", self.escapes(lane, POINT.block - 8 * lane)
        yield "a burst of escapes", self.escapes(None)
        yield "a raw block", self.noise(POINT.block)
        yield "a short raw block", self.noise(77)

    def rounds(self) -> Iterator[tuple[str, Frame]]:
        """Few runs of zeros, so that their tokens end anywhere in a round of the lanes."""
        for count in range(1, 3 * POINT.lanes // 2 + 1):
            yield f"{count} runs of zeros", self.runs(*[40, 60] * count)
            yield "no zeros", self.gradient(count)

    def stripped(self) -> Iterator[tuple[str, Frame]]:
        """Frames in all of whose values some low bytes of the mantissa are 0."""
        for low in range(0, self.fmt.mantissa, 8):
            for count in (*range(1, 14), 200, 511, 513, 1100, 1600, 2100, POINT.chunk + 9):
                values = self.gradient(count)
                least = 1 << low
                frame = [value & -least | least for value in values]
                yield f"{count} values without {low} bits", frame

    def relearned(self) -> Iterator[tuple[Tables, list[tuple[str, Frame]]]]:
        """Other sets of as many tables, and frames that use them.

        The same ones in another order; and at the ends two that have all lengths, one for small
        symbols and one for large ones.
        """
        small = [((~i & i + 1).bit_length() - 1) % 8 for i in range(POINT.block)]
        drops = (small + [0] + [14 - drop for drop in small[1:]]) * 2
        frames = [(f"table {i}", self.block_of(i)) for i in range(len(self.tables))]
        frames += [("small and large symbols", [self.value(120 - drop) for drop in drops])]
        yield self.tables[::-1], frames
        yield (SMALL, *self.tables[1:-1], LARGE), frames

    def mixture(self) -> Iterator[tuple[str, Frame]]:
        """One frame with a bit of everything."""
        parts = [
            self.noise(POINT.block),
            self.gradient(300, zeros=0.4),
            self.specials(),
            self.escapes(None, 300),
            [0] * 64,
            self.noise(100),
            self.gradient(99),
        ]
        yield "a mixture", list(chain.from_iterable(parts))

    def whole_tables(self) -> Iterator[tuple[str, Frame]]:
        """Chunks in which every codeword of every table occurs."""
        half = len(self.tables) // 2
        for part in (range(half), range(half, len(self.tables))):
            yield f"tables {part}", list(chain.from_iterable(map(self.block_of, part)))

    def chunks(self) -> Iterator[tuple[str, Frame]]:
        """Frames of about a chunk, and of more."""
        chunk = POINT.chunk
        yield "a chunk less one", self.gradient(chunk - 1)
        yield "a chunk and one", self.gradient(chunk + 1, zeros=0.5)
        yield "a chunk of zeros, then none", [0] * chunk + self.gradient(100)
        yield "raw with zeros", [v if i % 32 else 0 for i, v in enumerate(self.noise(chunk))]
        for bits in (8, 16):
            frame = self.short(3 * chunk // 2, bits)
            yield f"{bits} bits short", [v if i % 5 else 0 for i, v in enumerate(frame)]
        yield "unlike every fourth", [self.value(100 - FAR * (i % 4 > 0)) for i in range(2 * chunk)]


def samples(fmt: NumberFormat, chunks: int) -> Iterator[tuple[str, Frame]]:
    """The first chunks of every sample of this format that is kept for tests."""
    with (SAMPLES / "MANIFEST.toml").open("rb") as file:
        described = tomllib.load(file)["sample"]
    for sample in described:
        if sample["purpose"] == "test" and sample["dtype"] == fmt.name:
            patterns = np.load(SAMPLES / sample["file"]).ravel().view(f"<u{fmt.width // 8}")
            yield sample["file"], patterns[: chunks * POINT.chunk].tolist()
