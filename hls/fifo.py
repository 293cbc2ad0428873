# SPDX-License-Identifier: Apache-2.0
"""fifo: a queue between two streams of the same fields, one word in and one out a cycle.

Role         decouples stages; cuts every combinational path between its two sides
Parameters   depth: words, a power of two; above 1 kbit the words lie in a RAM; bare: m_axis shows
             what that reads, and the receiver has a register for it
Addresses    of a RAM are the states of a shift register with feedback, one less than a power of
             two: which follows which is all that matters, and a counter would need carries
Not done     no level output: a block that must reserve room counts for itself
"""

from __future__ import annotations

from myhdl import (
    ConcatSignal,
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    concat,
    instances,
    intbv,
)

from hls.ram import ram
from hls.stream import FIELDS, AxiStream, Contract

REGISTER_BITS = 1024  # the largest queue that is built of flip-flops
TAPS = {
    3: (2, 1),
    4: (3, 2),
    5: (4, 2),
    6: (5, 4),
    7: (6, 5),
    8: (7, 5, 4, 3),
    9: (8, 4),
    10: (9, 6),
    11: (10, 8),
    12: (11, 10, 9, 3),
}
"""By the bits of an address, those of which feedback is the sum: all states but one are a cycle."""

CONTRACT = Contract(latency=3, interval=1)  # of a queue in a RAM
REGISTER_CONTRACT = Contract(latency=1, interval=1)


def ports(bits):
    """Streams of `bits` bits and tlast."""
    return {"s_axis": AxiStream(bits), "m_axis": AxiStream(bits)}


@block
def fifo(clk, rst, s_axis, m_axis, depth, bare=False):
    """Words of s_axis, in order, on m_axis.

    s_axis  in   tready while fewer than `depth` words wait (in a RAM one less; its output holds two
                 more, or one)
    m_axis  out  held stable while tvalid and not tready
    rst     in   synchronous, active high; empties the queue
    """
    if depth < 2 or depth & (depth - 1):
        raise ValueError(f"depth {depth} is not a power of two of at least 2")
    names = [name for name in FIELDS if hasattr(s_axis, name)]
    if names != [name for name in FIELDS if hasattr(m_axis, name)]:
        raise ValueError("the two streams have other fields")
    fields = [getattr(s_axis, name) for name in names]
    word = ConcatSignal(*fields) if len(fields) > 1 else s_axis.tdata
    shown = Signal(intbv(0)[len(word) :])

    if depth * len(word) <= REGISTER_BITS:
        queue = register_queue
    else:
        queue = bare_queue if bare else ram_queue
    store = queue(
        clk, rst, s_axis.tvalid, s_axis.tready, word, m_axis.tvalid, m_axis.tready, shown, depth
    )
    top = len(word)
    outputs = []
    for name, field in zip(names, fields, strict=True):
        outputs.append(cut(shown, getattr(m_axis, name), top))
        top -= len(field)
    return store, outputs


@block
def cut(word, field, top):
    """Show the bits below `top` of a word as one field."""
    width = len(field)

    if isinstance(field.val, bool):

        @always_comb
        def show():
            field.next = word[top - 1]

    else:

        @always_comb
        def show():
            field.next = word[top : top - width]

    return show


@block
def register_queue(clk, rst, push, ready, word, valid, pop, shown, depth):
    """A queue in flip-flops, the oldest word in the first slot."""
    slots = [shown, *(Signal(intbv(0)[len(word) :]) for _ in range(depth - 1))]
    used = [Signal(bool(0)) for _ in range(depth)]
    step = Signal(bool(0))  # the oldest word goes
    take = Signal(bool(0))
    first, last = used[0], used[-1]
    before, behind = [True, *used[:-1]], [*used[1:], False]
    moves = [
        slot(clk, rst, take, step, word, before[i], (*slots, word)[i + 1], behind[i], slots[i], use)
        for i, use in enumerate(used)
    ]

    @always_comb
    def outputs():
        ready.next = not last
        valid.next = first
        take.next = push and not last
        step.next = pop and first

    return instances()


@block
def slot(clk, rst, take, step, word, before, following, behind, shown, used):
    """A place of the queue. Where no word is, any may be shown."""

    @always(clk.posedge)
    def store():
        if step or not used:
            shown.next = word
            if behind:
                shown.next = following

    @always_seq(clk.posedge, reset=rst)
    def count():
        if take and not step:
            used.next = before
        elif step and not take:
            used.next = behind

    return instances()


@block
def ram_queue(clk, rst, push, ready, word, valid, pop, shown, depth):
    """A queue in a RAM, its output and one more register: three cycles through an empty queue."""
    fetched = Signal(intbv(0)[len(word) :])
    fetched_valid = Signal(bool(0))
    step = Signal(bool(0))
    queue = bare_queue(clk, rst, push, ready, word, fetched_valid, step, fetched, depth)

    @always_comb
    def look():
        step.next = pop or not valid

    @always(clk.posedge)
    def show():
        if step:
            shown.next = fetched

    @always_seq(clk.posedge, reset=rst)
    def follow():
        if step:
            valid.next = fetched_valid

    return instances()


@block
def bare_queue(clk, rst, push, ready, word, valid, pop, shown, depth):
    """A queue in a RAM, and its output: two cycles through an empty queue."""
    bits = depth.bit_length() - 1
    head, tail, head_next, tail_next = (Signal(intbv(0)[bits:]) for _ in range(4))
    some = Signal(bool(0))  # there are words in the RAM
    full = Signal(bool(0))  # as many as it holds
    take = Signal(bool(0))
    fetch = Signal(bool(0))

    memory = ram(clk, take, tail, word, fetch, head, shown, depth)
    steps = follow_address(head, head_next), follow_address(tail, tail_next)

    @always_comb
    def moves():
        ready.next = not full
        take.next = push and not full
        fetch.next = some and (pop or not valid)

    @always_seq(clk.posedge, reset=rst)
    def pointers():
        if take:
            tail.next = tail_next
            some.next = True
            if not fetch:
                full.next = tail_next == head
        elif fetch:
            some.next = head_next != tail
        if fetch:
            head.next = head_next
            if not take:
                full.next = False
        if fetch:
            valid.next = True
        elif pop:
            valid.next = False

    return instances()


@block
def follow_address(address, following):
    """The address behind this one."""
    bits = len(address)
    taps = TAPS[bits]
    a, b, c, d = (*taps, *taps)[:4]

    if len(taps) == 2:

        @always_comb
        def shift():
            following.next = concat(address[bits - 1 :], not (address[a] ^ address[b]))

    else:

        @always_comb
        def shift():
            following.next = concat(
                address[bits - 1 :], not (address[a] ^ address[b] ^ address[c] ^ address[d])
            )

    return shift
