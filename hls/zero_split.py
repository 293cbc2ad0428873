# SPDX-License-Identifier: Apache-2.0
"""zero_split: cut a frame into chunks, and each chunk into zeros, non-zeros and totals.

Role         first stage of the encoder
Golden       what encode_chunk of swmodel/reference/encode.py makes of a chunk's values
Format       swmodel/FORMAT.md sections 2 (values), 4 (chunk), 5.1 (last raw bytes), 7 (check)
Parameters   fmt: the number format, its raw part a whole number of bytes; width: W, values a cycle;
             trailing: whether to find the bytes of zeros that all raw parts, of three bytes, end in
Not done     all-zero chunks have no word on m_axis: only m_chunk tells of them

The non-zeros of a group go to the slots behind those that are held. When they are more than W, W
leave and the others are held. So a full group waits, too, until the next non-zero or the chunk's
end shows whether it is the last.
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
    modbv,
)

from hls import crc32
from hls.compact import compact
from hls.point import POINT, NumberFormat
from hls.popcount import popcount
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, item_bits

INDEX = (POINT.chunk - 1).bit_length()  # bits of n - 1
COUNT = POINT.chunk.bit_length()  # bits of nnz
TAIL = 8 * POINT.tail
CHECK = crc32.WIDTH
TRAILING = 2  # bits of the number of bytes that raw parts end in, and are 0 in all

CONTRACT = Contract(latency=2, interval=1)  # of m_axis, when the next values are not zero either
FLAG_LATENCY = 2  # from a group to its flags


def chunk_latency(fmt: NumberFormat, width: int = 1, lacking: int = 0) -> int:
    """Cycles from a chunk's last group, which lacks some of its values, to m_chunk."""
    return 2 + crc32.latency(width * fmt.width) + lacking * fmt.width // 8


def ports(fmt, width=1, trailing=False):
    number = item_bits(width)
    totals = TAIL + CHECK + COUNT + INDEX
    return {
        "s_axis": AxiStream(width * fmt.width, keep=width > 1),
        "m_axis": AxiStream(width * fmt.width, user=number),
        "m_flag": AxiStream(width),
        "m_chunk": AxiStream(totals + TRAILING * trailing),
    }


@block
def zero_split(clk, rst, s_axis, m_axis, m_flag, m_chunk, fmt, width=1, trailing=False):
    """Split W values a cycle.

    s_axis   in   tdata = W values; tlast ends the frame. Only there a word may have fewer, from the
                  lowest up, as tkeep says by the byte. A chunk ends there and after 4096 values
    m_axis   out  the non-zeros in groups of W, of which only the chunk's last may have fewer, each
                  {raw part, exponent}; tuser = their number, less one; tlast = the chunk's last
    m_flag   out  a group for each word: tdata = value j is zero, in bit j; tlast = the chunk's last
    m_chunk  out  a word a chunk, tdata = {last 4 raw bytes, CRC-32, nnz, n - 1}; tlast = the
                  frame's last chunk. With trailing, on top of these the number of low bytes, up to
                  two, that are 0 in all raw parts, and are left out of the last raw bytes
    rst      in   synchronous, active high; drops everything in flight
    """
    if fmt.raw % 8:
        raise ValueError(f"the raw part of {fmt.name} is not a whole number of bytes")
    bits, mantissa, sign = fmt.width, fmt.mantissa, fmt.width - 1
    number_bits = item_bits(width)
    index_bits = INDEX - number_bits
    last_index = POINT.chunk // width - 1
    level_bits = width.bit_length()

    # the group that has entered, and where it stands
    values = [Signal(intbv(0)[bits:]) for _ in range(width)]
    nonzero = [Signal(bool(0)) for _ in range(width)]
    present = [Signal(bool(0)) for _ in range(width)]
    zero = [Signal(bool(0)) for _ in range(width)]
    number = Signal(intbv(0)[number_bits:]) if width > 1 else None  # of its values, less one
    entered = Signal(intbv(0)[width * bits :])
    some = Signal(intbv(0)[width:])
    flags = Signal(intbv(0)[width:])
    filled = Signal(bool(0))
    frame_end = Signal(bool(0))  # the frame's last
    index = Signal(modbv(0)[index_bits:])  # of the group before
    index_here = Signal(modbv(0)[index_bits:])
    opening = Signal(bool(1))  # the chunk's first
    ending = Signal(bool(0))  # the chunk's last
    arrivals = Signal(intbv(0)[level_bits:]) if width > 1 else nonzero[0]

    # the non-zeros that are held
    placed = [Signal(intbv(0)[bits:]) for _ in range(width)]  # what enters each slot
    shown = [Signal(intbv(0)[bits:]) for _ in range(width)]  # what leaves it
    group = Signal(intbv(0)[width * bits :])
    level = Signal(intbv(0)[level_bits:])  # how many are held
    level_before = Signal(intbv(0)[level_bits:])
    level_sum = Signal(intbv(0)[level_bits + 1 :])
    level_rest = Signal(modbv(0)[level_bits:])  # when W leave
    overfull = Signal(bool(0))
    ended = Signal(bool(0))  # no more of their chunk come

    # totals of the chunk
    nonzeros = Signal(modbv(0)[COUNT:])
    nonzeros_before = Signal(modbv(0)[COUNT:])
    frame_ended = Signal(bool(0))
    remainder = Signal(intbv(0)[CHECK:])
    tail = Signal(intbv(0)[TAIL:])
    counts = Signal(intbv(0)[COUNT + index_bits :])
    check = Signal(intbv(0)[CHECK:])

    stepped = Signal(intbv(0)[number_bits:]) if width > 1 else None  # number, of the group before
    closed = Signal(intbv(0)[number_bits:]) if width > 1 else None  # of the chunk's last

    # what moves in this cycle
    emit = Signal(bool(0))  # a group of non-zeros is offered
    value_free = Signal(bool(0))
    flag_free = Signal(bool(0))
    chunk_free = Signal(bool(0))
    step = Signal(bool(0))  # the entered group
    leave = Signal(bool(0))  # a group of non-zeros, or a chunk without any
    close = Signal(bool(0))  # a chunk

    lanes = [
        enter(clk, s_axis, j, values[j], nonzero[j], present[j], zero[j]) for j in range(width)
    ]
    items = [ConcatSignal(v(sign), v(mantissa, 0), v(sign, mantissa)) for v in values]
    gathered = [
        side_by_side(parts, whole)
        for parts, whole in ((values, entered), (zero, flags), (shown, group))
    ]
    offset = nonzeros_before(number_bits, 0) if width > 1 else None
    compaction = compact(items, nonzero, offset, placed)
    slots = [slot(clk, step, leave, ended, level, k, placed[k], shown[k]) for k in range(width)]
    sum_of_values = crc32.crc32(clk, rst, step, opening, entered, remainder)
    raws = [word(bits, fmt.exponent) for word in shown]
    if trailing:
        left_out = Signal(intbv(0)[TRAILING:])
        lows = ConcatSignal(*[value(8, 0) for value in values])
        middles = ConcatSignal(*[value(16, 8) for value in values])
        last_raws = keep_stripped_tail(
            clk, rst, close, step, opening, overfull, level, raws, lows, middles, left_out, tail
        )
        last_bytes = [left_out, tail]
    else:
        last_raws = keep_tail(clk, rst, close, step, overfull, level, raws, tail)
        last_bytes = [tail]
    if width > 1:
        population = [side_by_side(nonzero, some), popcount(some, arrivals)]
        numbering = find_last(present, number)
        shown_number = show_number(ended, level, m_axis.tuser)
        moved = [pass_number(clk, step, number, stepped), pass_number(clk, close, stepped, closed)]
        settling = settle(
            clk, rst, close, stepped, closed, remainder, check, m_chunk, chunk_free, fmt
        )
        totals = ConcatSignal(*last_bytes, check, counts, closed)
    else:
        settling = note_check(clk, rst, close, remainder, check, m_chunk, chunk_free)
        totals = ConcatSignal(*last_bytes, check, counts)

    @always_comb
    def locate():
        index_here.next = 0
        nonzeros_before.next = 0
        if not opening:
            index_here.next = index + 1
            nonzeros_before.next = nonzeros

    @always_comb
    def find_end():
        ending.next = frame_end or index_here == last_index

    @always_comb
    def fill():
        level_before.next = 0
        if not ended:
            level_before.next = level

    @always_comb
    def add():
        level_sum.next = level_before + arrivals

    @always_comb
    def compare():
        overfull.next = level_sum > width
        level_rest.next = level_sum[level_bits:] - width

    @always_comb
    def offer_group():  # what must be free for it stays so until the group has left
        emit.next = (ended and chunk_free and level != 0) or (filled and flag_free and overfull)

    @always_comb
    def outputs_free():
        value_free.next = not emit or m_axis.tready
        flag_free.next = not m_flag.tvalid or m_flag.tready

    @always_comb
    def flow():
        step.next = filled and value_free and flag_free and (chunk_free or not ended)
        s_axis.tready.next = not filled or (value_free and flag_free and (chunk_free or not ended))
        close.next = ended and value_free and chunk_free

    @always_comb
    def release():
        leave.next = close or (step and overfull)

    @always(clk.posedge)
    def note_end():
        if s_axis.tready:
            frame_end.next = s_axis.tlast

    @always_seq(clk.posedge, reset=rst)
    def place():
        if s_axis.tready:
            filled.next = s_axis.tvalid
        if step:
            opening.next = ending
            ended.next = ending
            level.next = level_sum[level_bits:]
            if overfull:
                level.next = level_rest
        elif close:
            ended.next = False
            level.next = 0

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if flag_free:
            m_flag.tvalid.next = step

    @always_comb
    def show_group():
        m_axis.tvalid.next = emit
        m_axis.tdata.next = group
        m_axis.tlast.next = ended

    @always(clk.posedge)
    def count():
        if step:
            index.next = index_here
            nonzeros.next = nonzeros_before + concat(intbv(0)[COUNT - level_bits :], arrivals)
            frame_ended.next = frame_end
            m_flag.tdata.next = flags
            m_flag.tlast.next = ending

    @always(clk.posedge)
    def total():
        if close:
            counts.next = concat(nonzeros, index)
            m_chunk.tlast.next = frame_ended

    @always_comb
    def show_totals():
        m_chunk.tdata.next = totals

    return instances()


@block
def enter(clk, s_axis, j, value, nonzero, present, zero):
    """Value j of the group; one that is absent is kept as a zero, and not flagged as one."""
    bits = len(value)
    low, high, byte = bits * j, bits * (j + 1), bits // 8 * j
    entering = Signal(intbv(0)[bits:])

    if j == 0:

        @always_comb
        def show():
            entering.next = s_axis.tdata[high:low]
            zero.next = not nonzero

    else:

        @always_comb
        def mask():
            entering.next = 0
            if s_axis.tkeep[byte]:
                entering.next = s_axis.tdata[high:low]

        @always(clk.posedge)
        def note():
            if s_axis.tready:
                present.next = s_axis.tkeep[byte]

        @always_comb
        def show():
            zero.next = present and not nonzero

    @always(clk.posedge)
    def register():
        if s_axis.tready:
            value.next = entering
            nonzero.next = entering != 0

    return instances()


@block
def find_last(present, number):
    """The number of the last value."""
    if len(present) == 2:
        second = present[1]

        @always_comb
        def find():
            number.next = second

    else:
        second, third, fourth = present[1:]

        @always_comb
        def find():
            number.next[1] = third
            number.next[0] = fourth or (second and not third)

    return find


@block
def slot(clk, step, leave, ended, level, k, placed, shown):
    """Slot k: shows the word that is held, if it is one of `level`, else the one that enters.

    At a chunk's end it shows what is held in any case: a word that is offered must not change.
    """
    held = Signal(intbv(0)[len(placed) :])
    holding = Signal(bool(0))

    @always_comb
    def compare():
        holding.next = level > k

    @always_comb
    def show():
        shown.next = placed
        if holding or ended:
            shown.next = held

    @always(clk.posedge)
    def hold():
        if leave or (step and not holding):
            held.next = placed

    return instances()


@block
def keep_tail(clk, rst, close, step, overfull, level, raws, tail):
    """The last raw bytes of a chunk, of whose last group there are `level`; 0 for none."""
    raw = len(raws[0])
    before = Signal(intbv(0)[TAIL - raw :])  # of the groups that have left
    size = TAIL - raw + raw * len(raws)
    history = Signal(intbv(0)[size:])
    known = side_by_side([before, *raws], history)
    found = [None] + [Signal(intbv(0)[TAIL:]) for _ in raws]
    choices = [
        choose_tail(level, k + 1, history(raw * k + TAIL, raw * k), found[k], found[k + 1])
        for k in range(len(raws))
    ]
    chosen = found[len(raws)]

    @always_seq(clk.posedge, reset=rst)
    def remember():
        if close:
            before.next = 0
        elif step and overfull:
            before.next = history[size : size - TAIL + raw]

    @always(clk.posedge)
    def note():
        if close:
            tail.next = chosen

    return instances()


@block
def keep_stripped_tail(
    clk, rst, close, step, opening, overfull, level, raws, lows, middles, left_out, tail
):
    """The same of raw parts without the bytes that are 0 in all of them.

    The last raw bytes are those of the last value and one of the value before, two of the last two
    each, or one of the last four.
    """
    some_low = Signal(bool(0))  # a low byte of the chunk is not 0
    some_middle = Signal(bool(0))
    before_tops = Signal(intbv(0)[24:])  # of the groups that have left: the last three
    before_middle = Signal(intbv(0)[8:])
    width = len(raws)
    size = 8 * (3 + width)
    tops = Signal(intbv(0)[size:])
    all_middles = Signal(intbv(0)[8 * (1 + width) :])
    joined = (
        side_by_side([before_tops, *[raw(24, 16) for raw in raws]], tops),
        side_by_side([before_middle, *[raw(16, 8) for raw in raws]], all_middles),
    )
    found = [None] + [Signal(intbv(0)[56:]) for _ in raws]
    choices = []
    for k, raw in enumerate(raws):
        at = 8 * k
        window = ConcatSignal(tops(at + 32, at), all_middles(at + 16, at), raw(8, 0))
        choices.append(choose_tail(level, k + 1, window, found[k], found[k + 1]))
    chosen = found[width]

    @always(clk.posedge)
    def examine():
        if step:
            some_low.next = lows != 0 or (some_low and not opening)
            some_middle.next = middles != 0 or (some_middle and not opening)

    @always_seq(clk.posedge, reset=rst)
    def remember():
        if close:
            before_tops.next = 0
            before_middle.next = 0
        elif step and overfull:
            before_tops.next = tops[size : size - 24]
            before_middle.next = all_middles[8 * (1 + width) : 8 * width]

    @always(clk.posedge)
    def note():
        if close:
            if some_low:
                left_out.next = 0
                tail.next = concat(chosen[56:48], chosen[24:16], chosen[8:], chosen[48:40])
            elif some_middle:
                left_out.next = 1
                tail.next = concat(chosen[56:48], chosen[24:16], chosen[48:40], chosen[16:8])
            else:
                left_out.next = 2
                tail.next = chosen[56:24]

    return instances()


@block
def choose_tail(level, count, window, other, chosen):
    if other is None:

        @always_comb
        def choose():
            chosen.next = 0
            if level == count:
                chosen.next = window

    else:

        @always_comb
        def choose():
            chosen.next = other
            if level == count:
                chosen.next = window

    return choose


@block
def show_number(ended, level, user):
    """The number of non-zeros that leave: all that are held, or a full group."""
    bits = len(user)
    full = (1 << bits) - 1

    @always_comb
    def choose():
        user.next = full
        if ended:
            user.next = level[bits:] - 1

    return choose


@block
def pass_number(clk, move, number, number_after):
    @always(clk.posedge)
    def go():
        if move:
            number_after.next = number

    return go


@block
def note_check(clk, rst, close, remainder, check, m_chunk, free):
    """At W = 1 the check is there when the chunk closes."""

    @always_comb
    def outputs_free():
        free.next = not m_chunk.tvalid or m_chunk.tready

    @always(clk.posedge)
    def note():
        if close:
            check.next = remainder

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if close:
            m_chunk.tvalid.next = True
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    return instances()


@block
def settle(clk, rst, close, stepped, closed, remainder, check, m_chunk, free, fmt):
    """The check counts what the last group lacks as zeros: take them off, a byte a cycle.

    It is there when the chunk closes, or one cycle later.
    """
    late = crc32.latency(fmt.width << len(closed)) == 2
    number = closed if late else stepped  # of the last group's values, less one
    byte_bits = (fmt.width // 8 - 1).bit_length()
    due = Signal(bool(0)) if late else close
    waiting = Signal(bool(0))  # the totals are there, the check is not
    lacking = Signal(intbv(0)[len(number) :])
    left = Signal(modbv(0)[len(number) + byte_bits :])
    shorter = Signal(intbv(0)[CHECK:])

    shortening = crc32.shorten(check, shorter)
    delay = follow(clk, rst, close, due) if late else []

    @always_comb
    def outputs_free():
        free.next = not waiting and (not m_chunk.tvalid or m_chunk.tready)

    @always_comb
    def measure():
        lacking.next = ~number

    @always(clk.posedge)
    def take_off():
        if due:
            check.next = remainder
            left.next = concat(lacking, intbv(0)[byte_bits:])
        elif waiting:
            check.next = shorter
            left.next = left - 1

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if due:
            m_chunk.tvalid.next = lacking == 0
            waiting.next = lacking != 0
        elif waiting and left == 1:
            m_chunk.tvalid.next = True
            waiting.next = False
        else:
            if close:
                waiting.next = True
            if m_chunk.tready:
                m_chunk.tvalid.next = False

    return instances()


@block
def follow(clk, rst, close, due):
    @always_seq(clk.posedge, reset=rst)
    def delay():
        due.next = close

    return delay
