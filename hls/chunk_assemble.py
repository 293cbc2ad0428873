# SPDX-License-Identifier: Apache-2.0
"""chunk_assemble: put the parts of a chunk in order, behind its mode and size.

Role         behind all of the encoder but byte_pack, which strips words and closes the gaps
Golden       framed and write_chunk of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 4
Parameters   fmt: the number format, its raw part one or three bytes; width: values of a group; a
             word of codes, of raw bytes and of the chunk has four bytes for each; trailing: whether
             bytes may be left out of raw parts; runs: whether zero_part writes the zeros
Not done     no register at the output: byte_pack has one at its input
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls import byte_pack, code_stack, raw_strip, zero_bitmap, zero_part
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
IDLE, ADD_RAW, ADD_CODES, ADD_ZEROS, ADD_NUMBER, MODE, NUMBER = range(7)
ZEROS, BEGINNING, CODES, RAW, SURPLUS = range(7, 12)

CONTRACT = Contract(latency=3, interval=1)  # from a chunk's totals, zeros and codes to its mode
CHUNK_CYCLES = 5  # beside a cycle for each word that is taken


def ports(fmt, width=1, trailing=False, runs=False):  # noqa: ARG001 # sizes are alike for all
    bits = 8 * word_bytes(width)
    return {
        "s_chunk": AxiStream(COUNT + INDEX + TRAILING * trailing),
        "s_zeros": (zero_part if runs else zero_bitmap).ports()["m_axis"],
        "s_codes": AxiStream(bits, user=code_stack.size_bits(width)),
        "s_raw": AxiStream(bits, last=False),
        "m_axis": AxiStream(bits, user=byte_pack.user_bits(width, trailing)),
    }


@block
def chunk_assemble(
    clk, rst, s_chunk, s_zeros, s_codes, s_raw, m_axis, fmt, width=1, trailing=False, runs=False
):
    """Take a word a cycle; a chunk takes 5 cycles more, a short one 7.

    s_chunk  in   tdata = {nnz, n - 1}, with trailing {bytes left out, nnz, n - 1}; tlast = the
                  frame's last
    s_zeros  in   zero_bitmap's packet for the chunk, dropped if no value or every value is zero;
                  with runs zero_part's
    s_codes  in   code_stack's packet for the chunk: lanes, blocks, codes; none if nnz is 0
    s_raw    in   the chunk's raw bytes, none left out, in whole words. The last 4 that are not left
                  out are in the lanes: words that have no others are dropped
    m_axis   out  the chunk, as byte_pack takes it; tuser = {the frame's last chunk, in all words;
                  with trailing the way to strip the word; the place of the first of its bytes, the
                  number of these less one}; tlast = the chunk's last
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
    surplus_bits = (
        (raw_strip.TAIL_SPANS[-1] if trailing else TAIL) + count - 2 >> levels
    ).bit_length()

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
    start = Signal(bool(0))
    leave = Signal(bool(0))

    # raw bytes: their number, then that of those that are not in the lanes, less one and the word
    # that leaves
    raw_left = Signal(modbv(0)[bits:])
    raw_more = Signal(modbv(0)[bits:])
    raw_after = Signal(modbv(0)[bits:])
    raw_none = Signal(bool(0))
    raw_ends = Signal(bool(0))  # with this word
    raw_reach = Signal(intbv(0)[levels:])  # the last byte of the word that leaves
    raw_rest = Signal(intbv(0)[levels:]) if trailing else raw_reach  # its bytes less one
    surplus_all = Signal(modbv(0)[surplus_bits:])  # words of which all bytes are in the lanes
    surplus = Signal(modbv(0)[surplus_bits:])

    # the bytes of the chunk, less one: the tail, at least, counts for the word of the mode
    size = Signal(modbv(0)[bits:])
    once = Signal(modbv(0)[bits:])  # of raw parts: one of each, or none
    twice = Signal(modbv(0)[bits:])  # two of each, or none
    few = Signal(bool(0))  # no more than the tail
    addend = Signal(modbv(0)[bits:])
    total = Signal(modbv(0)[bits:])

    # the word that leaves
    offer = Signal(bool(0))
    front = Signal(intbv(0)[8 * FRONT :])
    in_front = Signal(bool(0))
    from_raw = Signal(bool(0))
    first = Signal(modbv(0)[levels:])
    first_code = Signal(modbv(0)[levels:])
    rest = Signal(intbv(0)[levels:])
    last = Signal(bool(0))
    frame_last = Signal(bool(0))

    move_raw = Signal(bool(0))
    stripped = trailing and Signal(bool(0))  # something is left out
    if trailing:
        way = Signal(modbv(0)[raw_strip.WAY :])
        parts = (
            size_stripped(s_chunk, once, twice, few),
            find_stripped_end(s_chunk, state, way, raw_more, count),
            follow_way(clk, start, move_raw, s_chunk, way, raw_reach, raw_rest, count),
            find_trailing(way, stripped),
            show_stripped(m_axis, frame_last, way, from_raw, first, rest),
        )
    else:
        parts = (
            size_whole(s_chunk, once, twice, few, raw_bytes),
            find_end(state, twice, raw_more, count),
            show_whole(m_axis, frame_last, first, rest),
        )
    spare = count_surplus(raw_left, raw_after, surplus_all, levels)
    bytes_shown, picks = [], []
    for k in range(count):
        byte = Signal(intbv(0)[8:])
        shown_front = front(8 * k + 8, 8 * k) if k < FRONT else None
        picks.append(pick(k, in_front, shown_front, from_raw, s_raw, s_codes, byte))
        bytes_shown.append(byte)
    joined = side_by_side(bytes_shown, m_axis.tdata)
    describe_zeros = describe_part if runs else describe_bitmap
    zeros = describe_zeros(
        clk, start, s_chunk, s_zeros, coded, zeros_mode, zeros_bytes, zeros_rest, zeros_shown
    )

    @always_comb
    def look():
        start.next = state == IDLE and s_chunk.tvalid and s_zeros.tvalid

    @always_comb
    def look_ahead():
        raw_ends.next = raw_left[bits - 1]
        raw_none.next = raw_left[bits - 1] and raw_left[levels + 2 : levels] != 3

    @always_comb
    def locate():
        raw_reach.next = all_bytes
        if raw_ends:
            raw_reach.next = raw_left[levels:]

    @always_comb
    def take():
        s_chunk.tready.next = state == ADD_RAW
        s_zeros.tready.next = state == ZEROS and (m_axis.tready or not zeros_shown)
        s_codes.tready.next = (state == BEGINNING or state == CODES) and m_axis.tready
        s_raw.tready.next = (state == RAW and m_axis.tready) or state == SURPLUS

    @always_comb
    def describe():
        values.next = concat(intbv(0)[1:], index) + 1
        short.next = index != LAST_INDEX
        mode.next = concat(short, intbv(0)[2:], zeros_mode, intbv(FORM_CODED)[2:])
        if coded and stripped:
            mode.next[5] = True

    @always_comb
    def part():
        addend.next = FRONT
        if state == ADD_RAW:
            addend.next = twice
        elif state == ADD_CODES:
            addend.next = concat(intbv(0)[bits - code_bits :], s_codes.tuser)
        elif state == ADD_ZEROS:
            addend.next = concat(intbv(0)[bits - FRONT_SIZE :], zeros_bytes)

    @always_comb
    def add():
        total.next = size + addend
        raw_after.next = raw_left + raw_more

    @always_comb
    def find_first():
        first_code.next = 0
        if state == BEGINNING:
            first_code.next = -s_codes.tuser[levels:]

    @always_comb
    def show():
        offer.next = False
        front.next = s_zeros.tdata
        in_front.next = False
        from_raw.next = state == RAW
        first.next = 0
        rest.next = FRONT_REST
        last.next = False
        if state == MODE:
            offer.next = True
            in_front.next = True
            front.next = concat(intbv(0)[8 * FRONT - 8 - bits :], size, mode)
            last.next = not coded and not short
        elif state == NUMBER:
            offer.next = True
            in_front.next = True
            front.next = concat(intbv(0)[8 * FRONT - COUNT :], values)
            last.next = not coded
        elif state == ZEROS:
            offer.next = s_zeros.tvalid and zeros_shown
            in_front.next = True
            rest.next = zeros_rest
        elif state == BEGINNING or state == CODES:
            offer.next = s_codes.tvalid
            first.next = first_code
            rest.next = ~first_code
            last.next = s_codes.tlast and raw_none
        elif state == RAW:
            offer.next = s_raw.tvalid
            rest.next = raw_rest
            last.next = raw_ends

    @always_comb
    def pass_on():
        leave.next = offer and m_axis.tready
        move_raw.next = state == RAW and s_raw.tvalid and m_axis.tready

    @always_comb
    def give():
        m_axis.tvalid.next = offer
        m_axis.tlast.next = last

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if state == IDLE:
            if start:
                state.next = ADD_RAW
        elif state == ADD_RAW:
            state.next = ADD_ZEROS
            if coded:
                state.next = ADD_CODES
        elif state == ADD_CODES:
            if s_codes.tvalid:
                state.next = ADD_ZEROS
        elif state == ADD_ZEROS:
            state.next = MODE
            if short:
                state.next = ADD_NUMBER
        elif state == ADD_NUMBER:
            state.next = MODE
        elif state == MODE:
            if m_axis.tready:
                state.next = ZEROS
                if short:
                    state.next = NUMBER
        elif state == NUMBER:
            if m_axis.tready:
                state.next = ZEROS
        elif state == ZEROS:
            if s_zeros.tvalid and s_zeros.tlast and (m_axis.tready or not zeros_shown):
                state.next = IDLE
                if coded:
                    state.next = BEGINNING
        elif state == BEGINNING or state == CODES:
            if leave:
                state.next = CODES
                if s_codes.tlast:
                    state.next = RAW
                    if raw_none:
                        state.next = SURPLUS
        elif state == RAW:
            if leave and raw_ends:
                state.next = IDLE
                if surplus != 0:
                    state.next = SURPLUS
        elif s_raw.tvalid and surplus == 1:
            state.next = IDLE

    @always(clk.posedge)
    def count_bytes():
        if start:
            index.next = s_chunk.tdata[INDEX:]
            coded.next = s_chunk.tdata[COUNT + INDEX : INDEX] != 0
            frame_last.next = s_chunk.tlast
            size.next = once
        elif state < MODE and (state != ADD_CODES or s_codes.tvalid):
            size.next = total
            if state == ADD_RAW and few:
                size.next = TAIL

    @always(clk.posedge)
    def count_words():
        if start:
            raw_left.next = concat(intbv(0)[bits - COUNT :], s_chunk.tdata[COUNT + INDEX : INDEX])
        elif state == ADD_RAW or state == ADD_ZEROS or move_raw:
            raw_left.next = raw_after
        if state == ADD_ZEROS:
            surplus.next = surplus_all
        elif state == SURPLUS and s_raw.tvalid:
            surplus.next = surplus - 1

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
def size_whole(s_chunk, once, twice, few, raw_bytes):
    """The bytes of raw parts of which none is left out."""
    more, top = len(once) - COUNT, COUNT + INDEX
    most = TAIL // raw_bytes

    if raw_bytes == 1:

        @always_comb
        def look():
            once.next = concat(intbv(0)[more:], s_chunk.tdata[top:INDEX])
            twice.next = 0
            few.next = s_chunk.tdata[top:INDEX] <= most

    elif raw_bytes == raw_strip.PART:

        @always_comb
        def look():
            once.next = concat(intbv(0)[more:], s_chunk.tdata[top:INDEX])
            twice.next = concat(intbv(0)[more - 1 :], s_chunk.tdata[top:INDEX], intbv(0)[1:])
            few.next = s_chunk.tdata[top:INDEX] <= most

    else:
        raise ValueError(f"raw parts of {raw_bytes} bytes")

    return look


@block
def size_stripped(s_chunk, once, twice, few):
    """The same of raw parts of which some bytes are left out."""
    more, top = len(once) - COUNT, COUNT + INDEX

    @always_comb
    def choose():
        once.next = 0
        twice.next = 0
        if s_chunk.tdata[top + TRAILING : top] != 1:
            once.next = concat(intbv(0)[more:], s_chunk.tdata[top:INDEX])
        if s_chunk.tdata[top + TRAILING : top] != 2:
            twice.next = concat(intbv(0)[more - 1 :], s_chunk.tdata[top:INDEX], intbv(0)[1:])

    @always_comb
    def look():  # parts of one byte may be four, those of two only two, those of three one
        few.next = s_chunk.tdata[top : INDEX + 2] == 0 and (
            not s_chunk.tdata[INDEX + 1] or s_chunk.tdata[top + TRAILING - 1]
        )

    return instances()


@block
def find_end(state, twice, more, count):
    """What the number of raw bytes lacks, and how many are in the lanes and in the first word."""
    gone = -(TAIL + count + 1)

    @always_comb
    def choose():
        more.next = -count
        if state == ADD_RAW:
            more.next = twice
        elif state == ADD_ZEROS:
            more.next = gone

    return choose


@block
def find_stripped_end(s_chunk, state, way, more, count):
    """The same where the lanes have two bytes each of two raw parts, or one each of four."""
    whole, four = raw_strip.WHOLE, raw_strip.first_way(2)
    gone, gone_two, gone_four = (-(span + count + 1) for span in raw_strip.TAIL_SPANS)
    beyond, top = len(more) - COUNT - 1, COUNT + INDEX

    @always_comb
    def choose():
        more.next = -count
        if state == ADD_RAW:
            more.next = concat(intbv(0)[beyond:], s_chunk.tdata[top:INDEX], intbv(0)[1:])
        elif state == ADD_ZEROS:
            if way == whole:
                more.next = gone
            elif way < four:
                more.next = gone_two
            else:
                more.next = gone_four

    return choose


@block
def count_surplus(number, after, surplus, levels):
    """The words of so many raw bytes behind the one that `after` ends with, or all of them."""
    bits, sign = len(surplus), len(after) - 1
    whole = Signal(bool(0))
    missing = Signal(modbv(0)[bits:])

    if bits == 1:

        @always_comb
        def look():
            missing.next = ~after[levels + 1 : levels]

    else:  # so few may be kept that `after` is less by a word more than where none is

        @always_comb
        def look():
            missing.next = ~after[levels + 2 : levels]
            if after[sign] and after[levels + 2 : levels] == 1:
                missing.next = 1

    @always_comb
    def count():
        whole.next = number[levels:] == 0
        surplus.next = number[levels + bits : levels] + missing - whole

    return instances()


@block
def follow_way(clk, start, move_raw, s_chunk, way, reach, rest, count):
    """The way to strip a chunk's raw words; rest: the bytes kept up to `reach`, less one."""
    levels, top = len(rest), COUNT + INDEX
    rom, ways = raw_strip.rest_rom(count), raw_strip.way_rom(count)
    whole, two, four = (raw_strip.first_way(left_out) for left_out in range(3))
    place = Signal(intbv(0)[raw_strip.WAY + levels :])
    way_after = Signal(intbv(0)[raw_strip.WAY :])

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
def show_whole(m_axis, frame_last, first, rest):
    """Which bytes of the word count."""

    @always_comb
    def show():
        m_axis.tuser.next = concat(frame_last, first, rest)

    return show


@block
def show_stripped(m_axis, frame_last, way, from_raw, first, rest):
    """The same, and how the word is stripped."""
    shown = Signal(intbv(0)[len(way) :])
    whole = raw_strip.WHOLE

    @always_comb
    def choose():
        shown.next = whole
        if from_raw:
            shown.next = way

    @always_comb
    def show():
        m_axis.tuser.next = concat(frame_last, shown, first, rest)

    return instances()


@block
def pick(k, in_front, front, from_raw, s_raw, s_codes, byte):
    """Byte k of the word that leaves, of the part that it is from."""
    low, high = 8 * k, 8 * k + 8

    if front is None:

        @always_comb
        def choose():
            byte.next = s_codes.tdata[high:low]
            if from_raw:
                byte.next = s_raw.tdata[high:low]

    else:

        @always_comb
        def choose():
            byte.next = s_codes.tdata[high:low]
            if in_front:
                byte.next = front
            elif from_raw:
                byte.next = s_raw.tdata[high:low]

    return choose
