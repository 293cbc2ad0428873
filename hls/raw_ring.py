# SPDX-License-Identifier: Apache-2.0
"""raw_ring: the next bytes of a chunk's raw words, however many go at a time.

A ring of as many bytes as a word: a byte has the place of its number. A byte that goes makes room
for that of the next word, which comes in the same cycle. The halves of words wait in a queue each.
A group takes no more than three quarters of a word: so it ends in the half in which the last one
did, in the other, or in that half of the next word. Only what it takes of that must wait a cycle
for its successors, and then the next group cannot need them.

Role         raw_join
Format       swmodel/FORMAT.md section 5.1
Parameters   bytes of a word
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, block, instances, intbv

from hls.fifo import cut, fifo
from hls.point import POINT
from hls.rotate import rotate
from hls.stream import AxiStream, Contract
from hls.tail_join import tail_join

CONTRACT = Contract(latency=1, interval=1)  # of half a word, out of its queue

RAW_BYTES = 4096  # what values take while the next chunk's header and codes are read


@block
def raw_ring(
    clk, rst, known, opens, aligned, alone, last, s_raw, s_tail, place, following, crosses,
    passes, step, opened, other, next_word, stream,
):  # fmt: skip
    """Show bytes.

    known      in   aligned, alone and last are the chunk's; low for a cycle between chunks
    opens      in   the first cycles behind that, until `opened`
    aligned    in   the chunk's first raw byte is the lowest of its word
    alone      in   there are no raw words
    last       in   number of the chunk's last raw byte in its word
    s_raw      in   words; tlast = the chunk's last
    s_tail     in   the chunk's last bytes; another block takes them
    place      in   of the byte before those shown, that was used last
    following  in   of the last one that the group at hand uses
    crosses    in   that lies in the other half of a word
    passes     in   that lies in the same half of the next word
    step       in   it goes
    opened     out  there are bytes in the half where the chunk begins
    other      out  there are those of the other half
    next_word  out  there are those of the next word too, up to the place of the byte used last
    stream     out  list of bytes
    rst        in   synchronous, active high; empties the queues
    """
    depth, top = 1 << len(place), len(place) - 1
    half = depth // 2

    slots = [Signal(intbv(0)[8:]) for _ in range(depth)]
    offered = [Signal(intbv(0)[8:]) for _ in range(depth)]
    used, going = (Signal(intbv(0)[half:]) for _ in range(2))  # places of a half up to one
    full_low, full_high, pop_low, pop_high = (Signal(bool(0)) for _ in range(4))
    sure_low, sure_high, still_low, still_high = (Signal(bool(0)) for _ in range(4))
    own = [Signal(intbv(0)[half:]) for _ in range(2)]
    here, there = (Signal(bool(0)) for _ in range(2))  # what the halves offer
    here_sure, there_sure, here_still = (Signal(bool(0)) for _ in range(3))
    partial = Signal(bool(0))  # the half that is to come has, without last bytes
    part, more, whole, whole_other = (Signal(bool(0)) for _ in range(4))
    more_other = Signal(bool(0))
    skips = Signal(bool(0))  # the lower half of the first word is not the chunk's

    low_in, low, high_in, high = (AxiStream(8 * half) for _ in range(4))
    halves = cut(s_raw.tdata, low_in.tdata, 8 * half), cut(s_raw.tdata, high_in.tdata, 8 * depth)
    queues = [
        fifo(clk, rst, into, out, RAW_BYTES // depth, bare=True)
        for into, out in ((low_in, low), (high_in, high))
    ]

    tail = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    tail_cuts = [cut(s_tail.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(tail)]
    behind = Signal(intbv(0)[2:])  # turns the last bytes so that they follow the last word's
    turned = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    turn = rotate(tail, behind, turned)
    low_join = tail_join(
        clk, known, last, alone, low, s_tail.tvalid, turned, offered[:half], full_low,
        sure_low, still_low, own[0], pop_low, 0,
    )  # fmt: skip
    high_join = tail_join(
        clk, known, last, alone, high, s_tail.tvalid, turned, offered[half:], full_high,
        sure_high, still_high, own[1], pop_high, half,
    )  # fmt: skip
    shown = rotate([*slots[1:], slots[0]], place, stream)

    masks = tuple((2 << k) - 1 for k in range(half))
    place_low, following_low = place(top, 0), following(top, 0)
    loads = [Signal(intbv(0)[half:]) for _ in range(2)]
    keeps = [load_slot(clk, loads[k // half], k % half, offered[k], slots[k]) for k in range(depth)]

    @always_comb
    def enter():
        s_raw.tready.next = low_in.tready and high_in.tready
        low_in.tvalid.next = s_raw.tvalid and high_in.tready
        high_in.tvalid.next = s_raw.tvalid and low_in.tready
        low_in.tlast.next = s_raw.tlast
        high_in.tlast.next = s_raw.tlast

    @always_comb
    def turn_tail():
        behind.next = ~last[2:]

    @always_comb
    def mark():
        used.next = masks[int(place_low)]
        going.next = masks[int(following_low)]

    @always_comb
    def look():
        here.next = full_low
        there.next = full_high
        here_sure.next = sure_low
        there_sure.next = sure_high
        here_still.next = still_low
        if place[top]:
            here.next = full_high
            there.next = full_low
            here_sure.next = sure_high
            there_sure.next = sure_low
            here_still.next = still_high
        skips.next = opens and place[top] and not aligned and not alone

    @always_comb
    def move():
        part.next = here and other
        more.next = here and other and step and not crosses and not passes
        whole.next = (opens and not aligned and here_still) or (
            here and other and step and (crosses or passes)
        )
        more_other.next = there and other and step and crosses
        whole_other.next = there and (
            (not other and (not opens or aligned or here_still)) or (step and passes)
        )
        opened.next = here_still or aligned

    @always_comb
    def fetch():
        pop_low.next = whole
        pop_high.next = whole_other
        if place[top]:
            pop_low.next = whole_other
            pop_high.next = whole

    sides = [
        side(
            place, going, used, part, more, whole, more_other, whole_other, partial, own[high],
            loads[high], bool(high),
        )
        for high in range(2)
    ]  # fmt: skip

    @always(clk.posedge)
    def count():
        if not known:
            other.next = False
            next_word.next = False
        elif step and crosses:
            other.next = here_sure
            next_word.next = here_sure and there_sure
        elif (step and passes) or not other:
            other.next = whole_other and there_sure and not skips
            next_word.next = False
        else:
            next_word.next = here_sure
        if not known:
            partial.next = False
        elif whole or whole_other:
            partial.next = (whole and not here_sure) or (whole_other and not there_sure)

    return instances()


@block
def side(
    place, going, used, part, more, whole, more_other, whole_other, partial, own, loads, high
):  # fmt: skip
    """Which bytes of a half are loaded."""
    top, half = len(place) - 1, len(used)
    every = (1 << half) - 1

    @always_comb
    def choose():
        taken = intbv(0)[half:]
        if place[top] == high:
            if part:
                taken[:] = used
            if more:
                taken[:] = taken | going
            if whole:
                taken[:] = every
        else:
            if more_other:
                taken[:] = going
            if whole_other:
                taken[:] = every
                if partial:
                    taken[:] = ~own
        loads.next = taken

    return choose


@block
def load_slot(clk, loads, bit, offered, slot):
    @always(clk.posedge)
    def move():
        if loads[bit]:
            slot.next = offered

    return move
