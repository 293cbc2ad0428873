# SPDX-License-Identifier: Apache-2.0
"""chunk_parse: take a chunk's packet apart into the streams of the decoder's stages.

What comes before the codes is read in small steps, of four bytes (counts and zeros), two (lanes) or
one (block headers), wherever it lies in a word; codes and raw parts pass as whole words. Where the
codes end is known when the number of non-zeros is, and what is stripped of their raw parts.

Role         first stage of gradient_dec; as far ahead of the others as the queues between allow
Golden       read_chunk, read_zeros and read_blocks of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4 and 5
Parameters   fmt: the number format; tables: the table set, of which only the number counts; width:
             a word has 4 bytes for each; runs: whether there may be known runs
Not done     words of codes and raw parts are passed on as they lie: who reads them aligns them
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
    enum,
    instances,
    intbv,
    modbv,
)

from hls.choose import choose
from hls.chunk_error import CODE_BITS, ChunkError
from hls.fifo import cut
from hls.point import MOST_PAIRS, POINT, RAW, NumberFormat
from hls.popcount import add, popcount
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=0, interval=1)  # of words of codes and raw parts

MOST_EXTRA = 767  # bytes of the extra bits of known runs, more than MOST_PAIRS can be worth

LOOK = 1  # cycles of a chunk beyond its steps and words
WEIGHING = 5  # more, if it has blocks
SETTLING = 3  # more, if it has a bitmap

INDEX = (POINT.chunk - 1).bit_length()  # bits of a value's number in its chunk
LENGTH = 15  # bits that hold the size of every chunk of this point
CODE_BYTES_LOG2 = INDEX + 1  # a value takes two code bytes at most
SHAPE = INDEX + 3  # bits of a word of m_shape
RUNS_SHAPE = 2  # more of them, with runs
PAIRS = (MOST_PAIRS - 1).bit_length()

BYTE = 8
ALL_ZEROS, BITMAP, RUNS = 1, 2, 3  # `zeros` of the mode byte, but 3 stands for 5
CODED = 1  # `form` of it

NONE = int(ChunkError.NONE)
E_MODE, E_SIZE, E_COUNT = int(ChunkError.MODE), int(ChunkError.SIZE), int(ChunkError.COUNT)
E_ZEROS, E_LANES = int(ChunkError.ZEROS), int(ChunkError.LANES)
E_BLOCK, E_CODES = int(ChunkError.BLOCK), int(ChunkError.CODES)
E_TRAILING = int(ChunkError.TRAILING)


def place_bits(width: int) -> int:
    """Bits of a byte's number in a word."""
    return (4 * width - 1).bit_length()


def span_bits(fmt: NumberFormat, width: int) -> int:
    """Bits of a word of m_span; of raw parts of one byte, none can be stripped."""
    return 2 * place_bits(width) + (3 if fmt.raw > BYTE else 1)


def ports(fmt, width=1, runs=False):
    return {
        "s_axis": AxiStream(32 * width, keep=True, user=1),
        "m_zeros": AxiStream(32, last=False),
        "m_bitmap": AxiStream(32, user=int(runs), last=runs),
        "m_lanes": AxiStream(16, last=False),
        "m_shape": AxiStream(SHAPE + RUNS_SHAPE * runs, last=False),
        "m_span": AxiStream(span_bits(fmt, width), last=False),
        "m_codes": AxiStream(32 * width, user=2 * place_bits(width)),
        "m_raw": AxiStream(32 * width),
        "begun": Signal(bool(0)),
        "opened": Signal(bool(0)),
        "fault": Signal(intbv(0)[CODE_BITS:]),
        "drained": Signal(bool(0)),
        "resume": Signal(bool(0)),
    }


@block
def chunk_parse(
    clk, rst, s_axis, m_zeros, m_bitmap, m_lanes, m_shape, m_span, m_codes, m_raw, begun, opened,
    fault, drained, resume, tables, fmt, width=1, runs=False,
):  # fmt: skip
    """Take a step or a word a cycle; a chunk costs a few cycles more.

    After a fault the words up to the end of the frame are taken and dropped.

    s_axis    in   a packet is a chunk; tuser = it is its frame's last
    m_zeros   out  of each chunk {zeros, frame's last, number of values - 1}, then its summary
    m_bitmap  out  the words of the bitmap; with runs those of run_bitmap
    m_lanes   out  of each chunk that has blocks the lane states, then {table, emax} of each block
    m_shape   out  of each such chunk, after its lanes {payload bytes that must be 0, it has codes,
                   number of non-zero values - 1}; with runs, as of lane_dec, also of tokens
    m_span    out  and {bytes that are stripped of each raw part, if that has more than one; all raw
                   bytes are in the lanes; number of the chunk's last byte in its word; of the one
                   before the first raw one, if all of them but four lie at the chunk's end, or in
                   the lanes at that of a word}
    m_codes   out  words that hold codes; tuser = {number of the first byte that is one, which
                   counts in a chunk's first word; of the last}; tlast = the chunk's last
    m_raw     out  words that hold raw parts; tlast = the chunk's last
    begun     out  the first word of m_zeros of a chunk moves
    opened    out  the chunk at fault is such a one
    fault     out  a ChunkError: a word that moved was wrong
    drained   out  and all words of its frame have been taken
    resume    in   when drained: begin again, with the next frame
    rst       in   synchronous, active high; the next word begins a packet
    """
    step = enum(
        "MODE",  # look at the mode and the size
        "HEAD",  # and leave them
        "COUNT",
        "SUMMARY",
        "SETTLE",  # the summary's ones are being added
        "BITMAP",
        "LANES",
        "EMAX",
        "TABLE",
        "TRAILING",
        "WEIGH",  # what is left for the codes?
        "SHAPE",
        "SPAN",
        "CODES",
        "RAW",
        "DROP",
    )
    state = Signal(step.MODE)
    size, bits = 4 * width, place_bits(width)

    # the step at hand
    word = Signal(intbv(0)[32:])
    half = Signal(intbv(0)[16:])
    octet = Signal(intbv(0)[8:])
    good = Signal(bool(0))  # it is here, and nothing wrong has been found before it
    able = Signal(bool(0))  # it goes where it is offered
    moved = Signal(bool(0))  # and is here
    stays = Signal(bool(0))  # the word is needed for the part of the chunk that begins in it
    done = Signal(bool(0))  # and for nothing more
    faulty = Signal(bool(0))  # a fault has been found
    over = Signal(bool(0))  # the word before was the frame's last, the one at hand is of another

    # where in the chunk it lies
    in_header = Signal(bool(0))  # of a block
    position = Signal(modbv(0)[LENGTH:])
    following = Signal(modbv(0)[LENGTH:])
    stride = Signal(intbv(0)[LENGTH:])
    end_byte = Signal(modbv(0)[LENGTH:])  # of the chunk's last byte
    ends = Signal(bool(0))  # that is in this word
    closes = Signal(bool(0))  # in these four bytes
    misframed = Signal(bool(0))  # the packet ends elsewhere
    odd_mode, odd_size, odd_count, odd_zeros = (Signal(bool(0)) for _ in range(4))
    odd_lanes, odd_block, odd_codes, odd_trailing = (Signal(bool(0)) for _ in range(4))
    judging = Signal(bool(0))  # that counts
    mode_found, size_found, count_found, zeros_found = (Signal(bool(0)) for _ in range(4))
    lanes_found, block_found, codes_found, trailing_found = (Signal(bool(0)) for _ in range(4))
    found = Signal(bool(0))  # one of these, with the word before
    wrong = Signal(intbv(0)[CODE_BITS:])  # which
    trailing_differs = Signal(bool(0))  # it is none, or another than the block's before
    index = Signal(modbv(0)[3:])  # of the step in its part
    stored = Signal(modbv(0)[INDEX - 4 :])  # words of the bitmap to come
    headers = Signal(modbv(0)[3:])  # blocks behind this one
    finishes = Signal(bool(0))  # the chunk ends with this byte of one
    complete = Signal(bool(0))  # it has done so

    # what has been read
    short = Signal(bool(0))
    zeros = Signal(intbv(0)[2:])
    has_trailing = Signal(bool(0))
    frame_last = Signal(bool(0))
    count_less = Signal(modbv(0)[INDEX:])  # number of values, less one, if the word is `count`
    highest = Signal(intbv(0)[INDEX:])  # number of values, less one
    tail_stored = Signal(bool(0))  # the bitmap's last word is stored
    nonzero = Signal(modbv(0)[INDEX + 1 :])  # number of non-zero values, less one
    emax = Signal(intbv(0)[8:])
    first_block = Signal(bool(0))
    stripped = Signal(intbv(0)[2:])  # bytes, of each raw part

    # What the parts add up to, each from the one before, most a cycle later.
    raw_bytes = Signal(modbv(0)[LENGTH:])  # of all values, less those of one
    rise = Signal(intbv(0)[3:])  # raw bytes of the lanes beyond those of one value
    raised = Signal(modbv(0)[LENGTH:])  # the chunk's last byte, had it those
    raw_before = Signal(modbv(0)[LENGTH:])  # the byte before the first of them
    in_lanes = Signal(bool(0))  # there is no more of them
    code_last = Signal(modbv(0)[LENGTH:])  # the last byte of the codes
    spare = Signal(modbv(0)[LENGTH + 1 :])  # bytes of the codes, less one
    missing = Signal(bool(0))  # they are less than none
    excess = Signal(bool(0))  # they are more than a chunk can use
    codes_end = Signal(bool(0))  # in this word
    unused = Signal(modbv(0)[2:])  # bytes that the lanes could hold more
    lacking = Signal(modbv(0)[2:])  # the same, if all are in the lanes
    lacking_wide = ConcatSignal(intbv(0)[bits - 2 :], lacking) if bits > 2 else lacking
    span_before, span_last = (Signal(modbv(0)[bits:]) for _ in range(2))

    # known runs: two words about them, then their extra bytes, then the lanes byte by byte
    of_runs = odd = untold = peeks = odd_runs = False
    run_stride = 4
    run_words = Signal(modbv(0)[INDEX - 2 :])  # {words that are left, end byte}, if it says those
    if runs:
        of_runs = Signal(bool(0))
        odd = Signal(bool(0))  # the byte at hand is a lane's second
        untold = Signal(bool(0))  # m_shape has not said how many tokens there are
        peeks = Signal(bool(0))  # the word is looked at, and stays
        odd_runs = Signal(bool(0))  # what the word says cannot be
        run_stride = Signal(intbv(0)[LENGTH:])  # to what follows the word
    pairs_less = Signal(modbv(0)[PAIRS:])  # number of pairs, less one, if the word says it
    pairs = Signal(intbv(0)[PAIRS:])  # that number
    known = Signal(bool(0))  # which of the known tables
    run_end = Signal(intbv(0)[2:])  # byte of the last word

    # ones of the bytes of the word at hand, then of the word before, and before that
    came0, came1, came2, came3 = (Signal(intbv(0)[4:]) for _ in range(4))
    ones0, ones1, ones2, ones3 = (Signal(intbv(0)[4:]) for _ in range(4))
    low_ones, high_ones = (Signal(intbv(0)[5:]) for _ in range(2))
    ones = Signal(intbv(0)[6:])
    ones_late = Signal(intbv(0)[INDEX + 1 :])
    counted, counted_late = (Signal(bool(0)) for _ in range(2))
    total_ones = Signal(modbv(0)[INDEX + 1 :])

    limit = Signal(intbv(0)[5:])  # the highest bit that may be set
    above = Signal(intbv(0)[32:])  # the bits above it
    above_found = Signal(bool(0))  # one of those was set in the word before

    nonzero_wide = ConcatSignal(intbv(0)[LENGTH - INDEX :], nonzero(INDEX, 0))
    nonzero_twice = ConcatSignal(intbv(0)[LENGTH - INDEX - 1 :], nonzero(INDEX, 0), False)
    table_count = len(tables)
    per_value = fmt.raw // 8
    full_keep, full_place = (1 << size) - 1, size - 1
    first_byte, last_byte = position(bits, 0), end_byte(bits, 0)
    padding = 32 - INDEX - 3
    if per_value not in (1, 3) or (fmt.raw % 8, fmt.exponent) != (0, 8):
        raise ValueError("a raw part is one byte or three, an exponent one")
    if (POINT.lanes, POINT.blocks, POINT.tail) != (8, 8, 4):
        raise ValueError("lanes and blocks are eight, the lanes hold four raw bytes")
    if MOST_EXTRA != 0x2FF or MOST_PAIRS != 1 << PAIRS:
        raise ValueError("the bits of more extra bytes or pairs than can be are others")

    if width == 1:

        @always_comb
        def find_word():
            word.next = s_axis.tdata

    else:
        parts = [Signal(intbv(0)[32:]) for _ in range(width)]
        cuts = [cut(s_axis.tdata, part, 32 * (i + 1)) for i, part in enumerate(parts)]
        find_word = choose(parts, position(bits, 2), word)

    @always_comb
    def find_half():
        half.next = word[16:]
        if position[1]:
            half.next = word[32:16]

    @always_comb
    def find_byte():
        octet.next = half[8:]
        if position[0]:
            octet.next = half[16:8]

    # By index: from Python 3.12 on a signal that a comprehension binds is a local of the block, and
    # MyHDL names it after that.
    came = (came0, came1, came2, came3)
    counters = [popcount(word(8 * i + 8, 8 * i), came[i]) for i in range(4)]
    adders = (
        add(ones0, ones1, low_ones),
        add(ones2, ones3, high_ones),
        add(low_ones, high_ones, ones),
    )

    # Where it lies.

    @always_comb
    def recognise():
        in_header.next = (
            state == step.EMAX
            or state == step.TABLE
            or state == step.TRAILING
            or (of_runs and state == step.LANES)
        )

    @always_comb
    def measure_step():
        stride.next = 4
        if in_header:
            stride.next = 1
        elif state == step.LANES:
            stride.next = 2
        elif of_runs and state == step.BITMAP:
            stride.next = run_stride
        elif state == step.CODES or state == step.RAW:
            stride.next = size
        else:
            stride.next = 4

    @always_comb
    def advance():
        following.next = position + stride

    @always_comb
    def look():
        ends.next = position[LENGTH:bits] == end_byte[LENGTH:bits]
        closes.next = position[LENGTH:2] == end_byte[LENGTH:2]
        codes_end.next = position[LENGTH:bits] == code_last[LENGTH:bits]
        finishes.next = position == end_byte

    @always_comb
    def frame():
        misframed.next = s_axis.tlast != ends or s_axis.tkeep != full_keep
        if ends:
            misframed.next = s_axis.tlast != ends or s_axis.tkeep != (2 << last_byte) - 1

    @always_comb
    def leave():
        able.next = False
        if state == step.HEAD:
            able.next = m_zeros.tready or short
        elif state == step.COUNT or state == step.SUMMARY:
            able.next = m_zeros.tready
        elif state == step.BITMAP:
            able.next = m_bitmap.tready and not peeks
        elif state == step.LANES or state == step.TABLE:
            able.next = m_lanes.tready
        elif state == step.EMAX or state == step.TRAILING:
            able.next = True
        elif state == step.CODES:
            able.next = m_codes.tready
        elif state == step.RAW:
            able.next = m_raw.tready
        elif state == step.DROP:
            able.next = True
        else:
            able.next = False

    @always_comb
    def keep():
        stays.next = (
            state == step.CODES and codes_end and not in_lanes and raw_before[bits:] != full_place
        )
        done.next = (
            following[bits] != position[bits]
            or state == step.DROP
            or (closes and (finishes or not in_header))
        )

    @always_comb
    def accept():
        s_axis.tready.next = able and done and not stays and not over
        moved.next = able and not over and s_axis.tvalid

    # What is wrong with it.

    @always_comb
    def choose_limit():
        limit.next = highest[5:]  # the last value's bit in the bitmap
        if state == step.SUMMARY:
            limit.next = highest[10:5]  # that bit's word in the summary

    @always_comb
    def find_above():
        above.next = word & (intbv(2**32 - 2)[32:] << limit)

    @always_comb
    def judge():
        odd_mode.next = state == step.MODE and (
            s_axis.tdata[2:] != CODED
            or (s_axis.tdata[4] and not (runs and s_axis.tdata[2]))
            or s_axis.tdata[4:2] == 3
            or s_axis.tdata[6]
            or (s_axis.tdata[5] and s_axis.tdata[5:2] == ALL_ZEROS)
        )
        odd_size.next = False
        if state == step.MODE:
            odd_size.next = s_axis.tdata[32 : 8 + LENGTH] != 0 or s_axis.tdata[8 + LENGTH : 10] == 0
        elif state == step.SHAPE:
            odd_size.next = missing
        elif state == step.SETTLE:
            odd_size.next = False
        elif misframed:
            odd_size.next = True
        elif state == step.HEAD:
            odd_size.next = closes != (zeros == ALL_ZEROS and not short)
        elif state == step.COUNT:
            odd_size.next = closes != (zeros == ALL_ZEROS)
        elif state == step.SUMMARY or state == step.BITMAP:
            odd_size.next = closes
        elif state == step.LANES:
            odd_size.next = closes
            if of_runs:
                odd_size.next = finishes
        elif state == step.EMAX:
            odd_size.next = finishes
        elif state == step.TABLE:
            odd_size.next = finishes and (has_trailing or headers != 0)
        elif state == step.TRAILING:
            odd_size.next = finishes and headers != 0
        else:
            odd_size.next = False
        odd_count.next = state == step.COUNT and (
            word[32:INDEX] != 0 or word[INDEX:] == 0 or not frame_last
        )
        odd_zeros.next = (
            (state == step.SETTLE and not counted and not counted_late and total_ones == 0)
            or (state == step.BITMAP and (odd_runs or (word == 0 and not of_runs)))
            or (state == step.LANES and index == 7 and nonzero[INDEX])
        )
        odd_lanes.next = state == step.LANES and (
            (half[16:8] == 0 and not of_runs) or (of_runs and odd and octet == 0)
        )
        odd_block.next = (
            state == step.TABLE and octet >= table_count and (octet != RAW or emax != 0)
        )
        odd_codes.next = state == step.SHAPE and excess
        odd_trailing.next = state == step.TRAILING and trailing_differs
        judging.next = (
            moved
            or (state == step.MODE and s_axis.tvalid)
            or state == step.SETTLE
            or state == step.SHAPE
        )

    @always_comb
    def name():
        found.next = (
            (above_found or mode_found or size_found)
            or (count_found or zeros_found or lanes_found)
            or (block_found or codes_found or trailing_found)
        )
        wrong.next = NONE
        if above_found:
            wrong.next = E_ZEROS
        elif size_found:
            wrong.next = E_SIZE
        elif mode_found:
            wrong.next = E_MODE
        elif count_found:
            wrong.next = E_COUNT
        elif lanes_found:
            wrong.next = E_LANES
        elif zeros_found:
            wrong.next = E_ZEROS
        elif block_found:
            wrong.next = E_BLOCK
        elif codes_found:
            wrong.next = E_CODES
        elif trailing_found:
            wrong.next = E_TRAILING

    # Where it goes.

    @always_comb
    def trust():
        good.next = s_axis.tvalid and not faulty and not over and not found
        drained.next = faulty and over and state == step.DROP

    @always_comb
    def offer():
        m_zeros.tvalid.next = good and (
            (state == step.HEAD and not short) or state == step.COUNT or state == step.SUMMARY
        )
        m_bitmap.tvalid.next = good and state == step.BITMAP and not peeks
        m_lanes.tvalid.next = good and (
            (state == step.LANES and (odd or not of_runs)) or state == step.TABLE
        )
        m_shape.tvalid.next = state == step.SHAPE and not (faulty or found or missing or excess)
        m_span.tvalid.next = state == step.SPAN and not (faulty or found)
        m_codes.tvalid.next = good and state == step.CODES
        m_raw.tvalid.next = good and state == step.RAW

    @always_comb
    def begin():
        begun.next = (
            good and m_zeros.tready and ((state == step.HEAD and not short) or state == step.COUNT)
        )

    @always_comb
    def decrement():
        count_less.next = word[INDEX:] - 1

    @always_comb
    def describe():
        if state == step.HEAD:
            m_zeros.tdata.next = concat(
                intbv(0)[padding:], zeros, frame_last, intbv(2**INDEX - 1)[INDEX:]
            )
        elif state == step.COUNT:
            m_zeros.tdata.next = concat(intbv(0)[padding:], zeros, frame_last, count_less)
        else:
            m_zeros.tdata.next = word
        m_lanes.tdata.next = half
        if state == step.TABLE or of_runs:
            m_lanes.tdata.next = concat(octet, emax)
        m_codes.tdata.next = s_axis.tdata
        m_codes.tlast.next = codes_end
        m_codes.tuser.next = concat(first_byte, code_last[bits:])
        m_raw.tdata.next = s_axis.tdata
        m_raw.tlast.next = ends

    @always_comb
    def compare_ends():
        lacking.next = raw_before[2:] - end_byte[2:]

    @always_comb
    def describe_parts():
        unused.next = 0
        span_before.next = raw_before[bits:]
        span_last.next = last_byte
        if in_lanes:
            unused.next = lacking
            span_before.next = lacking_wide - 1
            span_last.next = full_place

    if per_value == 1:

        @always_comb
        def show_span():
            m_span.tdata.next = concat(in_lanes, span_last, span_before)

    else:

        @always_comb
        def show_span():
            m_span.tdata.next = concat(stripped, in_lanes, span_last, span_before)

    if runs:

        @always_comb
        def show_shape():
            m_shape.tdata.next = concat(
                intbv(0)[RUNS_SHAPE:], unused, not spare[LENGTH], nonzero[INDEX:]
            )
            if untold:
                m_shape.tdata.next = concat(
                    known,
                    untold,
                    unused,
                    not spare[LENGTH],
                    intbv(0)[INDEX - PAIRS - 1 :],
                    pairs,
                    True,
                )

        @always_comb
        def find_run_words():
            of_runs.next = zeros == RUNS
            peeks.next = zeros == RUNS and index == 1
            pairs_less.next = word[16 + PAIRS : 16] - 1
            run_words.next = word[INDEX - 2 :] + 6
            run_stride.next = 4
            if stored == 1 and index[1]:
                run_stride.next = concat(intbv(0)[LENGTH - 3 :], False, run_end) + 1

        @always_comb
        def judge_runs():
            odd_runs.next = False
            if zeros == RUNS and index == 0:
                odd_runs.next = (
                    word[16:INDEX] != 0
                    or word[32:16] == 0
                    or word[32 : 17 + PAIRS] != 0
                    or (word[16 + PAIRS] and word[16 + PAIRS : 16] != 0)
                )
            elif zeros == RUNS:  # of no value there would be the most, less one
                odd_runs.next = index == 2 and (
                    nonzero[INDEX:] >= highest
                    or (word[24:17] != 0 or word[16:10] != 0 or (word[9] and word[8]))
                )

        @always_comb
        def describe_runs():
            m_bitmap.tuser.next = of_runs
            m_bitmap.tlast.next = of_runs and index[1] and stored == 1
            m_bitmap.tdata.next = word
            if of_runs:
                if index == 0:
                    m_bitmap.tdata.next = concat(intbv(0)[16 - PAIRS :], pairs_less, word[16:])
                elif index == 2:
                    m_bitmap.tdata.next = concat(
                        word[32:24], intbv(0)[22 - INDEX :], run_end, highest
                    )

        @always(clk.posedge)
        def note_runs():
            if state == step.MODE:
                odd.next = False
            elif state == step.LANES and moved:
                odd.next = not odd
            if state == step.BITMAP:
                untold.next = of_runs
                if index == 0:
                    pairs.next = pairs_less
                elif index == 1:
                    run_end.next = run_words[2:]
                elif index == 2:
                    known.next = word[16]
            elif state == step.MODE or (state == step.SHAPE and m_shape.tready):
                untold.next = False

        @always(clk.posedge)
        def count_values():
            if not of_runs:
                nonzero.next = highest - total_ones
            elif state == step.BITMAP and index == 0:
                nonzero.next = concat(False, count_less)
    else:
        run_words = total_ones  # it is never looked at

        @always_comb
        def show_bitmap():
            m_bitmap.tdata.next = word

        @always_comb
        def show_shape():
            m_shape.tdata.next = concat(unused, not spare[LENGTH], nonzero[INDEX:])

        @always(clk.posedge)
        def count_values():
            nonzero.next = highest - total_ones

    # What the parts add up to: the codes are what the others leave.

    @always_comb
    def subtract():
        spare.next = concat(intbv(0)[1:], code_last) - concat(intbv(0)[1:], position)

    @always_comb
    def compare():
        missing.next = spare[LENGTH] and spare[LENGTH:] != 2**LENGTH - 1
        excess.next = not spare[LENGTH] and spare[LENGTH:CODE_BYTES_LOG2] != 0

    if per_value == 1:

        @always_comb
        def find_trailing():
            trailing_differs.next = octet != 0
            raised.next = end_byte + 3

        @always(clk.posedge)
        def multiply():
            raw_bytes.next = nonzero_wide

        @always(clk.posedge)
        def place_raw():
            raw_before.next = raised - raw_bytes
            in_lanes.next = nonzero[INDEX:2] == 0

    else:

        @always_comb
        def raise_end():
            raised.next = end_byte + concat(intbv(0)[LENGTH - 3 :], rise)

        @always_comb
        def find_trailing():
            rise.next = concat(intbv(0)[1:], stripped) + 1
            trailing_differs.next = (
                octet[3:] != 0
                or octet[8:5] != 0
                or octet[5:3] == 3
                or (octet[5:3] != stripped and not first_block)
            )

        @always(clk.posedge)
        def note_trailing():
            if state == step.MODE:
                stripped.next = 0
                first_block.next = True
            elif state == step.TRAILING and moved:
                stripped.next = octet[5:3]
                first_block.next = False

        @always(clk.posedge)
        def multiply():
            raw_bytes.next = nonzero_wide
            if stripped == 0:
                raw_bytes.next = nonzero_wide + nonzero_twice
            elif stripped == 1:
                raw_bytes.next = nonzero_twice

        @always(clk.posedge)
        def place_raw():
            raw_before.next = raised - raw_bytes
            in_lanes.next = nonzero[INDEX:2] == 0 and (
                nonzero[2:] == 0 or stripped[1] or (stripped[0] and not nonzero[1])
            )

    @always(clk.posedge)
    def measure():
        ones0.next = came0
        ones1.next = came1
        ones2.next = came2
        ones3.next = came3
        ones_late.next = concat(intbv(0)[INDEX - 5 :], ones)
        code_last.next = raw_before
        if in_lanes:
            code_last.next = end_byte

    @always(clk.posedge)
    def note():
        if state == step.MODE:
            end_byte.next = s_axis.tdata[8 + LENGTH : 8] - 1
            short.next = s_axis.tdata[7]
            zeros.next = concat(s_axis.tdata[3] or s_axis.tdata[4], s_axis.tdata[2])
            has_trailing.next = s_axis.tdata[5]
            frame_last.next = s_axis.tuser[0]
            highest.next = 2**INDEX - 1
        elif state == step.COUNT:
            highest.next = count_less
        elif state == step.SUMMARY:
            tail_stored.next = word[limit]
        elif (state == step.EMAX or (of_runs and state == step.LANES)) and moved:
            emax.next = octet

    @always_seq(clk.posedge, reset=rst)
    def find():
        mode_found.next = judging and odd_mode
        size_found.next = judging and odd_size
        count_found.next = judging and odd_count
        zeros_found.next = judging and odd_zeros
        lanes_found.next = judging and odd_lanes
        block_found.next = judging and odd_block
        codes_found.next = judging and odd_codes
        trailing_found.next = judging and odd_trailing

    @always_seq(clk.posedge, reset=rst)
    def control():
        above_found.next = (
            moved
            and above != 0
            and (
                (state == step.SUMMARY and index[2:] == highest[:10])
                or (state == step.BITMAP and stored == 1 and tail_stored and not of_runs)
            )
        )
        counted.next = moved and (state == step.SUMMARY or state == step.BITMAP)
        counted_late.next = counted
        if counted_late:
            total_ones.next = total_ones + ones_late
        if moved and not stays:
            position.next = following
        if state == step.MODE and not faulty and not found:
            over.next = False
            opened.next = False
        elif moved and done and not stays:
            over.next = s_axis.tlast and s_axis.tuser[0]
        if begun:
            opened.next = True

        if state == step.MODE:
            index.next = 0
            total_ones.next = 0
            position.next = 0
            if s_axis.tvalid:
                state.next = step.HEAD
        elif state == step.HEAD:
            if moved:
                if short:
                    state.next = step.COUNT
                elif zeros == BITMAP:
                    state.next = step.SUMMARY
                elif zeros == ALL_ZEROS:
                    state.next = step.MODE
                elif of_runs:
                    state.next = step.BITMAP
                else:
                    state.next = step.LANES
        elif state == step.COUNT:
            if moved:
                state.next = step.LANES
                if zeros == ALL_ZEROS:
                    state.next = step.MODE
                elif zeros == BITMAP:
                    state.next = step.SUMMARY
                elif of_runs:
                    state.next = step.BITMAP
        elif state == step.SUMMARY:
            if moved:
                index.next = index + 1
                if index[2:] == highest[:10]:
                    state.next = step.SETTLE
        elif state == step.SETTLE:
            index.next = 0
            stored.next = total_ones[INDEX - 4 :]
            if not counted and not counted_late:
                total_ones.next = 0
                state.next = step.BITMAP
        elif state == step.BITMAP:
            if peeks:
                stored.next = run_words[INDEX - 2 : 2]
                if good:
                    index.next = 2
            elif moved:
                stored.next = stored - 1
                if of_runs:
                    index.next = concat(False, index[1], True)
                if stored == 1 and (index[1] or not of_runs):
                    index.next = 0
                    state.next = step.LANES
        elif state == step.LANES:
            headers.next = nonzero[INDEX:9]
            if moved and (odd or not of_runs):
                index.next = index + 1  # which comes to 0 again
                if index == 7:
                    state.next = step.EMAX
        elif state == step.EMAX:
            if moved:
                state.next = step.TABLE
        elif state == step.TABLE:
            complete.next = finishes
            if moved:
                if has_trailing:
                    state.next = step.TRAILING
                else:
                    headers.next = headers - 1
                    state.next = step.EMAX
                    if headers == 0:
                        state.next = step.WEIGH
        elif state == step.TRAILING:
            complete.next = finishes
            if moved:
                headers.next = headers - 1
                state.next = step.EMAX
                if headers == 0:
                    state.next = step.WEIGH
        elif state == step.WEIGH:
            index.next = index + 1
            if index == WEIGHING - 3:
                state.next = step.SHAPE
        elif state == step.SHAPE:
            if m_shape.tready and not untold:
                state.next = step.SPAN
        elif state == step.SPAN:
            if m_span.tready:
                state.next = step.CODES
                if spare[LENGTH]:
                    state.next = step.RAW
                    if complete:
                        state.next = step.MODE
        elif state == step.CODES:
            if moved and codes_end:
                state.next = step.RAW
                if in_lanes:
                    state.next = step.MODE
        elif state == step.RAW and moved and ends:
            state.next = step.MODE

        if resume:
            state.next = step.MODE
            fault.next = NONE
            faulty.next = False
        elif faulty:
            state.next = step.DROP
        else:
            fault.next = wrong
            faulty.next = found

    return instances()
