# SPDX-License-Identifier: Apache-2.0
"""compact: those of a group's items that count, side by side from any slot on.

Role         zero_split gathers the non-zeros of several values into full groups with it
Parameters   W, the number of items and of slots: 1, 2 or 4
Not done     no registers; a slot that no item is sent to shows any of them

Item j goes to slot (offset + items before it that count) mod W. A butterfly does that without two
items ever meeting: if both of two neighbours count, the lowest bits of their slots differ; of the
items that a slot may then take from two pairs, the next bits do.
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv, modbv

from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def compact(items, some, offset, slots):
    """Send W items to W slots.

    items   in   list of words
    some    in   list of flags: the item counts
    offset  in   slot of the first item that counts; ignored if W is 1
    slots   out  list of words
    """
    width, parts = len(items), []
    if width not in (1, 2, 4):
        raise ValueError(f"groups of {width}")
    if width == 1:
        return through(items[0], slots[0])

    bits = (width - 1).bit_length()
    where = [Signal(modbv(0)[bits:]) for _ in range(width)]
    parts.append(through(offset, where[0]))
    counters = [after(where[j], some[j], where[j + 1]) for j in range(width - 1)]
    for level in range(bits):
        bit, following = 1 << level, 2 << level
        last = level == bits - 1
        crossed = [Signal(bool(0)) for _ in range(width)]  # of a pair, at the place of its first
        moved = slots if last else [Signal(intbv(0)[len(items[0]) :]) for _ in range(width)]
        moved_some = [Signal(bool(0)) for _ in range(width)]
        moved_where = [Signal(modbv(0)[bits:]) for _ in range(width)]
        for i in range(width):
            other, cross = i ^ bit, crossed[i & ~bit]
            if i < other:
                parts.append(decide(some[i], where[i], where[other], cross, level))
            parts.append(pick(items[i], items[other], cross, moved[i]))
            if not last:
                parts.append(pick(where[i], where[other], cross, moved_where[i]))
            if not last and not i & following:  # the first of a pair of the next level
                parts.append(pick(some[i], some[other], cross, moved_some[i]))
        items, some, where = moved, moved_some, moved_where
    return counters, parts


@block
def through(item, slot):
    @always_comb
    def show():
        slot.next = item

    return show


@block
def after(where, some, following):
    """The slot of the item behind one."""

    @always_comb
    def add():
        following.next = where + some

    return add


@block
def decide(some, where_a, where_b, crossed, level):
    """Whether two items change places: by the slot of the first if it counts, else the second."""

    @always_comb
    def choose():
        crossed.next = not where_b[level]
        if some:
            crossed.next = where_a[level]

    return choose


@block
def pick(here, there, crossed, picked):
    @always_comb
    def choose():
        picked.next = here
        if crossed:
            picked.next = there

    return choose
