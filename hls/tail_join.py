# SPDX-License-Identifier: Apache-2.0
"""tail_join: lay a chunk's last raw bytes, which come through the lanes, behind its raw words.

The word at hand lies in a register behind the RAM of the queue. The chunk's last raw word waits
there until the last bytes have filled it up; what does not fit follows in a word of its own.

Role         raw_join takes a chunk's raw bytes from here, and need not know where they came from
Format       swmodel/FORMAT.md sections 5.1 and 6
Parameters   bytes of a word
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, instances, intbv

from hls.fifo import cut
from hls.point import POINT
from hls.rotate import rotate
from hls.stream import Contract

CONTRACT = Contract(latency=1, interval=1)


@block
def tail_join(clk, rst, known, last, alone, s_raw, s_tail, word, full, pop):
    """Offer words until the chunk's last bytes have gone.

    known   in   last and alone are the chunk's; low for a cycle between chunks
    last    in   number of its last raw byte in its word
    alone   in   there are no words: the last bytes end with the word that they are
    s_raw   in   words; tlast = the chunk's last
    s_tail  in   its last bytes
    word    out  list of bytes
    full    out  they are those of a word
    pop     in   it goes, if it is one
    rst     in   synchronous, active high
    """
    depth, most = len(word), len(word) // POINT.tail - 1
    loaded = Signal(bool(0))  # there is a word
    partial = Signal(bool(0))  # but it lacks last bytes
    over = Signal(bool(0))  # all raw words have been loaded
    rest = Signal(bool(0))  # there are last bytes behind them
    vacant, load, fill = (Signal(bool(0)) for _ in range(3))

    offered = [Signal(intbv(0)[8:]) for _ in range(depth)]
    cuts = [cut(s_raw.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(offered)]
    tail = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    tail_cuts = [cut(s_tail.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(tail)]
    behind = Signal(intbv(0)[2:])  # turns the last bytes so that they follow the last word's
    turned = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    turn = rotate(tail, behind, turned)
    puts = [
        put(clk, load, fill, partial, over, last, offered[i], turned[i % POINT.tail], word[i], i)
        for i in range(depth)
    ]

    @always_comb
    def look():
        behind.next = ~last[2:]
        full.next = loaded and not partial
        vacant.next = pop or not loaded

    @always_comb
    def fetch():
        s_raw.tready.next = known and not over and vacant
        load.next = known and not over and vacant and s_raw.tvalid
        s_tail.tready.next = (
            known and over and ((partial and not rest) or (rest and not partial and vacant))
        )
        fill.next = known and over and s_tail.tvalid and (partial or (rest and vacant))

    @always_seq(clk.posedge, reset=rst)
    def hold():
        if load or fill:
            loaded.next = True
            partial.next = load and s_raw.tlast
        elif pop and not partial:
            loaded.next = False

    @always(clk.posedge)
    def follow():
        if not known:
            over.next = alone
        elif load:
            over.next = s_raw.tlast

    if most == 0:

        @always(clk.posedge)
        def count():
            if not known:
                rest.next = True
            elif fill and not partial:
                rest.next = False

    else:

        @always(clk.posedge)
        def count():
            if not known:
                rest.next = last[:2] == most
            elif fill and not partial:
                rest.next = False

    return instances()


@block
def put(clk, load, fill, partial, over, last, offered, turned, byte, place):
    """A byte of the register: of a word, or of the last ones if it lies behind those of a word."""
    if place == 0:

        @always(clk.posedge)
        def move():
            if load or (fill and not partial):
                byte.next = offered
                if over:
                    byte.next = turned

    else:

        @always(clk.posedge)
        def move():
            if load or (fill and (not partial or last < place)):
                byte.next = offered
                if over:
                    byte.next = turned

    return move
