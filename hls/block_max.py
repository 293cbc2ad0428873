# SPDX-License-Identifier: Apache-2.0
"""block_max: hold the exponents of a block until their maximum is known.

Role         first pass of the table choice; huff_choice does the second
Golden       max() over each 512 non-zeros of a chunk
Format       swmodel/FORMAT.md section 5 (emax)
Parameters   width: W, exponents of a group

The memory has room for a block, and for what enters until the block's first group has left.
"""

from __future__ import annotations

from myhdl import (
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
    modbv,
)

from hls.delay import delay
from hls.group_max import group_max
from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract, item_bits

EXPONENT = 8


def contract(width=1):
    """The latency is from a block's last group to its first on m_axis."""
    return Contract(latency=3 + item_bits(width), interval=1)


def ports(width=1):
    size = item_bits(width)
    return {
        "s_axis": AxiStream(width * EXPONENT, user=size),
        "m_axis": AxiStream(width * EXPONENT, user=1 + EXPONENT + size),
    }


@block
def block_max(clk, rst, s_axis, m_axis, width=1):
    """Pass one group a cycle, a block late.

    s_axis  in   tdata = exponents of non-zeros; tuser = how many, less one, if W > 1: all but in
                 the chunk's last group; tlast = that. A block ends there and after 512 exponents;
                 while one leaves and one waits, the next may not end
    m_axis  out  the same exponents; tlast = the block's last group; tuser = {the chunk's last
                 block, the block's maximum, items less one}
    rst     in   synchronous, active high; drops everything in flight
    """
    size, levels = item_bits(width), item_bits(width)
    last = POINT.block // width - 1
    depth = last + contract(width).latency
    place_bits, address_bits = last.bit_length(), (depth - 1).bit_length()

    # the block that enters
    tail = Signal(modbv(0)[address_bits:])
    tail_lap = Signal(bool(0))
    place = Signal(modbv(0)[place_bits:])
    closing = Signal(bool(0))
    take = Signal(bool(0))
    close = Signal(bool(0))
    full = Signal(bool(0))

    # a group of it, when its maximum is known
    enters = [take] + [Signal(bool(0)) for _ in range(levels)]
    closes = [close] + [Signal(bool(0)) for _ in range(levels)]
    entered, closed = enters[levels], closes[levels]
    opening = Signal(bool(1))
    group_maximum = Signal(intbv(0)[EXPONENT:]) if levels else s_axis.tdata
    maximum = Signal(intbv(0)[EXPONENT:])
    greatest = Signal(intbv(0)[EXPONENT:])  # of the block, with this group

    # the block that has ended and waits
    waiting = Signal(bool(0))
    waiting_last = Signal(modbv(0)[place_bits:])  # place of its last group
    waiting_maximum = Signal(intbv(0)[EXPONENT:])
    waiting_end = Signal(bool(0))
    known = Signal(bool(0)) if levels else waiting  # its maximum is

    # the block that leaves
    head = Signal(modbv(0)[address_bits:])
    head_lap = Signal(bool(0))
    leaving = Signal(bool(0))
    left = Signal(modbv(0)[place_bits:])  # groups after this one
    emax = Signal(intbv(0)[EXPONENT:])
    chunk_end = Signal(bool(0))
    read = Signal(bool(0))
    turn = Signal(bool(0))  # the waiting block becomes the leaving one

    memory = ram(clk, take, tail, s_axis.tdata, read, head, m_axis.tdata, depth)
    pointers = (
        pointer(clk, rst, take, tail, tail_lap, depth),
        pointer(clk, rst, read, head, head_lap, depth),
    )

    if levels:
        tree = group_max(clk, s_axis.tdata, s_axis.tuser, group_maximum)
        delays = delay(clk, rst, enters), delay(clk, rst, closes)
        knowing = find_known(waiting, closes[1], closes[levels], known)
        user = Signal(intbv(0)[1 + EXPONENT :])
        sizes = keep_size(clk, close, s_axis.tuser, turn, read, left, user, m_axis.tuser)
    else:
        user = m_axis.tuser

    @always_comb
    def fullness():
        full.next = tail == head and tail_lap != head_lap

    @always_comb
    def find_end():
        closing.next = s_axis.tlast or place == last

    @always_comb
    def accept():
        s_axis.tready.next = not full and (not closing or not waiting or turn)
        take.next = s_axis.tvalid and not full and (not closing or not waiting or turn)
        close.next = s_axis.tvalid and not full and closing and (not waiting or turn)

    @always_comb
    def depart():
        read.next = leaving and (not m_axis.tvalid or m_axis.tready)
        turn.next = known and (not leaving or (left == 0 and (not m_axis.tvalid or m_axis.tready)))

    @always_comb
    def compare():
        greatest.next = group_maximum
        if not opening and maximum > group_maximum:
            greatest.next = maximum

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if take:
            place.next = place + 1
            if closing:
                place.next = 0
        if close:
            waiting.next = True
        elif turn:
            waiting.next = False
        if entered:
            opening.next = closed

    @always(clk.posedge)
    def note():
        if close:
            waiting_last.next = place
            waiting_end.next = s_axis.tlast
        if entered:
            maximum.next = greatest
        if closed:
            waiting_maximum.next = greatest

    @always_seq(clk.posedge, reset=rst)
    def leave():
        if read:
            m_axis.tvalid.next = True
            if left == 0:
                leaving.next = False
        elif m_axis.tready:
            m_axis.tvalid.next = False
        if turn:
            leaving.next = True

    @always(clk.posedge)
    def describe():
        if read:
            m_axis.tlast.next = left == 0
            user.next = concat(chunk_end, emax)
            left.next = left - 1
        if turn:
            left.next = waiting_last
            emax.next = waiting_maximum
            chunk_end.next = waiting_end

    return instances()


@block
def pointer(clk, rst, move, place, lap, depth):
    """Go round a memory; a lap on, two pointers to the same place tell a full one from an empty."""

    @always_seq(clk.posedge, reset=rst)
    def step():
        if move:
            place.next = place + 1
            if place == depth - 1:
                place.next = 0
                lap.next = not lap

    return step


@block
def find_known(waiting, before, after, known):
    """A block's maximum is known when its last group has left the tree."""

    @always_comb
    def find():
        known.next = waiting and not before and not after

    return find


@block
def keep_size(clk, close, size, turn, read, left, user, user_and_size):
    """Only a block's last group may have fewer items than others."""
    bits = len(size)
    all_items = 2**bits - 1
    waiting_size = Signal(intbv(0)[bits:])
    last_size = Signal(intbv(0)[bits:])
    shown = Signal(intbv(0)[bits:])

    @always(clk.posedge)
    def move():
        if close:
            waiting_size.next = size
        if turn:
            last_size.next = waiting_size
        if read:
            shown.next = all_items
            if left == 0:
                shown.next = last_size

    @always_comb
    def join():
        user_and_size.next = concat(user, shown)

    return instances()
