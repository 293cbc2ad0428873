# SPDX-License-Identifier: Apache-2.0
"""raw_join: join exponents with their raw parts, and put the zeros between the values.

A word of raw bytes and the one behind it are a ring: a byte of a chunk has the place of its number
in its word. The places behind the next byte are those of the word that is held, those before it
those of the word that is offered, and where neither has a byte any more the last raw bytes follow,
which come through the lanes. So whatever a group needs lies in the ring, from the next byte on. The
exponents are another.

Role         between lane_dec and chunk_check
Golden       the last loop of read_nonzeros in swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4.1 and 5.1
Parameters   fmt: the number format, a raw part is one byte or three; width: W, values of a group
Throughput   a group a cycle; a cycle more a chunk that has values other than zero
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
)

from hls.choose import either, pick
from hls.chunk_parse import place_bits, span_bits
from hls.expand import expand, find_sources
from hls.fifo import cut
from hls.point import POINT
from hls.rotate import rotate
from hls.stream import AxiStream, Contract, item_bits
from hls.zero_flags import user_bits

CONTRACT = Contract(latency=1, interval=1)

BYTE, TRIPLE = 1, 3  # bytes of a raw part


def ports(fmt, width=1):
    return {
        "s_flags": AxiStream(width, user=user_bits(width)),
        "s_span": AxiStream(span_bits(fmt, width), last=False),
        "s_exponents": AxiStream(fmt.exponent * width, last=False),
        "s_raw": AxiStream(32 * width),
        "s_tail": AxiStream(8 * POINT.tail, last=False),
        "m_axis": AxiStream(fmt.width * width, user=user_bits(width)),
    }


@block
def raw_join(clk, rst, s_flags, s_span, s_exponents, s_raw, s_tail, m_axis, fmt, width=1):
    """Make a group of values.

    s_flags      in   of each value of a group whether it is zero or none, as of zero_flags
    s_span       in   of each chunk with other values, as of chunk_parse; taken with its last group
    s_exponents  in   of those, in groups of which only the chunk's last may be short
    s_raw        in   words that hold their raw parts; tlast = the chunk's last
    s_tail       in   the chunk's last four raw bytes, which are not in s_raw
    m_axis       out  the values, 0 where a flag is set; tuser and tlast as in s_flags
    rst          in   synchronous, active high; then m_axis shows zeros, offered or not
    """
    size = fmt.raw // 8
    if size not in (BYTE, TRIPLE):
        raise ValueError(f"a raw part of {fmt.raw} bits is neither one byte nor three")
    bits, depth = place_bits(width), 4 * width
    number_bits = width.bit_length()
    last_flag, check_flag = user_bits(width) - 2, user_bits(width) - 1

    begun = Signal(bool(0))  # what follows is of the chunk
    opens = Signal(bool(0))
    number = Signal(intbv(0)[number_bits:])  # of values other than zero in the group
    none = Signal(bool(0))  # there are none
    closing = Signal(bool(0))  # it is the last of a chunk that has some
    amount = Signal(intbv(0)[bits:])  # bytes of their raw parts
    here = Signal(bool(0))  # the group can be made
    room = Signal(bool(0))  # and offered
    enter = Signal(bool(0))  # or what is there of it
    step = Signal(bool(0))

    # what s_span says
    first = Signal(intbv(0)[bits:])
    last = Signal(intbv(0)[bits:])
    stripped = Signal(intbv(0)[2:])
    in_tail = Signal(bool(0))  # all of the chunk's raw bytes

    # the ring of raw bytes
    place = Signal(intbv(0)[bits:])  # of the next byte
    place_next = Signal(intbv(0)[bits:])
    grown = Signal(intbv(0)[bits + 1 :])  # of the one behind the group's
    held_last = Signal(bool(0))  # the held word is the chunk's last
    over = Signal(bool(0))  # all words of the chunk have been used up
    wanted = Signal(bool(0))  # the group takes bytes of the word that is offered
    fetch = Signal(bool(0))
    late = Signal(bool(0))  # it may take some of the last raw bytes

    # the ring of exponents
    wanted_exponents = Signal(bool(0))

    fields = [(first, bits), (last, 2 * bits), (in_tail, 2 * bits + 1)]
    if size == TRIPLE:
        fields.append((stripped, 2 * bits + 3))
    spans = [cut(s_span.tdata, field, top) for field, top in fields]
    offered = [Signal(intbv(0)[8:]) for _ in range(depth)]
    cuts = [cut(s_raw.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(offered)]
    held = [Signal(intbv(0)[8:]) for _ in range(depth)]  # the first never counts
    keeps = [keep(clk, fetch, offered[i], held[i]) for i in range(1, depth)]

    tail = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    tail_cuts = [cut(s_tail.tdata, byte, 8 * (i + 1)) for i, byte in enumerate(tail)]
    behind = Signal(intbv(0)[2:])  # turns the last bytes so that they follow the last word
    turned_tail = [Signal(intbv(0)[8:]) for _ in range(POINT.tail)]
    tail_turn = rotate(tail, behind, turned_tail)

    ring = [Signal(intbv(0)[8:]) for _ in range(depth)]
    sources = [Signal(intbv(0)[3 if i else 2 :]) for i in range(depth)]
    # of places 1, 2, ...: from `place` on, from `place_next` on, and behind the last
    is_held, to_be_held, is_beyond = (Signal(intbv(0)[depth - 1 :]) for _ in range(3))
    holding, ending = find_held(place_next, to_be_held), find_beyond(last, is_beyond)
    finds = [find_first(held_last, over, sources[0])]
    finds += [
        find_byte(is_held(i - 1), is_beyond(i - 1), held_last, over, s_raw.tlast, sources[i])
        for i in range(1, depth)
    ]
    joins = [
        pick(
            sources[i], [turned_tail[i % POINT.tail], offered[i], held[i]][: 3 if i else 2], ring[i]
        )
        for i in range(depth)
    ]
    stream = [Signal(intbv(0)[8:]) for _ in range(size * width)]
    turn = rotate(ring, place, stream)

    exponents = [Signal(intbv(0)[fmt.exponent :]) for _ in range(width)]
    raws = [Signal(intbv(0)[fmt.raw :]) for _ in range(width)]
    values = [Signal(intbv(0)[fmt.width :]) for _ in range(width)]
    parts = [form_raw(stream, stripped, i, raws[i]) for i in range(width)]
    whole = [
        form_value(clk, enter, exponents[i], raws[i], values[i], fmt.mantissa) for i in range(width)
    ]
    window = exponent_window(
        clk, s_exponents, number, none, opens, step, wanted_exponents, exponents, width
    )

    places = [Signal(intbv(0)[j + 1 :]) for j in range(width)]
    kept_places = [Signal(intbv(0)[j + 1 :]) for j in range(width)]
    found = find_sources(s_flags.tdata, places)
    kept = [keep_reset(clk, rst, enter, a, b) for a, b in zip(places, kept_places, strict=True)]
    once, twice = ConcatSignal(False, number), ConcatSignal(number, False)
    numbers = tuple(width - zeros.bit_count() for zeros in range(1 << width))
    spread = expand(values, kept_places, m_axis.tdata)

    @always_comb
    def count():
        number.next = numbers[int(s_flags.tdata)]

    @always_comb
    def look():
        none.next = number == 0
        behind.next = ~last[2:]
        closing.next = s_flags.tuser[last_flag] and s_flags.tuser[check_flag]

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
        grown.next = place + amount

    @always_comb
    def go_on():
        place_next.next = first
        if begun:
            place_next.next = grown[bits:]

    @always_comb
    def look_ahead():
        wanted.next = not (over or held_last or none) and (place == 0 or grown > depth)
        late.next = over or held_last or (s_raw.tlast and (place == 0 or grown > depth))

    @always_comb
    def look_here():
        room.next = m_axis.tready or not m_axis.tvalid
        enter.next = s_flags.tvalid and (m_axis.tready or not m_axis.tvalid)
        here.next = s_flags.tvalid and (
            none
            or (
                begun
                and (s_exponents.tvalid or not wanted_exponents)
                and (s_raw.tvalid or not wanted)
                and (s_tail.tvalid or not late)
            )
        )

    @always_comb
    def move():
        step.next = room and here
        opens.next = not begun and s_span.tvalid and (first == 0 or in_tail or s_raw.tvalid)

    @always_comb
    def take():
        s_flags.tready.next = room and (
            none
            or (
                begun
                and (s_exponents.tvalid or not wanted_exponents)
                and (s_raw.tvalid or not wanted)
                and (s_tail.tvalid or not late)
            )
        )
        s_span.tready.next = step and closing
        s_tail.tready.next = step and closing
        s_raw.tready.next = (not begun and s_span.tvalid and first != 0 and not in_tail) or (
            room
            and s_flags.tvalid
            and begun
            and wanted
            and (s_exponents.tvalid or not wanted_exponents)
            and (s_tail.tvalid or not late)
        )
        s_exponents.tready.next = (
            room
            and s_flags.tvalid
            and begun
            and wanted_exponents
            and (s_raw.tvalid or not wanted)
            and (s_tail.tvalid or not late)
        )

    @always_comb
    def load():
        fetch.next = s_raw.tvalid and s_raw.tready

    @always_seq(clk.posedge, reset=rst)
    def control():
        if opens:
            begun.next = True
        elif step and closing:
            begun.next = False
        if room:
            m_axis.tvalid.next = here
        if enter:
            m_axis.tuser.next = s_flags.tuser

    @always(clk.posedge)
    def follow():
        if step or not begun:
            place.next = place_next
            is_held.next = to_be_held
        if not begun:
            over.next = in_tail
            held_last.next = s_raw.tlast and first != 0
        elif step:
            if held_last and grown[bits]:
                over.next = True
            if wanted:
                held_last.next = s_raw.tlast
        if enter:
            m_axis.tlast.next = s_flags.tlast

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
def find_held(place, held):
    """The places of a ring from this one on, whose words are held; none, if it is the first."""
    depth = len(held) + 1
    places = (0, *(2 ** (depth - 1) - 2 ** (i - 1) for i in range(1, depth)))

    @always_comb
    def find():
        held.next = places[int(place)]

    return find


@block
def find_beyond(last, beyond):
    """The places behind the last."""
    depth = len(beyond) + 1
    places = tuple(2 ** (depth - 1) - 2**i for i in range(depth))

    @always_comb
    def find():
        beyond.next = places[int(last)]

    return find


@block
def find_first(held_last, over, source):
    """As find_byte, for the first place: of the held word it is never needed."""

    @always_comb
    def find():
        source.next = 2
        if over or held_last:
            source.next = 1

    return find


@block
def find_byte(held, beyond, held_last, over, offered_last, source):
    """Which byte a place of the ring has: {of the held word, of the one offered, of the last}."""

    @always_comb
    def find():
        source.next = 2
        if over:
            source.next = 1
        elif held:
            source.next = 4
            if held_last and beyond:
                source.next = 1
        elif held_last or (offered_last and beyond):
            source.next = 1

    return find


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
def exponent_window(clk, s_exponents, number, none, opens, step, wanted, exponents, width):
    """The next exponents; `wanted` if some of them are in the group that is offered."""
    if width == 1:
        only = exponents[0]

        @always_comb
        def show():
            only.next = s_exponents.tdata
            wanted.next = not none

        return show

    bits = item_bits(width)
    place = Signal(intbv(0)[bits:])  # of the next exponent in its group
    grown = Signal(intbv(0)[bits + 1 :])
    fetch = Signal(bool(0))
    offered = [Signal(intbv(0)[8:]) for _ in range(width)]
    cuts = [cut(s_exponents.tdata, item, 8 * (i + 1)) for i, item in enumerate(offered)]
    held = [Signal(intbv(0)[8:]) for _ in range(width)]  # the first never counts
    keeps = [keep(clk, fetch, offered[i], held[i]) for i in range(1, width)]
    ring = [offered[0], *(Signal(intbv(0)[8:]) for _ in range(width - 1))]
    is_held = Signal(intbv(0)[width - 1 :])
    holding = find_held(place, is_held)
    joins = [either(is_held(i - 1), held[i], offered[i], ring[i]) for i in range(1, width)]
    turn = rotate(ring, place, exponents)

    @always_comb
    def grow():
        grown.next = place + number

    @always_comb
    def look():
        wanted.next = not none and (place == 0 or grown > width)
        fetch.next = s_exponents.tvalid and s_exponents.tready

    @always(clk.posedge)
    def follow():
        if opens:
            place.next = 0
        elif step:
            place.next = grown[bits:]

    return instances()
