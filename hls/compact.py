# SPDX-License-Identifier: Apache-2.0
"""compact: those of a group's items that count, side by side from any slot on.

Role         zero_split gathers the non-zeros of several values into full groups with it
Parameters   W, the number of items and of slots: 1, 2 or 4
Not done     no registers; a slot that no item is sent to shows any of them

Item j goes to slot (offset + items before it that count) mod W. Neighbours change places so that
each stands at an even or odd place as its slot is, then those two places apart. No two items ever
meet: the slots of two that count differ by no more than their places do.
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, instances, intbv

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
    width = len(items)
    if width not in (1, 2, 4):
        raise ValueError(f"groups of {width}")
    if width == 1:
        return through(items[0], slots[0])

    crossed = [Signal(bool(0)) for _ in range(width)]
    moved = slots if width == 2 else [Signal(intbv(0)[len(items[0]) :]) for _ in items]
    control = cross(some, offset, crossed)
    near = [pick(items[i], items[i ^ 1], crossed[i & ~1], moved[i]) for i in range(width)]
    if width == 2:
        return control, near
    far = [pick(moved[i], moved[i ^ 2], crossed[2 * (i & 1) + 1], slots[i]) for i in range(width)]
    return control, near, far


@block
def through(item, slot):
    @always_comb
    def show():
        slot.next = item

    return show


@block
def cross(some, offset, crossed):
    """Which pairs change places: neighbours (crossed[0], [2]), then those two apart ([1], [3]).

    A pair does so if its first item counts and has to move, or does not count and the other, which
    has the slot in that case, has to.
    """
    slot = Signal(intbv(0)[len(offset) :])
    copied = through(offset, slot)
    first, neighbours = some[0], crossed[0]

    if len(some) == 2:

        @always_comb
        def compare():
            neighbours.next = slot[0] == first

        return instances()

    second, third = some[1:3]
    others, even, odd = crossed[2], crossed[1], crossed[3]

    @always_comb
    def compare():
        neighbours.next = slot[0] == first
        others.next = (slot[0] ^ first ^ second) == third
        if slot[0]:
            even.next = slot[1] != (first and second)
            odd.next = slot[1] == (first or second)
        else:
            even.next = slot[1] == (first or second)
            odd.next = slot[1] == (first and second)

    return instances()


@block
def pick(here, there, crossed, picked):
    @always_comb
    def choose():
        picked.next = here
        if crossed:
            picked.next = there

    return choose
