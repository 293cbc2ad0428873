# SPDX-License-Identifier: Apache-2.0
"""tail_join: lay a chunk's last raw bytes, which come through the lanes, behind its raw words.

It offers one half of the words. Whether a half is of the last word is too late to be known when it
comes out of its RAM. If that then goes at once, it lacks last bytes, which are offered again; else
it waits for them.

Role         raw_ring takes a chunk's raw bytes from here, and need not know where they came from
Format       swmodel/FORMAT.md sections 5.1 and 6
Parameters   bytes of half a word; number in the word of its first
Not done     no registers of bytes
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, block, instances, intbv

from hls.fifo import cut
from hls.point import POINT
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def tail_join(
    clk, known, last, alone, s_half, tail_here, turned, offered, full, sure, still, own, pop, first
):  # fmt: skip
    """Offer halves of words until the chunk ends.

    known      in   last and alone are the chunk's; low for a cycle between chunks
    last       in   number of its last raw byte in its word
    alone      in   there are no words
    s_half     in   halves of words; tlast = the chunk's last
    tail_here  in   its last bytes are
    turned     in   those, so that they follow the last word's
    offered    out  list of bytes
    full       out  they are those of half a word
    sure       out  and no last bytes lack
    still      out  as `sure`, but not in the first cycle
    own        out  bytes of the last word that are its own
    pop        in   it goes
    """
    over = Signal(bool(0))  # all halves have gone
    shown = Signal(bool(0))  # the half at hand was so in the cycle before
    ends = Signal(bool(0))  # and is the last word's
    masks = tuple(
        ((2 << place) - 1 >> first) % (1 << len(offered)) for place in range(1 << len(last))
    )
    source = [Signal(intbv(0)[8:]) for _ in offered]
    cuts = [cut(s_half.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(source)]
    bytes_offered = [
        put(over, ends, own(i), source[i], turned[(first + i) % POINT.tail], byte)
        for i, byte in enumerate(offered)
    ]

    @always_comb
    def look():
        full.next = known and s_half.tvalid
        sure.next = known and s_half.tvalid and not s_half.tlast
        still.next = known and shown
        if over or ends:
            full.next = known and tail_here
            sure.next = known and tail_here
            still.next = known and tail_here

    @always_comb
    def mark():
        own.next = masks[int(last)]

    @always_comb
    def take():
        s_half.tready.next = pop and not over

    @always(clk.posedge)
    def follow():
        shown.next = s_half.tvalid and not (pop and not over)
        ends.next = s_half.tvalid and s_half.tlast and not (pop and not over)
        if not known:
            over.next = alone
        elif pop and s_half.tlast:
            over.next = True

    return instances()


@block
def put(over, ends, own, source, turned, byte):
    """A byte of a word, or of the last ones if it lies behind the last word's own."""

    @always_comb
    def show():
        byte.next = source
        if over or (ends and not own):
            byte.next = turned

    return show
