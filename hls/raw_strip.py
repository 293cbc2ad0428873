# SPDX-License-Identifier: Apache-2.0
"""raw_strip: leave bytes that are 0 in all raw parts of a chunk out of its words.

Role         chunk_assemble has one behind raw_queue
Golden       raw_strings of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 5.1: raw parts of three bytes, `trailing` of 8 or 16
Not done     no registers

A word is one of three, as its first byte is the first, second or third of a raw part. With what is
left out that makes seven ways to strip it.
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv

from hls.side_by_side import side_by_side
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)
PART = 3  # bytes of a raw part
WHOLE = 0  # the way in which nothing is left out; the others are
WAYS = [(0, 0)] + [(left_out, phase) for left_out in (1, 2) for phase in range(PART)]
"""For each: how many bytes of a raw part are left out, and which of it the word's first byte is."""
WAY = (len(WAYS) - 1).bit_length()


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
    way       in   number of WAYS
    stripped  out  the bytes that are kept, the first lowest; those behind them are anything
    """
    count = len(word) // 8
    kept = [kept_places(number, count) for number in range(len(WAYS))]
    bytes_kept = [Signal(intbv(0)[8:]) for _ in range(count)]
    picks = [
        pick_byte(word, way, [8 * (places[k] if k < len(places) else k) for places in kept], byte)
        for k, byte in enumerate(bytes_kept)
    ]
    return picks, side_by_side(bytes_kept, stripped)


@block
def pick_byte(word, way, lows, byte):
    """The byte that begins with this bit, for each way."""
    low0, low1, low2, low3, low4, low5, low6 = lows
    top0, top1, top2, top3, top4, top5, top6 = (low + 8 for low in lows)

    @always_comb
    def pick():
        if way == 0:
            byte.next = word[top0:low0]
        elif way == 1:
            byte.next = word[top1:low1]
        elif way == 2:
            byte.next = word[top2:low2]
        elif way == 3:
            byte.next = word[top3:low3]
        elif way == 4:
            byte.next = word[top4:low4]
        elif way == 5:
            byte.next = word[top5:low5]
        else:
            byte.next = word[top6:low6]

    return pick
