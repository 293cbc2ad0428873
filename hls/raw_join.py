# SPDX-License-Identifier: Apache-2.0
"""raw_join: join exponents with their raw parts, and put the zeros between the values.

The raw bytes of a group are the next ones of raw_ring. A group of exponents and the one behind it
are a ring too: an exponent has the place of its number in its group. The places behind that used
last are those of the group that is held, the others those of the group that is offered. Where a
group of values lies in both rings, and what it needs there, is found a cycle before it is made.

Role         between lane_dec and chunk_check
Golden       the last loop of read_nonzeros in swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4.1 and 5.1
Parameters   fmt: the number format, a raw part is one byte or three; width: W, values of a group
Throughput   a group a cycle; TURN cycles more before a chunk that has values other than zero; one
             more if its first raw byte lies behind the first of the higher half of a word, and its
             first group takes more bytes than that and the lower half of the next word have; and
             one more for each half of the last raw word that a group asks for as soon as it is
             there
"""

from __future__ import annotations

from myhdl import (
    ConcatSignal,
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    enum,
    instances,
    intbv,
)

from hls.chunk_parse import place_bits, span_bits
from hls.expand import expand, find_sources
from hls.fifo import cut
from hls.point import POINT
from hls.popcount import popcount
from hls.raw_ring import raw_ring
from hls.rotate import rotate
from hls.stream import AxiStream, Contract, item_bits
from hls.zero_flags import user_bits

CONTRACT = Contract(latency=2, interval=1)

TURN = 3  # cycles between chunks

BYTE, TRIPLE = 1, 3  # bytes of a raw part


def ports(fmt, width=1, runs=False):
    return {
        "s_flags": AxiStream(width, user=user_bits(width, runs)),
        "s_span": AxiStream(span_bits(fmt, width), last=False),
        "s_exponents": AxiStream(fmt.exponent * width, last=False),
        "s_raw": AxiStream(32 * width),
        "s_tail": AxiStream(8 * POINT.tail, last=False),
        "m_axis": AxiStream(fmt.width * width, user=user_bits(width, runs)),
    }


@block
def raw_join(
    clk, rst, s_flags, s_span, s_exponents, s_raw, s_tail, m_axis, fmt, width=1, runs=False
):
    """Make a group of values.

    s_flags      in   of each value of a group whether it is zero or none, as of zero_flags
    s_span       in   of each chunk with other values, as of chunk_parse; taken with its last group
    s_exponents  in   of those, in groups of which only the chunk's last may be short
    s_raw        in   words that hold their raw parts; tlast = the chunk's last
    s_tail       in   the chunk's last four raw bytes, which are not in s_raw; taken as s_span is
    m_axis       out  the values, 0 where a flag is set; tuser and tlast as in s_flags
    rst          in   synchronous, active high; then m_axis shows zeros, offered or not
    """
    size = fmt.raw // 8
    if size not in (BYTE, TRIPLE):
        raise ValueError(f"a raw part of {fmt.raw} bits is neither one byte nor three")
    bits, depth = place_bits(width), 4 * width
    number_bits = width.bit_length()
    last_flag, check_flag = user_bits(width) - 2, user_bits(width) - 1

    # WAIT: for a span. OPEN: for the word in which the first raw byte lies. RUN: groups enter.
    # CLOSE: the chunk's last has, and has not left.
    phase_of = enum("WAIT", "OPEN", "RUN", "CLOSE", encoding="one_hot")
    phase = Signal(phase_of.WAIT)
    known = Signal(bool(0))  # s_span is the chunk's
    opens = Signal(bool(0))  # the first raw bytes are to come
    aligned = Signal(bool(0))  # the first raw byte is the lowest of its word

    # what s_span says
    origin = Signal(intbv(0)[bits:])
    last = Signal(intbv(0)[bits:])
    in_tail = Signal(bool(0))
    stripped = Signal(intbv(0)[2:])

    # the group that enters
    number = Signal(intbv(0)[number_bits:])  # of its values other than zero
    none = Signal(bool(0))  # there are none
    amount = Signal(intbv(0)[bits:])  # bytes of their raw parts
    place = Signal(intbv(0)[bits:])  # of the last byte used before it
    grown = Signal(intbv(0)[bits + 1 :])  # of its own last
    accepted = Signal(bool(0))

    # the group at hand
    valid = Signal(bool(0))
    zeros = Signal(intbv(0)[width:])
    user = Signal(intbv(0)[user_bits(width, runs) :])
    frame_last = Signal(bool(0))
    place_here = Signal(intbv(0)[bits:])
    crosses = Signal(bool(0))  # its last raw byte lies in the other half of a word
    passes = Signal(bool(0))  # or in the same half of the next word
    needs_exponents = Signal(bool(0))

    here = Signal(bool(0))  # it can be made
    room = Signal(bool(0))  # and offered
    enter = Signal(bool(0))  # or what is there of it
    step = Signal(bool(0))
    opened, other, next_word = (Signal(bool(0)) for _ in range(3))  # which raw bytes there are
    enough = Signal(bool(0))  # of them

    fields = [(origin, bits), (last, 2 * bits), (in_tail, 2 * bits + 1)]
    if size == TRIPLE:
        fields.append((stripped, 2 * bits + 3))
    spans = [cut(s_span.tdata, field, top) for field, top in fields]

    stream = [Signal(intbv(0)[8:]) for _ in range(size * width)]
    raw_bytes = raw_ring(
        clk, rst, known, opens, aligned, in_tail, last, s_raw, s_tail, place_here, place,
        crosses, passes, step, opened, other, next_word, stream,
    )  # fmt: skip
    exponents = [Signal(intbv(0)[fmt.exponent :]) for _ in range(width)]
    exponents_window = exponent_ring(
        clk, s_exponents, opens, number, accepted, needs_exponents, exponents, width
    )

    raws = [Signal(intbv(0)[fmt.raw :]) for _ in range(width)]
    values = [Signal(intbv(0)[fmt.width :]) for _ in range(width)]
    parts = [form_raw(stream, stripped, i, raws[i]) for i in range(width)]
    whole = [
        form_value(clk, enter, exponents[i], raws[i], values[i], fmt.mantissa) for i in range(width)
    ]

    places = [Signal(intbv(0)[j + 1 :]) for j in range(width)]
    kept_places = [Signal(intbv(0)[j + 1 :]) for j in range(width)]
    found = find_sources(zeros, places)
    kept = [keep_reset(clk, rst, enter, a, b) for a, b in zip(places, kept_places, strict=True)]
    once, twice = ConcatSignal(False, number), ConcatSignal(number, False)
    spread = expand(values, kept_places, m_axis.tdata)

    # What enters.

    if width == 1:

        @always_comb
        def count():
            number.next = not s_flags.tdata[0]

    else:
        there = Signal(intbv(0)[width:])
        counting = popcount(there, number)

        @always_comb
        def invert():
            there.next = ~s_flags.tdata

    if size == BYTE:

        @always_comb
        def measure():
            amount.next = once

    else:

        @always_comb
        def measure():
            amount.next = twice + once
            if stripped == 1:
                amount.next = twice
            elif stripped == 2:
                amount.next = once

    @always_comb
    def grow():
        none.next = number == 0
        grown.next = place + amount

    @always_comb
    def accept():
        s_flags.tready.next = (none or phase == phase_of.RUN) and (step or not valid)
        accepted.next = s_flags.tvalid and (none or phase == phase_of.RUN) and (step or not valid)

    @always(clk.posedge)
    def prepare():
        if accepted:
            zeros.next = s_flags.tdata
            user.next = s_flags.tuser
            frame_last.next = s_flags.tlast
            crosses.next = grown[bits - 1] != place[bits - 1]
            passes.next = grown[bits] and grown[bits - 1] == place[bits - 1]
        if not known:
            place_here.next = origin
        elif step:
            place_here.next = place
        if not known:
            place.next = origin
        elif accepted:
            place.next = grown[bits:]

    # What leaves.

    @always_comb
    def look():
        room.next = m_axis.tready or not m_axis.tvalid
        enter.next = valid and (m_axis.tready or not m_axis.tvalid)
        enough.next = (other or not crosses) and (next_word or not passes)
        aligned.next = origin == depth - 1
        known.next = phase != phase_of.WAIT
        opens.next = phase == phase_of.OPEN

    @always_comb
    def see():
        here.next = valid and (s_exponents.tvalid or not needs_exponents) and enough

    @always_comb
    def move():
        step.next = room and here

    @always_comb
    def take():
        s_exponents.tready.next = room and valid and needs_exponents and enough
        s_span.tready.next = phase == phase_of.CLOSE and step
        s_tail.tready.next = phase == phase_of.CLOSE and step

    @always_seq(clk.posedge, reset=rst)
    def control():
        if accepted:
            valid.next = True
        elif step:
            valid.next = False
        if room:
            m_axis.tvalid.next = here
        if enter:
            m_axis.tuser.next = user

        if phase == phase_of.WAIT:
            if s_span.tvalid:
                phase.next = phase_of.OPEN
        elif phase == phase_of.OPEN:
            if opened:
                phase.next = phase_of.RUN
        elif phase == phase_of.RUN:
            if accepted and s_flags.tuser[last_flag] and s_flags.tuser[check_flag]:
                phase.next = phase_of.CLOSE
        elif step:
            phase.next = phase_of.WAIT

    @always(clk.posedge)
    def follow():
        if enter:
            m_axis.tlast.next = frame_last

    return instances()


@block
def keep(clk, enable, word, kept):
    @always(clk.posedge)
    def move():
        if enable:
            kept.next = word

    return move


@block
def keep_reset(clk, rst, enable, word, kept):
    @always_seq(clk.posedge, reset=rst)
    def move():
        if enable:
            kept.next = word

    return move


@block
def ring(clk, fetch, offered, place, stream):
    """The items of a ring behind a place: of the word that is held, then of the one offered.

    Item k of `held` is number k + 1 of its word; the first is never needed again.
    """
    held = [Signal(intbv(0)[len(offered[0]) :]) for _ in offered[1:]]
    keeps = [keep(clk, fetch, item, kept) for item, kept in zip(offered[1:], held, strict=True)]
    items = [*(Signal(intbv(0)[len(offered[0]) :]) for _ in held), offered[0]]
    joins = [join(place, held[k], offered[k + 1], items[k], k) for k in range(len(held))]
    return keeps, joins, rotate(items, place, stream)


@block
def join(place, held, offered, item, k):
    """Item k behind the first is held, unless it has been used."""

    @always_comb
    def show():
        item.next = offered
        if place <= k:
            item.next = held

    return show


@block
def form_raw(stream, stripped, i, raw):
    """The raw part of value i, what is stripped of it filled up with zeros."""
    if len(stream) < TRIPLE or len(raw) == 8:
        one = stream[i]

        @always_comb
        def form():
            raw.next = one

    else:
        three = ConcatSignal(*reversed(stream[3 * i : 3 * i + 3]))
        two = ConcatSignal(*reversed(stream[2 * i : 2 * i + 2]), intbv(0)[8:])
        one = ConcatSignal(stream[i], intbv(0)[16:])

        @always_comb
        def form():
            raw.next = three
            if stripped == 1:
                raw.next = two
            elif stripped == 2:
                raw.next = one

    return form


@block
def form_value(clk, enable, exponent, raw, value, mantissa):
    joined = ConcatSignal(raw(mantissa), exponent, raw(mantissa, 0))

    @always(clk.posedge)
    def form():
        if enable:
            value.next = joined

    return form


@block
def exponent_ring(clk, s_exponents, opens, number, accepted, needs_exponents, exponents, width):
    """The next exponents; whether the group at hand needs some of those that are offered."""
    if width == 1:
        only = exponents[0]

        @always_comb
        def show():
            only.next = s_exponents.tdata

        @always(clk.posedge)
        def look():
            if accepted:
                needs_exponents.next = number != 0

        return show, look

    bits, full = item_bits(width), width - 1
    place, place_here = (Signal(intbv(0)[bits:]) for _ in range(2))  # of the last one used
    grown = Signal(intbv(0)[bits + 1 :])
    fetch = Signal(bool(0))
    offered = [Signal(intbv(0)[8:]) for _ in range(width)]
    cuts = [cut(s_exponents.tdata, item, 8 * (i + 1)) for i, item in enumerate(offered)]
    window = ring(clk, fetch, offered, place_here, exponents)

    @always_comb
    def grow():
        grown.next = place + number

    @always_comb
    def load():
        fetch.next = s_exponents.tvalid and s_exponents.tready

    @always(clk.posedge)
    def follow():
        if accepted:
            place_here.next = place
            needs_exponents.next = grown[bits]
        if opens:
            place.next = full
        elif accepted:
            place.next = grown[bits:]

    return instances()
