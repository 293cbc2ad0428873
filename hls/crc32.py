# SPDX-License-Identifier: Apache-2.0
"""crc32: the CRC-32 of a chunk's values, a group of them a cycle.

Role         the check value of encoder and decoder
Golden       zlib.crc32 of the values as they lie in memory
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format, whose values are whole bytes; width: values of a group
Not done     no stall: a group enters in the cycle in which `take` is high. Every group is full:
             `shorten` takes zeros off the end again

Each bit of the next check is a sum of bits of this one and of the group. One network of XOR gates
makes all of them, and is as shallow as it can be.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

from myhdl import ConcatSignal, Signal, always_comb, always_seq, block, instances, intbv

from hls.stream import Contract

POLYNOMIAL = 0xEDB88320  # reflected: the first bit of a value is its lowest
WIDTH = 32
ONES = (1 << WIDTH) - 1
BYTE = 8


LATENCY = 1  # from a group to its check

CONTRACT = Contract(latency=LATENCY, interval=1)


def ports(fmt, width=1):
    return {
        "take": Signal(bool(0)),
        "first": Signal(bool(0)),
        "value": Signal(intbv(0)[width * fmt.width :]),
        "check": Signal(intbv(0)[WIDTH:]),
    }


@block
def crc32(clk, rst, take, first, value, check, undo=None):
    """CRC-32 over the groups taken since the latest `first`, that one included.

    take   in   a group enters at this clock edge
    first  in   with take: the group is a chunk's first, those before it are forgotten
    value  in   a group of values, the first in the lowest bits; a value is little-endian
    check  out  the CRC-32, the contract's latency after take
    rst    in   synchronous, active high
    A flag `undo` may be given: when it is set, and no group enters, the check is shortened.
    """
    earlier = Signal(intbv(0)[WIDTH:])  # check without this group
    remainder = Signal(intbv(0)[WIDTH:])
    following = Signal(intbv(0)[WIDTH:])
    total = Signal(intbv(0)[WIDTH:])

    network = xor_network([remainder, value], following, dependencies(len(value)))

    @always_comb
    def origin():
        earlier.next = 0
        if not first:
            earlier.next = check

    @always_comb
    def complement():
        remainder.next = ~earlier
        total.next = ~following

    summation = accumulate(clk, rst, take, total, check, undo)
    return instances()


@block
def accumulate(clk, rst, take, total, check, undo):
    """The check: another total, or shorter."""
    if undo is None:

        @always_seq(clk.posedge, reset=rst)
        def step():
            if take:
                check.next = total

        return step

    shorter = Signal(intbv(0)[WIDTH:])
    shortening = shorten(check, shorter)

    @always_seq(clk.posedge, reset=rst)
    def step_or_undo():
        if take:
            check.next = total
        elif undo:
            check.next = shorter

    return shortening, step_or_undo


@block
def shorten(check, shorter):
    """The CRC-32 without the last byte, which was 0.

    check    in   a CRC-32
    shorter  out  in the same cycle
    """
    remainder = Signal(intbv(0)[WIDTH:])
    earlier = Signal(intbv(0)[WIDTH:])

    network = xor_network([remainder], earlier, undone_byte())

    @always_comb
    def complement():
        remainder.next = ~check
        shorter.next = ~earlier

    return instances()


def dependencies(width):
    """For each bit of the next remainder, the bits of remainder and group whose sum it is."""
    rows = [[] for _ in range(WIDTH)]
    for column in range(width + WIDTH):
        bit = column if column < WIDTH else column - WIDTH  # of what is divided
        remainder = 1 << bit % WIDTH
        for _ in range(width - bit // WIDTH * WIDTH):
            remainder = remainder >> 1 ^ (POLYNOMIAL if remainder & 1 else 0)
        for row in range(WIDTH):
            if remainder >> row & 1:
                rows[row].append(column)
    return rows


def undone_byte():
    """For each bit of the remainder before a byte of zeros, the bits after it whose sum it is."""
    rows = [[] for _ in range(WIDTH)]
    for column in range(WIDTH):
        remainder = 1 << column
        for _ in range(BYTE):
            odd = remainder >> (WIDTH - 1)  # a 1 was shifted out: only then the highest bit is set
            remainder = (remainder ^ (POLYNOMIAL if odd else 0)) << 1 | odd
        for row in range(WIDTH):
            if remainder >> row & 1:
                rows[row].append(column)
    return rows


@block
def xor_network(words, sums, rows):
    """Bit i of sums is the sum of those bits of the words, side by side, that rows[i] lists."""
    terms = [word(i) for word in words for i in range(len(word))]
    pairs, results = plan(tuple(tuple(row) for row in rows), len(terms))
    gates = []
    for left, right in pairs:
        total = Signal(bool(0))
        gates.append(xor2(terms[left], terms[right], total))
        terms.append(total)
    joined = ConcatSignal(*(terms[term] for term in reversed(results)))

    @always_comb
    def outputs():
        sums.next = joined

    return gates, outputs


@cache
def plan(rows, count):
    """Two-input gates that add the terms of each row: pairs of terms, and the term of each row.

    Terms 0 to count - 1 are given, pair i is term count + i. The pair that most rows need is added
    first, in those rows where that leaves a tree no deeper than the longest row must be.
    """
    depth, pairs = [0] * count, []
    rows = [set(row) for row in rows]
    room = 1 << (max(map(len, rows)) - 1).bit_length()  # leaves of a tree
    used = [len(row) for row in rows]  # those that a row's terms are worth

    def waste(left, right):
        """The leaves that adding a pair wastes."""
        return abs((1 << depth[left]) - (1 << depth[right]))

    def wanted(i):
        spare = room - used[i]
        return [pair for pair in combinations(sorted(rows[i]), 2) if waste(*pair) <= spare]

    wishes = [wanted(i) for i in range(len(rows))]
    needs = Counter(pair for pairs_of_row in wishes for pair in pairs_of_row)
    while needs:
        most = max(needs.values())
        left, right = max(
            (pair for pair, need in needs.items() if need == most),
            key=lambda pair: (-waste(*pair), -max(depth[pair[0]], depth[pair[1]]), pair),
        )
        term, wasted = count + len(pairs), waste(left, right)
        pairs.append((left, right))
        depth.append(1 + max(depth[left], depth[right]))
        for i, row in enumerate(rows):
            if left in row and right in row and wasted <= room - used[i]:
                needs.subtract(wishes[i])
                row -= {left, right}
                row.add(term)
                used[i] += wasted
                wishes[i] = wanted(i)
                needs.update(wishes[i])
        needs = +needs
    return pairs, [min(row) for row in rows]


@block
def xor2(a, b, total):
    @always_comb
    def gate():
        total.next = a ^ b

    return gate
