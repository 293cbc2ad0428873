# SPDX-License-Identifier: Apache-2.0
"""raw_queue: keep the raw parts of chunks until their codes have left, and give them back as words.

Role         between zero_split and chunk_assemble
Golden       raw_strings of swmodel/reference/encode.py, cut into words
Format       swmodel/FORMAT.md section 5.1
Parameters   fmt: the number format, its raw part one or three bytes; width: raw parts of a group

A word is four units of as many bytes as a group has parts, each in a memory of its own: the units
of a group go to those that come next, whatever word that is, so that nothing is held or shifted.
"""

from __future__ import annotations

from myhdl import (
    Signal,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
    modbv,
)

from hls.choose import choose
from hls.fifo import cut
from hls.point import POINT, NumberFormat
from hls.ram import ram
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, item_bits

UNITS = 4  # of `width` bytes, in a word
SPARE = 4  # words that may be begun before a queue is seen to be full

CONTRACT = Contract(latency=2, interval=1)  # from the group that completes a word to the word


def depth(fmt: NumberFormat, width: int) -> int:
    """Words: a power of two that holds the raw parts of two chunks and a quarter.

    When a chunk's first raw part leaves, two chunks, a block and the chunk's codes have gone by.
    """
    words = 9 * POINT.chunk // 4 * fmt.raw // (8 * UNITS * width)
    return 1 << (words - 1).bit_length()


def ports(fmt, width=1):
    number = item_bits(width) if fmt.raw > 8 else 0
    return {
        "s_axis": AxiStream(width * fmt.raw, user=number),
        "m_axis": AxiStream(8 * UNITS * width, last=False),
    }


@block
def raw_queue(clk, rst, s_axis, m_axis, fmt, width=1):
    """Take a group a cycle, and give a word a cycle.

    s_axis  in   raw parts, the first lowest; tuser = their number less 1, where it matters: if a
                 group has more than a unit; tlast = the chunk's last group, which alone may be
                 short
    m_axis  out  words of 4 bytes for each part of a group: the raw parts side by side, each chunk's
                 from a new word on. The bytes behind a chunk's last are anything
    rst     in   synchronous, active high; empties the queue
    """
    bits = 8 * width  # of a unit
    group_units = fmt.raw // 8
    words = depth(fmt, width)
    address_bits = (words - 1).bit_length()
    full_level = words - SPARE

    place = Signal(modbv(0)[2:])  # of the next unit in its word
    tail = Signal(modbv(0)[address_bits + 1 :])  # that word; one bit more tells full from empty
    head = Signal(modbv(0)[address_bits + 1 :])  # the word that is read next
    used = Signal(modbv(0)[address_bits + 1 :])
    crowded = Signal(bool(0))
    take = Signal(bool(0))
    read = Signal(bool(0))
    reach = Signal(intbv(0)[3:])  # the place behind the group
    steps = Signal(intbv(0)[2:])  # words that it completes

    units = [Signal(intbv(0)[bits:]) for _ in range(group_units)]
    cuts = [cut(s_axis.tdata, unit, bits * (i + 1)) for i, unit in enumerate(units)]
    here, after = tail(address_bits, 0), Signal(modbv(0)[address_bits:])
    following = find_after(here, after) if group_units > 1 else []
    banks, shown = [], []
    for bank in range(UNITS):
        write = Signal(bool(0))
        address = Signal(modbv(0)[address_bits:])
        unit = Signal(intbv(0)[bits:])
        unit_shown = Signal(intbv(0)[bits:])
        if group_units == 1:
            banks.append(aim_one(take, place, here, units[0], write, address, unit, bank))
        else:
            numbers = [min((bank - first) % UNITS, group_units - 1) for first in range(UNITS)]
            banks.append(choose([units[number] for number in numbers], place, unit))
            banks.append(aim_three(take, place, here, after, write, address, bank))
        banks.append(ram(clk, write, address, unit, read, head(address_bits, 0), unit_shown, words))
        shown.append(unit_shown)
    word = side_by_side(shown, m_axis.tdata)
    measure = measure_group(s_axis, place, reach, group_units, width)

    @always_comb
    def flow():
        s_axis.tready.next = not crowded
        take.next = s_axis.tvalid and not crowded

    @always_comb
    def complete():
        steps.next = concat(intbv(0)[1:], reach[2])
        if s_axis.tlast:
            if reach > UNITS:
                steps.next = 2
            else:
                steps.next = 1

    @always_comb
    def usage():
        used.next = tail - head

    @always_comb
    def fetch():
        read.next = tail != head and (not m_axis.tvalid or m_axis.tready)

    @always_seq(clk.posedge, reset=rst)
    def move():
        crowded.next = used >= full_level
        if take:
            tail.next = tail + concat(intbv(0)[address_bits - 1 :], steps)
            place.next = reach[2:]
            if s_axis.tlast:
                place.next = 0
        if read:
            head.next = head + 1
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    return instances()


@block
def find_after(here, after):
    """The word behind the one that is filled."""

    @always_comb
    def add():
        after.next = here + 1

    return add


@block
def aim_one(take, place, here, entering, write, address, unit, bank):
    """Groups of one unit go to one bank after the other."""

    @always_comb
    def select():
        write.next = take and place == bank
        address.next = here
        unit.next = entering

    return select


@block
def aim_three(take, place, here, after, write, address, bank):
    """A group of three units leaves out the bank in front of its first; the others may wrap."""
    left_out = (bank + 1) % UNITS

    @always_comb
    def select():
        write.next = take and place != left_out

    if bank == UNITS - 1:

        @always_comb
        def locate():
            address.next = here

    else:

        @always_comb
        def locate():
            address.next = here
            if place > bank:
                address.next = after

    return instances()


@block
def measure_group(s_axis, place, reach, group_units, width):
    """The place behind the group's last unit that counts."""
    if group_units == 1 or width == 1:

        @always_comb
        def add():
            reach.next = concat(intbv(0)[1:], place) + group_units

    elif width == 2:  # of 2 bytes: one part takes two

        @always_comb
        def add():
            reach.next = concat(intbv(0)[1:], place) + concat(True, s_axis.tuser)

    else:  # of 4 bytes: one part takes one, two take two, three take three

        @always_comb
        def add():
            reach.next = (
                concat(intbv(0)[1:], place)
                + concat(intbv(0)[1:], s_axis.tuser)
                + (not (s_axis.tuser[1] and s_axis.tuser[0]))
            )

    return add
