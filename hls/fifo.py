# SPDX-License-Identifier: Apache-2.0
"""fifo: a queue between two streams of the same fields, one word in and one out a cycle.

Role         decouples stages; cuts every combinational path between its two sides
Parameters   depth: words, a power of two; above 1 kbit the words lie in a RAM
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
    instances,
    intbv,
    modbv,
)

from hls.ram import ram
from hls.stream import FIELDS, AxiStream, Contract

REGISTER_BITS = 1024  # the largest queue that is built of flip-flops

CONTRACT = Contract(latency=3, interval=1)  # of a queue in a RAM
REGISTER_CONTRACT = Contract(latency=1, interval=1)


def ports(bits):
    """Streams of `bits` bits and tlast."""
    return {"s_axis": AxiStream(bits), "m_axis": AxiStream(bits)}


@block
def fifo(clk, rst, s_axis, m_axis, depth):
    """Words of s_axis, in order, on m_axis.

    s_axis  in   tready while fewer than `depth` words wait (a RAM's output holds two more)
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

    queue = register_queue if depth * len(word) <= REGISTER_BITS else ram_queue
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
    """A queue in flip-flops: the oldest word is shown through a multiplexer."""
    memory = [Signal(intbv(0)[len(word) :]) for _ in range(depth)]
    head = Signal(modbv(0, min=0, max=depth))
    tail = Signal(modbv(0, min=0, max=depth))
    level = Signal(intbv(0, min=0, max=depth + 1))
    level_bits = len(level)
    some = Signal(bool(0))

    @always_comb
    def outputs():
        ready.next = not level[level_bits - 1]
        valid.next = some
        shown.next = memory[head]

    @always(clk.posedge)
    def store():
        if push and not level[level_bits - 1]:
            memory[tail].next = word

    @always_seq(clk.posedge, reset=rst)
    def pointers():
        if push and not level[level_bits - 1]:
            tail.next = tail + 1
            if not (some and pop):
                level.next = level + 1
                some.next = True
        elif some and pop:
            level.next = level - 1
            some.next = level != 1
        if some and pop:
            head.next = head + 1

    return instances()


@block
def ram_queue(clk, rst, push, ready, word, valid, pop, shown, depth):
    """A queue in a RAM, its output and one more register: three cycles through an empty queue."""
    head = Signal(modbv(0, min=0, max=depth))
    tail = Signal(modbv(0, min=0, max=depth))
    head_next, tail_next = (Signal(modbv(0, min=0, max=depth)) for _ in range(2))
    some = Signal(bool(0))  # there are words in the RAM
    full = Signal(bool(0))  # as many as it holds
    fetched = Signal(intbv(0)[len(word) :])
    fetched_valid = Signal(bool(0))
    shown_valid = Signal(bool(0))
    take = Signal(bool(0))
    fetch = Signal(bool(0))
    step = Signal(bool(0))

    memory = ram(clk, take, tail, word, fetch, head, fetched, depth)

    @always_comb
    def outputs():
        ready.next = not full
        valid.next = shown_valid

    @always_comb
    def moves():
        take.next = push and not full
        step.next = pop or not shown_valid
        fetch.next = some and (pop or not shown_valid or not fetched_valid)

    @always_comb
    def advance():
        head_next.next = head + 1
        tail_next.next = tail + 1

    @always(clk.posedge)
    def show():
        if step:
            shown.next = fetched

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
        if step:
            shown_valid.next = fetched_valid
        if fetch:
            fetched_valid.next = True
        elif step:
            fetched_valid.next = False

    return instances()
