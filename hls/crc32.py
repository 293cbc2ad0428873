# SPDX-License-Identifier: Apache-2.0
"""crc32: the CRC-32 of a chunk's values, a group of them a cycle.

Role         the check value of encoder and decoder
Golden       zlib.crc32 of the values as they lie in memory
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format, whose values are whole bytes; width: values of a group
Not done     no stall: a group enters in the cycle in which `take` is high. Every group is full:
             `shorten` takes zeros off the end again

A group of up to 32 bits is added to the remainder, and both go through one network of XOR gates. Of
a wider one only the remainder does: what the group adds is summed up in the cycle before.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from myhdl import ConcatSignal, Signal, always, always_comb, always_seq, block, instances, intbv

from hls.stream import Contract

POLYNOMIAL = 0xEDB88320  # reflected: the first bit of a value is its lowest
WIDTH = 32
ONES = (1 << WIDTH) - 1
BYTE = 8


def contract(fmt, width=1):
    """The latency is 2 for a group of more than 32 bits."""
    return Contract(latency=latency(width * fmt.width), interval=1)


def latency(bits: int) -> int:
    """Cycles from a group of so many bits to its check."""
    return 1 if bits <= WIDTH else 2


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
    A flag `undo` may be given: when it is set, and no group is on its way, the check is shortened.
    """
    step = narrow if latency(len(value)) == 1 else wide
    return step(clk, rst, take, first, value, check, undo)


@block
def narrow(clk, rst, take, first, value, check, undo):
    """Add the group to the remainder, then divide."""
    earlier = Signal(intbv(0)[WIDTH:])  # check without this group
    mixed = Signal(intbv(0)[WIDTH:])
    following = Signal(intbv(0)[WIDTH:])
    total = Signal(intbv(0)[WIDTH:])
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

    @always_comb
    def add():
        total.next = ~following

    summation = accumulate(clk, rst, take, total, check, undo)
    return instances()


@block
def wide(clk, rst, take, first, value, check, undo):
    """Divide the group, and in the next cycle the remainder, and add."""
    rows = dependencies(len(value))
    remainder_rows = [[column for column in row if column < WIDTH] for row in rows]
    start = sum((len(row) & 1) << bit for bit, row in enumerate(remainder_rows))  # of ones

    sums = Signal(intbv(0)[WIDTH:])
    addend = Signal(intbv(0)[WIDTH:])
    taken = Signal(bool(0))
    taken_first = Signal(bool(0))
    remainder = Signal(intbv(0)[WIDTH:])
    divided = Signal(intbv(0)[WIDTH:])
    moved = Signal(intbv(0)[WIDTH:])
    total = Signal(intbv(0)[WIDTH:])

    network = xor_network(value, sums, rows)
    loop = xor_network(remainder, divided, remainder_rows)

    @always_comb
    def complement():
        remainder.next = ~check

    @always_comb
    def origin():
        moved.next = intbv(start)[WIDTH:]
        if not taken_first:
            moved.next = divided

    @always_seq(clk.posedge, reset=rst)
    def enter():
        taken.next = take

    @always(clk.posedge)
    def divide():
        addend.next = sums
        taken_first.next = first

    @always_comb
    def add():
        total.next = ~(moved ^ addend)

    summation = accumulate(clk, rst, taken, total, check, undo)
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

    network = xor_network(remainder, earlier, undone_byte())

    @always_comb
    def complement():
        remainder.next = ~check
        shorter.next = ~earlier

    return instances()


def dependencies(width):
    """For each bit of the next remainder, the bits of (remainder ^ group) whose sum it is."""
    rows = [[] for _ in range(WIDTH)]
    for column in range(max(WIDTH, width)):
        remainder = 1 << column % WIDTH
        for _ in range(width - column // WIDTH * WIDTH):
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
def xor_network(word, sums, rows):
    """Bit i of sums is the sum of those bits of word that rows[i] lists.

    The trees of two-input gates are balanced, and a pair that several rows need is added once.
    """
    terms, rows, gates = [word(i) for i in range(len(word))], [list(row) for row in rows], []
    while any(len(row) > 1 for row in rows):  # one level of every tree
        added = [[] for _ in rows]
        pairs = Counter(pair for row in rows for pair in combinations(row, 2))
        while pairs:
            left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
            total = Signal(bool(0))
            gates.append(xor2(terms[left], terms[right], total))
            for row, done in zip(rows, added, strict=True):
                if left in row and right in row:
                    pairs.subtract(p for p in combinations(row, 2) if left in p or right in p)
                    row.remove(left)
                    row.remove(right)
                    done.append(len(terms))
            pairs = +pairs
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
