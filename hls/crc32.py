# SPDX-License-Identifier: Apache-2.0
"""crc32: the CRC-32 of a chunk's values, one value a cycle.

Role         the check value of encoder and decoder
Golden       zlib.crc32 of the values as they lie in memory
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format; a value has 8 to 32 bits, a whole number of bytes
Not done     no stall: a value enters in the cycle in which `take` is high
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from myhdl import ConcatSignal, Signal, always_comb, always_seq, block, instances, intbv

from hls.stream import Contract

POLYNOMIAL = 0xEDB88320  # reflected: the first bit of a value is its lowest
WIDTH = 32

CONTRACT = Contract(latency=1, interval=1)


def ports(fmt):
    return {
        "take": Signal(bool(0)),
        "first": Signal(bool(0)),
        "value": Signal(intbv(0)[fmt.width :]),
        "check": Signal(intbv(0)[WIDTH:]),
    }


@block
def crc32(clk, rst, take, first, value, check):
    """CRC-32 over the values taken since the latest `first`, that one included.

    take   in   value enters at this clock edge
    first  in   with take: the value is a chunk's first, those before it are forgotten
    value  in   a value, little-endian
    check  out  the CRC-32, from the cycle after take
    rst    in   synchronous, active high
    """
    earlier = Signal(intbv(0)[WIDTH:])  # check without this value
    mixed = Signal(intbv(0)[WIDTH:])
    following = Signal(intbv(0)[WIDTH:])
    width = len(value)

    network = xor_network(mixed, following, dependencies(width))

    @always_comb
    def origin():
        earlier.next = 0
        if not first:
            earlier.next = check

    @always_comb
    def mix():
        mixed.next = ~earlier
        mixed.next[width:] = ~earlier[width:] ^ value

    @always_seq(clk.posedge, reset=rst)
    def step():
        if take:
            check.next = ~following

    return instances()


def dependencies(width):
    """For each bit of the next remainder, the bits of (remainder ^ value) whose sum it is."""
    rows = [[] for _ in range(WIDTH)]
    for column in range(WIDTH):
        remainder = 1 << column
        for _ in range(width):
            remainder = remainder >> 1 ^ (POLYNOMIAL if remainder & 1 else 0)
        for row in range(WIDTH):
            if remainder >> row & 1:
                rows[row].append(column)
    return rows


@block
def xor_network(word, sums, rows):
    """Bit i of sums is the sum of those bits of word that rows[i] lists.

    The trees of two-input gates are balanced, and a pair that several rows need is added once.
    """
    terms, rows, gates = [word(i) for i in range(len(word))], [list(row) for row in rows], []
    while any(len(row) > 1 for row in rows):  # one level of every tree
        added = [[] for _ in rows]
        while pairs := Counter(pair for row in rows for pair in combinations(row, 2)):
            left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
            total = Signal(bool(0))
            gates.append(xor2(terms[left], terms[right], total))
            for row, done in zip(rows, added, strict=True):
                if left in row and right in row:
                    row.remove(left)
                    row.remove(right)
                    done.append(len(terms))
            terms.append(total)
        rows = [sorted(row + done) for row, done in zip(rows, added, strict=True)]
    joined = ConcatSignal(*(terms[row[0]] for row in reversed(rows)))

    @always_comb
    def outputs():
        sums.next = joined

    return gates, outputs


@block
def xor2(a, b, total):
    @always_comb
    def gate():
        total.next = a ^ b

    return gate
