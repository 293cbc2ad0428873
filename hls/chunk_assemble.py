# SPDX-License-Identifier: Apache-2.0
"""chunk_assemble: put the parts of a chunk in order, behind its mode and size.

Role         last stage of the encoder but byte_pack, which closes the gaps
Golden       framed and write_chunk of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 4
Parameters   fmt: the number format, its raw part one or three bytes; width: values of a group; a
             word of codes, of raw bytes and of the chunk has four bytes for each; trailing: whether
             bytes may be left out of raw parts; runs: whether zero_part writes the zeros
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls import code_stack, raw_strip, zero_bitmap, zero_part
from hls.point import POINT
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract, word_bytes
from hls.zero_part import LEFT
from hls.zero_split import COUNT, INDEX, TRAILING

FRONT = 4  # bytes of a word in front of the lanes
FRONT_REST = FRONT - 1
FRONT_SIZE = (FRONT * (2 + zero_bitmap.LONGEST)).bit_length()  # bits of the number of these bytes
LAST_INDEX = POINT.chunk - 1
TAIL = POINT.tail

FORM_CODED = 1  # fields of the mode byte
ZEROS_NONE, ZEROS_ALL, ZEROS_BITMAP, ZEROS_RUNS = 0, 1, 2, 5

# states: the part that leaves; before, what `size` still lacks
IDLE, ADD_CODES, ADD_FRONT, MODE, NUMBER, ZEROS, CODES, RAW, SURPLUS = range(9)

CONTRACT = Contract(latency=4, interval=1)  # from a chunk's totals, zeros and codes to its mode
CHUNK_CYCLES = 4  # beside a cycle for each word that is taken


def ports(fmt, width=1, trailing=False, runs=False):  # noqa: ARG001 # sizes are alike for all
    bits = 8 * word_bytes(width)
    return {
        "s_chunk": AxiStream(COUNT + INDEX + TRAILING * trailing),
        "s_zeros": (zero_part if runs else zero_bitmap).ports()["m_axis"],
        "s_codes": AxiStream(bits, keep=True, user=code_stack.size_bits(width)),
        "s_raw": AxiStream(bits, last=False),
        "m_axis": AxiStream(bits, user=1 + (word_bytes(width) - 1).bit_length()),
    }


@block
def chunk_assemble(
    clk, rst, s_chunk, s_zeros, s_codes, s_raw, m_axis, fmt, width=1, trailing=False, runs=False
):
    """Take a word a cycle; a chunk takes 4 cycles more, a short one 5.

    s_chunk  in   tdata = {nnz, n - 1}, with trailing {bytes left out, nnz, n - 1}; tlast = the
                  frame's last
    s_zeros  in   zero_bitmap's packet for the chunk, dropped if no value or every value is zero;
                  with runs zero_part's
    s_codes  in   code_stack's packet for the chunk: lanes, blocks, codes; none if nnz is 0
    s_raw    in   the chunk's raw bytes, none left out, in whole words. The last 4 that are not left
                  out are in the lanes: words that have no others are dropped
    m_axis   out  the chunk; tuser = {the frame's last chunk, in all words; the word's bytes less
                  one}; tdata is 0 behind them; tlast = the chunk's last
    rst      in   synchronous, active high; drops everything in flight
    """
    count = word_bytes(width)
    levels = (count - 1).bit_length()
    all_bytes = count - 1
    raw_bytes = fmt.raw // 8
    largest = (
        POINT.chunk * raw_bytes + code_stack.longest(width) + FRONT * (2 + zero_bitmap.LONGEST)
    )
    code_bits = code_stack.size_bits(width)
    bits = max(largest.bit_length(), code_bits + 1)
    word_bits = bits - levels

    state = Signal(intbv(IDLE)[4:])
    index = Signal(intbv(0)[INDEX:])  # n - 1
    values = Signal(intbv(0)[COUNT:])  # n
    coded = Signal(bool(0))  # there are non-zeros
    short = Signal(bool(0))
    mode = Signal(intbv(0)[8:])
    zeros_mode = Signal(intbv(0)[3:])
    zeros_bytes = Signal(intbv(0)[FRONT_SIZE:])
    zeros_rest = Signal(intbv(0)[levels:])  # bytes less one of the word of zeros
    zeros_shown = Signal(bool(0))  # it is a part of the chunk
    front_bytes = Signal(intbv(0)[FRONT_SIZE:])  # in front of the lanes
    addend = Signal(modbv(0)[bits:])
    free = Signal(bool(0))
    start = Signal(bool(0))
    leave = Signal(bool(0))

    # raw bytes
    raw_size = Signal(modbv(0)[bits:])  # less one: of the part raw, -1 if there is none
    raw_total = Signal(modbv(0)[bits:])  # less one: of s_raw
    raw_left = Signal(modbv(0)[bits:])
    raw_last = Signal(modbv(0)[levels + 2 :])  # place of the last that is not in the lanes
    raw_words = Signal(modbv(0)[word_bits:])  # with this one and after it, less one
    surplus = Signal(modbv(0)[2:])  # words of which all bytes are in the lanes
    raw_none = Signal(bool(0))
    raw_ends = Signal(bool(0))  # with the next word
    raw_reach = Signal(intbv(0)[levels:])  # the last byte of the word that leaves, if it is raw
    size = Signal(modbv(0)[bits:])  # of the chunk, less one

    # the word that leaves
    offer = Signal(bool(0))
    front = Signal(intbv(0)[8 * FRONT :])
    from_codes = Signal(bool(0))
    from_raw = Signal(bool(0))
    code_rest = Signal(intbv(0)[levels:])  # its bytes less one, if they are codes
    rest = Signal(intbv(0)[levels:])
    last = Signal(bool(0))
    frame_last = Signal(bool(0))
    word = Signal(intbv(0)[8 * count :])

    move_raw = Signal(bool(0))
    raw_rest = Signal(intbv(0)[levels:]) if trailing else raw_reach  # its bytes less one
    raw_word = Signal(intbv(0)[8 * count :]) if trailing else s_raw.tdata
    stripped = trailing and Signal(bool(0))  # something is left out
    sizing = [count_raw(s_chunk, raw_total, raw_bytes)]
    if trailing:
        way = Signal(modbv(0)[raw_strip.WAY :])
        sizing += [
            size_stripped(s_chunk, raw_size),
            find_stripped_end(raw_left, way, raw_last, levels),
            strip(clk, start, move_raw, s_chunk, s_raw, way, raw_reach, raw_rest, raw_word),
            find_trailing(way, stripped),
        ]
    else:
        sizing += [size_whole(raw_total, raw_size), find_end(raw_left, raw_last, levels)]
    counting = count_codes(s_codes.tkeep, code_rest)
    bytes_shown, picks = [], []
    for k in range(count):
        byte = Signal(intbv(0)[8:])
        raw_here = Signal(bool(0))
        in_front = front if k < FRONT else None
        picks.append(reach(k, from_raw, raw_rest, raw_here))
        picks.append(pick(k, in_front, s_codes, from_codes, raw_word, raw_here, byte))
        bytes_shown.append(byte)
    joined = side_by_side(bytes_shown, word)
    describe_zeros = describe_part if runs else describe_bitmap
    zeros = describe_zeros(
        clk, start, s_chunk, s_zeros, coded, zeros_mode, zeros_bytes, zeros_rest, zeros_shown
    )

    @always_comb
    def look():
        free.next = not m_axis.tvalid or m_axis.tready
        start.next = state == IDLE and s_chunk.tvalid and s_zeros.tvalid

    @always_comb
    def look_ahead():
        raw_words.next = raw_left[bits:levels]
        surplus.next = -raw_last[levels + 2 : levels]

    @always_comb
    def foresee():
        raw_none.next = raw_words < concat(intbv(0)[word_bits - 2 :], surplus)
        raw_ends.next = raw_words == concat(intbv(0)[word_bits - 2 :], surplus)

    @always_comb
    def locate():
        raw_reach.next = all_bytes
        if raw_ends:
            raw_reach.next = raw_last[levels:]

    @always_comb
    def take():
        s_chunk.tready.next = start
        s_zeros.tready.next = state == ZEROS and (free or not zeros_shown)
        s_codes.tready.next = state == CODES and free
        s_raw.tready.next = (state == RAW and free) or state == SURPLUS

    @always_comb
    def describe():
        values.next = concat(intbv(0)[1:], index) + 1
        short.next = index != LAST_INDEX
        mode.next = concat(short, intbv(0)[2:], zeros_mode, intbv(FORM_CODED)[2:])
        if coded and stripped:
            mode.next[5] = True

    @always_comb
    def part():  # and what `size` is short of at first
        front_bytes.next = zeros_bytes + FRONT + 1
        if short:
            front_bytes.next = zeros_bytes + 2 * FRONT + 1
        addend.next = concat(intbv(0)[bits - FRONT_SIZE :], front_bytes)
        if state == ADD_CODES:
            addend.next = concat(intbv(0)[bits - code_bits :], s_codes.tuser)

    @always_comb
    def show():
        offer.next = False
        front.next = 0
        from_codes.next = state == CODES
        from_raw.next = state == RAW
        rest.next = 3
        last.next = False
        if state == MODE:
            offer.next = True
            front.next = concat(intbv(0)[8 * FRONT - 8 - bits :], size, mode)
            last.next = not coded and not short
        elif state == NUMBER:
            offer.next = True
            front.next = concat(intbv(0)[8 * FRONT - COUNT :], values)
            last.next = not coded
        elif state == ZEROS:
            offer.next = s_zeros.tvalid and zeros_shown
            front.next = s_zeros.tdata
            rest.next = zeros_rest
        elif state == CODES:
            offer.next = s_codes.tvalid
            rest.next = code_rest
            last.next = s_codes.tlast and raw_none
        elif state == RAW:
            offer.next = s_raw.tvalid
            rest.next = raw_rest
            last.next = raw_ends

    @always_comb
    def pass_on():
        leave.next = offer and free
        move_raw.next = s_raw.tvalid and ((state == RAW and free) or state == SURPLUS)

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if state == IDLE:
            if start:
                state.next = ADD_CODES
                if s_chunk.tdata[COUNT + INDEX : INDEX] == 0:
                    state.next = ADD_FRONT
        elif state == ADD_CODES:
            if s_codes.tvalid:
                state.next = ADD_FRONT
        elif state == ADD_FRONT:
            state.next = MODE
        elif state == MODE:
            if leave:
                state.next = ZEROS
                if short:
                    state.next = NUMBER
        elif state == NUMBER:
            if leave:
                state.next = ZEROS
        elif state == ZEROS:
            if s_zeros.tvalid and s_zeros.tlast and (free or not zeros_shown):
                state.next = IDLE
                if coded:
                    state.next = CODES
        elif state == CODES:
            if leave and s_codes.tlast:
                state.next = RAW
                if raw_none:
                    state.next = SURPLUS
        elif state == RAW:
            if leave and raw_ends:
                state.next = IDLE
                if surplus != 0:
                    state.next = SURPLUS
        elif s_raw.tvalid and raw_words == 0:
            state.next = IDLE

    @always(clk.posedge)
    def count_down():
        if start:
            index.next = s_chunk.tdata[INDEX:]
            coded.next = s_chunk.tdata[COUNT + INDEX : INDEX] != 0
            frame_last.next = s_chunk.tlast
            raw_left.next = raw_total
            size.next = raw_size
        elif state == ADD_FRONT or (state == ADD_CODES and s_codes.tvalid):
            size.next = size + addend
        elif move_raw:
            raw_left.next[bits:levels] = raw_words - 1

    @always_seq(clk.posedge, reset=rst)
    def offer_word():
        if free:
            m_axis.tvalid.next = offer

    @always(clk.posedge)
    def move():
        if free:
            m_axis.tdata.next = word
            m_axis.tlast.next = last
            m_axis.tuser.next = concat(frame_last, rest)

    return instances()


@block
def describe_bitmap(clk, start, s_chunk, s_zeros, coded, mode, size, rest, shown):
    """What there is of the zeros of a chunk if zero_bitmap writes them."""
    bitmap = Signal(bool(0))

    @always(clk.posedge)
    def look():
        if start:
            bitmap.next = (
                s_chunk.tdata[COUNT + INDEX : INDEX] != 0
                and s_chunk.tdata[COUNT + INDEX : INDEX]
                != concat(intbv(0)[1:], s_chunk.tdata[INDEX:]) + 1
            )

    @always_comb
    def show():
        mode.next = ZEROS_NONE
        size.next = 0
        if not coded:
            mode.next = ZEROS_ALL
        elif bitmap:
            mode.next = ZEROS_BITMAP
            size.next = concat(s_zeros.tuser, intbv(0)[2:])
        rest.next = FRONT_REST
        shown.next = bitmap

    return instances()


@block
def describe_part(clk, start, s_chunk, s_zeros, coded, mode, size, rest, shown):  # noqa: ARG001
    """What there is of them if zero_part does."""

    @always_comb
    def show():
        mode.next = ZEROS_NONE
        if not coded:
            mode.next = ZEROS_ALL
        elif s_zeros.tuser[LEFT]:
            mode.next = ZEROS_RUNS
        elif s_zeros.tkeep[0]:
            mode.next = ZEROS_BITMAP
        size.next = s_zeros.tuser[LEFT:]
        rest.next = 0
        rest.next[1] = s_zeros.tkeep[2]
        rest.next[0] = s_zeros.tkeep[3] or (s_zeros.tkeep[1] and not s_zeros.tkeep[2])
        shown.next = s_zeros.tkeep[0]

    return show


@block
def count_raw(s_chunk, total, raw_bytes):
    """The bytes, less one, of so many raw parts."""
    more, top = len(total) - COUNT, COUNT + INDEX

    if raw_bytes == 1:

        @always_comb
        def multiply():
            total.next = concat(intbv(0)[more:], s_chunk.tdata[top:INDEX]) - 1

    elif raw_bytes == raw_strip.PART:

        @always_comb
        def multiply():
            total.next = (
                concat(intbv(0)[more:], s_chunk.tdata[top:INDEX])
                + concat(intbv(0)[more - 1 :], s_chunk.tdata[top:INDEX], intbv(0)[1:])
                - 1
            )

    else:
        raise ValueError(f"raw parts of {raw_bytes} bytes")

    return multiply


@block
def size_whole(total, size):
    """The bytes, less one, that are not in the lanes; -1 for none."""
    beyond = Signal(modbv(0)[len(size) :])

    @always_comb
    def subtract():
        beyond.next = total - TAIL

    return subtract, not_less(beyond, size)


@block
def size_stripped(s_chunk, size):
    """The same of raw parts of which some bytes are left out."""
    bits = len(size)
    more, top = bits - COUNT, COUNT + INDEX
    once = Signal(modbv(0)[bits:])
    twice = Signal(modbv(0)[bits:])
    beyond = Signal(modbv(0)[bits:])
    bounding = not_less(beyond, size)

    @always_comb
    def choose():
        once.next = 0
        twice.next = 0
        if s_chunk.tdata[top + TRAILING : top] != 1:
            once.next = concat(intbv(0)[more:], s_chunk.tdata[top:INDEX])
        if s_chunk.tdata[top + TRAILING : top] != 2:
            twice.next = concat(intbv(0)[more - 1 :], s_chunk.tdata[top:INDEX], intbv(0)[1:])

    @always_comb
    def add():
        beyond.next = once + twice - TAIL - 1

    return instances()


@block
def not_less(beyond, size):
    """The size, or -1 if it is less."""
    sign = len(size) - 1

    @always_comb
    def bound():
        size.next = beyond
        if beyond[sign]:
            size.next = -1

    return bound


@block
def find_end(left, last, levels):
    """The place, in the chunk's last word, of the last raw byte that is not in the lanes.

    It is negative by a word for each word that such a byte is in front of that one.
    """

    @always_comb
    def subtract():
        last.next = concat(intbv(0)[2:], left[levels:]) - TAIL

    return subtract


@block
def find_stripped_end(left, way, last, levels):
    """The same where the lanes have two bytes each of two raw parts, or one each of four."""
    of_two, of_four = 2 * raw_strip.PART, 4 * raw_strip.PART
    whole, four = raw_strip.WHOLE, raw_strip.first_way(2)

    @always_comb
    def subtract():
        if way == whole:
            last.next = concat(intbv(0)[2:], left[levels:]) - TAIL
        elif way < four:
            last.next = concat(intbv(0)[2:], left[levels:]) - of_two
        else:
            last.next = concat(intbv(0)[2:], left[levels:]) - of_four

    return subtract


@block
def strip(clk, start, move_raw, s_chunk, s_raw, way, reach, rest, word):
    """Leave bytes out of a chunk's raw words; rest: those that are kept up to `reach`, less one."""
    count, levels, top = len(word) // 8, len(rest), COUNT + INDEX
    rom, ways = raw_strip.rest_rom(count), raw_strip.way_rom(count)
    whole, two, four = (raw_strip.first_way(left_out) for left_out in range(3))
    place = Signal(intbv(0)[raw_strip.WAY + levels :])
    way_after = Signal(intbv(0)[raw_strip.WAY :])
    stripping = raw_strip.raw_strip(s_raw.tdata, way, word)

    @always_comb
    def address():
        place.next = concat(way, reach)

    @always_comb
    def look_up():
        rest.next = rom[int(place)]

    @always_comb
    def follow():
        way_after.next = ways[int(way)]

    @always(clk.posedge)
    def turn():
        if start:
            way.next = whole
            if s_chunk.tdata[top + TRAILING : top] == 1:
                way.next = two
            elif s_chunk.tdata[top + TRAILING : top] == 2:
                way.next = four
        elif move_raw:
            way.next = way_after

    return instances()


@block
def find_trailing(way, stripped):
    """Whether anything is left out."""
    whole = raw_strip.WHOLE

    @always_comb
    def look():
        stripped.next = way != whole

    return look


@block
def count_codes(keep, rest):
    """Bytes of a word of codes, less one: of those that are not full, up to 3."""
    if len(keep) == FRONT:

        @always_comb
        def count():
            rest.next = concat(keep[2], keep[3] or (keep[1] and not keep[2]))

    elif len(keep) == 2 * FRONT:

        @always_comb
        def count():
            rest.next = concat(keep[4], keep[2], keep[3] or (keep[1] and not keep[2]))

    else:

        @always_comb
        def count():
            rest.next = concat(keep[4], keep[4], keep[2], keep[3] or (keep[1] and not keep[2]))

    return count


@block
def reach(k, from_raw, raw_rest, raw_here):
    """Whether byte k of the word that leaves is one of raw parts."""
    if k == 0:

        @always_comb
        def look():
            raw_here.next = from_raw

    else:

        @always_comb
        def look():
            raw_here.next = from_raw and raw_rest >= k

    return look


@block
def pick(k, front, s_codes, from_codes, raw_word, raw_here, byte):
    """Byte k of the word that leaves, of the one part that it is from; else 0."""
    low, high = 8 * k, 8 * k + 8
    kept = min(k, FRONT)  # words of codes that have more than four bytes are full
    of_codes = Signal(intbv(0)[8:])
    of_raw = Signal(intbv(0)[8:])

    @always_comb
    def choose():
        of_codes.next = 0
        of_raw.next = 0
        if from_codes and s_codes.tkeep[kept]:
            of_codes.next = s_codes.tdata[high:low]
        if raw_here:
            of_raw.next = raw_word[high:low]

    if front is None:

        @always_comb
        def join():
            byte.next = of_codes | of_raw

    else:

        @always_comb
        def join():
            byte.next = front[high:low] | of_codes | of_raw

    return instances()
