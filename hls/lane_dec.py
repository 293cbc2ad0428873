# SPDX-License-Identifier: Apache-2.0
"""lane_dec: the exponents of a chunk's non-zero values from its lanes and codes, one a cycle.

The lanes circulate in a ring of eight registers, one place a value. Lane k is in x0 when value j,
j mod 8 = k, begins; the steps of FORMAT.md section 6 happen to it at fixed places on its way round:

    x0  compare its low bits with the limits of the table: the codeword's length
    x1  drop the codeword, find its index among the table's codewords
    x2  look the symbol up, see whether the state needs a byte
    x3  take the bytes, refill the state, hand the exponent on
    x4  to x7: wait, so that the lane is back in time for its next value

So nothing is selected by lane. At a chunk's end the ring makes one turn, in which its lanes leave
and, if they are there, the next chunk's enter.

Role         between chunk_parse and raw_join
Golden       read_exponents of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 3.2, 5 and 6
Parameters   tables: the table set, built in as the limits of canonical codes
Throughput   a value a cycle; OVERHEAD cycles more a chunk, what its last round lacks of eight
             values, and one if its number of blocks is odd
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

from hls.chunk_error import CODE_BITS, ChunkError
from hls.chunk_parse import INDEX, SHAPE
from hls.code_window import code_window
from hls.point import ESCAPE, MAX_LENGTH, POINT, SYMBOLS
from hls.stream import AxiStream, Contract

OVERHEAD = POINT.lanes + 2  # cycles of a chunk in which no value enters: the turn, and around it

CONTRACT = Contract(latency=13, interval=1)  # from the first word of lanes

NONE = int(ChunkError.NONE)
E_CODES, E_EXPONENT = int(ChunkError.CODES), int(ChunkError.EXPONENT)
E_FINAL_STATE, E_PAYLOAD = int(ChunkError.FINAL_STATE), int(ChunkError.PAYLOAD)


def ports():
    return {
        "s_shape": AxiStream(SHAPE, last=False),
        "s_lanes": AxiStream(32, last=False),
        "s_codes": AxiStream(32, user=3),
        "m_exponents": AxiStream(8, user=3, last=False),
        "m_tail": AxiStream(32, last=False),
        "m_check": AxiStream(32, last=False),
        "fault": Signal(intbv(0)[CODE_BITS:]),
    }


SHORT = range(1, 5)  # lengths whose limits lie in one ROM
LONG = range(5, MAX_LENGTH)  # and in another: MyHDL has no constants of 35 bits


def limit(lengths, length):
    """The first word of so many bits that begins with no codeword of this length or shorter."""
    return sum(1 << (length - n) for n in lengths if 0 < n <= length)


def limit_word(lengths, span):
    """The limits of these lengths, one more bit than the length each, the first lowest."""
    word, at = 0, 0
    for length in span:
        word |= limit(lengths, length) << at
        at += length + 1
    return word


def bias(lengths, length):
    """What to add to a codeword of this length for its index in canonical order, modulo SYMBOLS."""
    shorter = sum(0 < n < length for n in lengths)
    return (shorter - 2 * limit(lengths, length - 1)) % SYMBOLS


def order(lengths):
    """The symbols in canonical order; those without a codeword at the end."""
    return sorted(range(SYMBOLS), key=lambda symbol: (lengths[symbol] or MAX_LENGTH + 1, symbol))


@block
def lane_dec(clk, rst, s_shape, s_lanes, s_codes, m_exponents, m_tail, m_check, fault, tables):
    """Decode exponents, a chunk after the other.

    s_shape      in   of each chunk {payload bytes that must be 0, it has codes, number of values
                      - 1}; taken with its last value
    s_lanes      in   of each chunk four words of lane states, then words of two block headers
    s_codes      in   words with codes; tuser = {the first two bytes do not count, number of the
                      last byte that does}; tlast = the chunk's last word
    m_exponents  out  an exponent a value; tuser = how many follow in its chunk, 5 for more
    m_tail       out  of each chunk the last raw bytes, at least 8 cycles after its last exponent
    m_check      out  of each chunk the CRC-32, with m_tail; the chunk after it waits for both to go
    fault        out  a ChunkError found in what has moved; what comes after it has no meaning
    rst          in   synchronous, active high
    """
    step_of = enum("GATHER", "TURN", "RUN")  # all lanes at home, all change, all go round
    phase = Signal(step_of.GATHER)
    lane = Signal(modbv(0)[3:])  # that enters next
    held = Signal(bool(0))  # the ring holds a chunk's lanes
    leaving = Signal(bool(0))  # they leave in this turn
    entering = Signal(bool(0))  # others enter in this turn
    more = Signal(bool(0))  # the chunk has a value that has not entered
    number = Signal(modbv(0)[INDEX:])  # of that value
    following = Signal(modbv(0)[INDEX:])  # of the one after it
    last = Signal(bool(0))  # it is the chunk's last
    boundary = Signal(bool(0))  # it is a block's last
    unused = Signal(intbv(0)[2:])  # payload bytes that must be 0

    # the block of the value that enters
    emax = Signal(intbv(0)[8:])
    coder = Signal(intbv(0)[table_bits(tables) :])  # its table
    raw = Signal(bool(0))
    opening = Signal(bool(0))  # the value is the block's first
    blank = Signal(bool(0))  # its header has not been read
    upper = Signal(bool(0))  # the next header is the word's upper half
    read_header = Signal(bool(0))
    used = Signal(bool(0))  # that was the cycle before: the word may leave
    want_header = Signal(bool(0))
    half = Signal(intbv(0)[16:])

    # the ring
    x0, x1, x2, x3, x4, x5, x6, x7 = (Signal(intbv(0)[16:]) for _ in range(8))
    valid0, valid1, valid2, valid3 = (Signal(bool(0)) for _ in range(4))
    raw0, raw1, raw2 = (Signal(bool(0)) for _ in range(3))
    opening0, opening1, opening2 = (Signal(bool(0)) for _ in range(3))
    table0, table1, table2 = (Signal(intbv(0)[len(coder) :]) for _ in range(3))
    limits_short = Signal(intbv(0)[sum(n + 1 for n in SHORT) :])
    limits_long = Signal(intbv(0)[sum(n + 1 for n in LONG) :])
    size1 = Signal(intbv(0)[3:])  # the codeword's length, less one
    index2 = Signal(modbv(0)[4:])
    symbol3 = Signal(intbv(0)[4:])
    emax3 = Signal(intbv(0)[8:])
    refill3, escape3, one3, two3 = (Signal(bool(0)) for _ in range(4))

    size0 = Signal(intbv(0)[3:])
    code1 = Signal(intbv(0)[4:])  # the codeword's last bits
    bias1 = Signal(intbv(0)[4:])
    symbol2 = Signal(intbv(0)[4:])
    refill2, escape2 = (Signal(bool(0)) for _ in range(2))
    difference = Signal(modbv(0)[8:])
    negative = Signal(bool(0))
    exponent = Signal(intbv(0)[8:])
    behind = Signal(intbv(0)[3:])

    coded = Signal(bool(0))
    room, source, go, able, step, start, missing, unread = (Signal(bool(0)) for _ in range(8))
    first, second = (Signal(intbv(0)[8:]) for _ in range(2))
    payload = Signal(intbv(0)[64:])
    wrong = Signal(intbv(0)[CODE_BITS:])

    short_rom = padded(tables, [limit_word(lengths, SHORT) for lengths in tables])
    long_rom = padded(tables, [limit_word(lengths, LONG) for lengths in tables])
    bias_rom = padded(tables, [bias(t, n) for t in tables for n in range(1, MAX_LENGTH + 1)])
    symbol_rom = padded(tables, [symbol for t in tables for symbol in order(t)])
    bias_address = ConcatSignal(table1, size1)
    symbol_address = ConcatSignal(table2, index2)
    distance3 = ConcatSignal(intbv(0)[4:], symbol3)

    # over[n - 1]: the codeword is longer than n bits; its first bit is the state's lowest
    flags, compares = [Signal(bool(0)) for _ in range(MAX_LENGTH - 1)], []
    for span, limits in ((SHORT, limits_short), (LONG, limits_long)):
        at = 0
        for n in span:
            leading = ConcatSignal(False, *(x0(i) for i in range(n)))
            compares.append(reaches(leading, limits(at + n + 1, at), flags[n - 1]))
            at += n + 1
    over = ConcatSignal(*reversed(flags))
    turned = ConcatSignal(*(x1(i) for i in range(8)))

    window = code_window(
        clk, rst, s_codes, start, coded, one3, two3, go, able, missing, unread, first, second
    )

    # What enters next.

    @always_comb
    def advance():
        following.next = number + 1

    @always(clk.posedge)
    def look_ahead():
        if phase != step_of.RUN:
            last.next = s_shape.tdata[INDEX:] == 0
            boundary.next = False
        elif step and more:
            last.next = following == s_shape.tdata[INDEX:]
            boundary.next = following[9:] == POINT.block - 1

    @always_comb
    def choose_half():
        half.next = s_lanes.tdata[16:]
        if upper:
            half.next = s_lanes.tdata[32:16]

    # When the ring moves.

    @always_comb
    def look():
        room.next = m_exponents.tready or not m_exponents.tvalid
        source.next = (phase == step_of.TURN and (s_lanes.tvalid or not entering)) or (
            phase == step_of.RUN and not (more and blank)
        )

    @always_comb
    def move():
        go.next = room and source
        step.next = room and source and able

    @always_comb
    def take():
        s_shape.tready.next = phase == step_of.RUN and more and last and not blank and room and able
        want_header.next = (
            phase == step_of.RUN and more and (blank or (boundary and not last and room and able))
        )

    @always_comb
    def take_lanes():
        s_lanes.tready.next = used or (
            upper
            and (phase == step_of.GATHER or (phase == step_of.TURN and entering and room and able))
        )
        read_header.next = want_header and s_lanes.tvalid
        start.next = phase == step_of.TURN and lane == POINT.lanes - 1 and step
        coded.next = entering and s_shape.tdata[INDEX]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if step:
            lane.next = lane + 1
        if read_header or (step and entering):
            upper.next = not upper
        used.next = read_header and upper
        if phase == step_of.GATHER:
            if upper:
                upper.next = not s_lanes.tvalid
            elif held:
                leaving.next = True
                entering.next = s_shape.tvalid
                if not (m_tail.tvalid or m_check.tvalid):
                    phase.next = step_of.TURN
            elif s_shape.tvalid:
                leaving.next = False
                entering.next = True
                phase.next = step_of.TURN
        elif phase == step_of.TURN:
            if start:
                held.next = entering
                more.next = entering
                blank.next = entering
                entering.next = False
                phase.next = step_of.GATHER
                if entering:
                    phase.next = step_of.RUN
        else:
            if step:
                if more:
                    number.next = number + 1
                    if last:
                        more.next = False
                        number.next = 0
                if lane == POINT.lanes - 1 and (last or not more):
                    phase.next = step_of.GATHER
            if read_header:
                blank.next = False
            elif want_header:
                blank.next = True

        if m_tail.tready:
            m_tail.tvalid.next = False
        if m_check.tready:
            m_check.tvalid.next = False
        if start and leaving:
            m_tail.tvalid.next = True
            m_check.tvalid.next = True

    @always(clk.posedge)
    def headers():
        if read_header:
            emax.next = half[8:]
            coder.next = half[8 + len(coder) : 8]
            raw.next = half[15]
        if read_header:
            opening.next = True
        elif step:
            opening.next = False
        if start:
            unused.next = s_shape.tdata[SHAPE : SHAPE - 2]

    # x0: how long is the codeword?

    @always_comb
    def measure():
        size0.next = 0
        if over[3]:
            size0.next[2] = True
            size0.next[1] = over[5]
            size0.next[0] = (over[4] and not over[5]) or over[6]
        else:
            size0.next[1] = over[1]
            size0.next[0] = (over[0] and not over[1]) or over[2]

    # x1: which of its length is it?

    @always_comb
    def find_code():
        if size1 == 0:
            code1.next = concat(intbv(0)[3:], turned[7])
        elif size1 == 1:
            code1.next = concat(intbv(0)[2:], turned[8:6])
        elif size1 == 2:
            code1.next = concat(intbv(0)[1:], turned[8:5])
        elif size1 == 3:
            code1.next = turned[8:4]
        elif size1 == 4:
            code1.next = turned[7:3]
        elif size1 == 5:
            code1.next = turned[6:2]
        elif size1 == 6:
            code1.next = turned[5:1]
        else:
            code1.next = turned[4:]

    @always_comb
    def find_bias():
        bias1.next = bias_rom[int(bias_address)]

    # x2: what does it say, and what does the state need?

    @always_comb
    def find_symbol():
        symbol2.next = symbol_rom[int(symbol_address)]

    @always_comb
    def need():
        refill2.next = valid2 and not raw2 and x2[16:8] == 0
        escape2.next = valid2 and (raw2 or symbol2 == ESCAPE)

    # x3: the exponent.

    @always_comb
    def subtract():
        difference.next = emax3 - distance3
        negative.next = emax3 < distance3

    @always_comb
    def finish():
        if not escape3:
            exponent.next = difference
        elif refill3:
            exponent.next = second
        else:
            exponent.next = first
        behind.next = 0
        if more:
            behind.next = 5
            if last:
                behind.next = 4
        elif valid0:
            behind.next = 3
        elif valid1:
            behind.next = 2
        elif valid2:
            behind.next = 1

    @always_seq(clk.posedge, reset=rst)
    def flags_of_values():
        if step:
            valid0.next = phase == step_of.RUN and more
            valid1.next = valid0
            valid2.next = valid1
            valid3.next = valid2
            # reset, so that synthesis leaves them before the ROMs that they address
            size1.next = size0
            index2.next = code1 + bias1
            one3.next = refill2 or escape2
            two3.next = refill2 and escape2
            m_exponents.tvalid.next = valid3
        elif m_exponents.tready:
            m_exponents.tvalid.next = False

    @always(clk.posedge)
    def ring():
        if step:
            x0.next = x7
            if entering:
                x0.next = half
            limits_short.next = short_rom[int(coder)]
            limits_long.next = long_rom[int(coder)]
            table0.next = coder
            raw0.next = raw
            opening0.next = opening

            x1.next = x0
            table1.next = table0
            raw1.next = raw0
            opening1.next = opening0

            x2.next = x1
            if valid1 and not raw1:
                x2.next = x1 >> (size1 + 1)
            table2.next = table1
            raw2.next = raw1
            opening2.next = opening1

            x3.next = x2
            symbol3.next = symbol2
            refill3.next = refill2
            escape3.next = escape2
            if opening2:
                emax3.next = emax

            x4.next = x3
            if refill3:
                x4.next = concat(x3[8:], first)
            m_exponents.tdata.next = exponent
            m_exponents.tuser.next = behind

            x5.next = x4
            x6.next = x5
            x7.next = x6

            if leaving and phase == step_of.TURN:
                payload.next = concat(x7[8:], payload[64:8])

    @always_comb
    def show_payload():
        m_check.tdata.next = payload[32:]
        m_tail.tdata.next = payload[64:32]

    # What is wrong.

    @always_comb
    def judge():
        wrong.next = NONE
        if one3 and missing:
            wrong.next = E_CODES
        elif valid3 and not escape3 and negative:
            wrong.next = E_EXPONENT
        elif phase == step_of.TURN and leaving:
            if x7[16:8] != 1:
                wrong.next = E_FINAL_STATE
            elif lane[2] and lane[2:] < unused and x7[8:] != 0:
                wrong.next = E_PAYLOAD
            elif lane == POINT.lanes - 1 and unread:
                wrong.next = E_CODES

    @always_seq(clk.posedge, reset=rst)
    def refuse():
        if step and fault == NONE:
            fault.next = wrong

    return instances()


def table_bits(tables):
    """Bits of a table's number."""
    return max(1, (len(tables) - 1).bit_length())


def padded(tables, words):
    """A ROM of the same number of words for every number that a table could have."""
    return (*words, *([0] * ((len(words) // len(tables) << table_bits(tables)) - len(words))))


@block
def reaches(leading, limit, flag):
    """Compare the first bits of a codeword with a limit."""

    @always_comb
    def compare():
        flag.next = leading >= limit

    return compare
