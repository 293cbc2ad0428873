# SPDX-License-Identifier: Apache-2.0
"""raw_strip: leave bytes that are 0 in all raw parts of a chunk out of its words.

Role         byte_pack has one at its input; chunk_assemble says which way
Golden       raw_strings of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 5.1: raw parts of three bytes, `trailing` of 8 or 16
Not done     no registers

A word is one of three, as its first byte is the first, second or third of a raw part. With what is
left out that makes seven ways to strip it.
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv

from hls.fifo import cut
from hls.point import POINT
from hls.side_by_side import side_by_side
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)
PART = 3  # bytes of a raw part
MOST_SOURCES = 6  # places from which a byte may come
WHOLE = 0  # the way in which nothing is left out; the others are
WAYS = [(0, 0)] + [(left_out, phase) for left_out in (1, 2) for phase in range(PART)]
"""For each: how many bytes of a raw part are left out, and which of it the word's first byte is."""
WAY = (len(WAYS) - 1).bit_length()
TAIL_SPANS = tuple(
    -(-POINT.tail // (PART - left_out)) * PART if left_out else POINT.tail
    for left_out in range(PART)
)
"""For so many left out: of how many of a chunk's last bytes those that are kept are its tail."""


def kept_places(way: int, count: int) -> list[int]:
    """The bytes of a word of so many that are kept."""
    left_out, phase = WAYS[way]
    return [k for k in range(count) if (phase + k) % PART >= left_out]


def first_way(left_out: int) -> int:
    """The way of a chunk's first word."""
    return WAYS.index((left_out, 0))


def next_way(way: int, count: int) -> int:
    """The way of the word behind one of so many bytes."""
    left_out, phase = WAYS[way]
    return WAYS.index((left_out, (phase + count) % PART)) if left_out else WHOLE


def way_rom(count: int) -> tuple[int, ...]:
    """For each way that of the next word."""
    ways = [next_way(way, count) for way in range(len(WAYS))]
    return tuple(ways + [WHOLE] * ((1 << WAY) - len(ways)))


def rest_rom(count: int) -> tuple[int, ...]:
    """For each {way, number of a word's last byte}: the bytes up to it that are kept, less one."""
    rom = []
    for way in range(1 << WAY):
        kept = kept_places(min(way, len(WAYS) - 1), count)
        rom += [max(0, sum(place <= last for place in kept) - 1) for last in range(count)]
    return tuple(rom)


@block
def raw_strip(word, way, stripped):
    """Strip a word.

    word      in   of raw parts
    way       in   a bit for each of WAYS, of which one is set
    stripped  out  the bytes that are kept, the first lowest; those behind them are anything
    """
    count = len(word) // 8
    kept = [kept_places(number, count) for number in range(len(WAYS))]
    bytes_kept = [Signal(intbv(0)[8:]) for _ in range(count)]
    picks = []
    for k, byte in enumerate(bytes_kept):
        sources = {}  # where the byte may be in the word, and for each in which ways it is
        for number, places in enumerate(kept):
            if k < len(places):
                sources.setdefault(places[k], []).append(number)
        picks.append(pick_byte(word, way, sources, byte))
    return picks, side_by_side(bytes_kept, stripped)


@block
def pick_byte(word, way, sources, byte):
    """The byte of one of so many sources."""
    if len(sources) == 1:
        (place,) = sources
        return cut(word, byte, 8 * place + 8)
    flags, candidates, looks = [], [], []
    for place, ways in sources.items():
        flag = Signal(bool(0))
        candidate = Signal(intbv(0)[8:])
        looks.append(find(way, sum(1 << number for number in ways), flag))
        looks.append(take(word, flag, place, candidate))
        candidates.append(candidate)
    c0, c1, c2, c3, c4, c5 = (*candidates, 0, 0, 0, 0)[:MOST_SOURCES]

    @always_comb
    def join():
        byte.next = c0 | c1 | c2 | c3 | c4 | c5

    return join, looks


@block
def find(way, ways, flag):
    """Whether the way is one of these."""

    @always_comb
    def look():
        flag.next = (way & ways) != 0

    return look


@block
def take(word, flag, place, candidate):
    """The byte at this place, or 0."""
    low, top = 8 * place, 8 * place + 8

    @always_comb
    def choose():
        candidate.next = 0
        if flag:
            candidate.next = word[top:low]

    return choose
