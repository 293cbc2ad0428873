# SPDX-License-Identifier: Apache-2.0
"""zero_tokens: classes and extra bits of a chunk's pairs, and what they cost as known runs.

Role         behind zero_pairs; zero_part decides by the costs between runs and the bitmap
Golden       find_runs of swmodel/reference/zeros.py, Tokens of swmodel/reference/choose.py
Format       swmodel/FORMAT.md sections 4.2 (known runs) and 8, rules 1 and 5
Not done     the coding of the classes, which the lanes do backwards

The tokens of a pair put their extra bits together if neither has more than three; else one after
the other, and one that has none takes no time. As a token with four stands for 17 values at least,
that keeps up with four values a cycle, and no more than a byte has to leave in one.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.point import KNOWN_TABLES, MOST_PAIRS
from hls.side_by_side import side_by_side
from hls.stream import AxiStream, Contract
from hls.zero_pairs import NUMBER

CLASS = NUMBER.bit_length()
EXTRA = NUMBER - 1  # bits of a token's extra, at most
SIZE = 8  # bits of the number of extra bytes: tokens for v values have at most .4 v extra bits
FIELD_BYTES = 7  # of known runs, before the extra bytes
COST = (MOST_PAIRS * 16 - 1).bit_length()  # a pair takes less than 16 bits, fields fewer than 1024
FIELD_BITS = 8 * FIELD_BYTES
SHORT = 3  # those of a token that may be put with the other's
SHORT_NUMBER = SHORT + 1  # bits of its number
HELD = 7 + EXTRA  # bits that may wait to be a byte

CONTRACT = Contract(latency=1, interval=1)  # to the classes
BYTE_LATENCY = 2  # to a byte from what completes it
SUMS_LATENCY = 0  # from a chunk's last word taken to the sums
SUMS = 2 * COST + NUMBER  # bits of them


def ports():
    return {
        "s_axis": AxiStream(2 * NUMBER),
        "m_class": AxiStream(2 * CLASS),
        "m_axis": AxiStream(SUMS + SIZE + 8),
    }


@block
def zero_tokens(clk, rst, s_axis, m_class, m_axis):
    """Take a pair a cycle; one more if both tokens have extra bits, one of them more than 3.

    Of 8 bits and more behind others the first byte leaves before any enter; a chunk's last word
    waits until all have left.

    s_axis   in   zero_pairs's packet for the chunk
    m_class  out  a packet a chunk: a word a pair, tdata = {class of the run, of the distance};
                  then, with tlast, one that says nothing
    m_axis   out  a packet a chunk: its extra bits in bytes, tdata = {the byte's number, the byte},
                  bits that the last has too many are 0; then, with tlast, a word of sums, tdata =
                  {bits of the fields and of the codewords in tables 1, with those in tables 0,
                  pairs, extra bytes, 0}. The bits are right for up to 1024 pairs
    rst      in   synchronous, active high; drops everything in flight
    """
    known = [[tuple(lengths[: NUMBER + 1]) for lengths in tables] for tables in KNOWN_TABLES]

    distance = Signal(intbv(0)[NUMBER:])
    run = Signal(intbv(0)[NUMBER:])
    distance_class = Signal(intbv(0)[CLASS:])
    run_class = Signal(intbv(0)[CLASS:])

    # the token that puts its extra bits
    second = Signal(bool(0))  # the pair's distance has put them
    short = Signal(bool(0))  # both do so at once
    short_bits = Signal(intbv(0)[2 * SHORT :])
    short_size = Signal(intbv(0)[CLASS:])
    of_run = Signal(bool(0))
    distance_bits = Signal(intbv(0)[EXTRA:])
    run_bits = Signal(intbv(0)[EXTRA:])
    size = Signal(modbv(0)[CLASS:])
    extra = Signal(intbv(0)[EXTRA:])

    # the extra bits that are put behind those that wait
    put_bits = Signal(intbv(0)[EXTRA:])
    put_size = Signal(intbv(0)[CLASS:])
    putting = Signal(bool(0))  # there are some
    lay = Signal(bool(0))  # they move

    # extra bits that wait
    held = Signal(intbv(0)[HELD:])
    level = Signal(intbv(0)[5:])
    base = Signal(intbv(0)[4:])  # of them, when a byte has left
    kept = Signal(intbv(0)[HELD - 8 :])
    moved = Signal(intbv(0)[HELD:])
    extra_bytes = Signal(modbv(0)[SIZE:])

    emit = Signal(bool(0))  # a byte leaves
    ready = Signal(bool(0))  # a token's extra bits may enter
    put = Signal(bool(0))  # they do, first as put_bits
    whole = Signal(bool(0))  # the pair is done with that
    price = Signal(bool(0))
    ending = Signal(bool(0))  # the pairs have entered
    complete = Signal(bool(0))  # and nothing waits: the sums are shown
    finish = Signal(bool(0))
    costs = [Signal(modbv(FIELD_BITS)[COST:]) for _ in known]

    classes = [classify(distance, distance_class), classify(run, run_class)]
    sums = [
        add_prices(clk, rst, price, finish, m_class.tdata, *tables, cost)
        for tables, cost in zip(known, costs, strict=True)
    ]
    strips = strip_leading_one(distance, distance_bits), strip_leading_one(run, run_bits)
    together = join_short(distance, run, short, short_bits, short_size)
    cost_0, cost_1 = costs

    @always_comb
    def cut():
        distance.next = s_axis.tdata[NUMBER:]
        run.next = s_axis.tdata[2 * NUMBER : NUMBER]

    @always_comb
    def choose():
        of_run.next = second or distance[NUMBER:1] == 0
        whole.next = second or short or distance[NUMBER:1] == 0 or run[NUMBER:1] == 0

    @always_comb
    def pick():
        size.next = distance_class - 1
        if of_run:
            size.next = run_class - 1
        if short:
            size.next = short_size

    @always_comb
    def pick_bits():
        extra.next = distance_bits
        if of_run:
            extra.next = run_bits
        if short:
            extra.next = concat(intbv(0)[EXTRA - 2 * SHORT :], short_bits)

    @always_comb
    def flow():
        emit.next = level >= 8 and m_axis.tready
        lay.next = putting and level < 16 and (level < 8 or m_axis.tready)
        price.next = m_class.tvalid and m_class.tready and not m_class.tlast
        ending.next = s_axis.tvalid and s_axis.tlast

    @always_comb
    def make_way():
        ready.next = (
            (lay or not putting) and (not m_class.tvalid or m_class.tready) and not s_axis.tlast
        )

    @always_comb
    def pass_on():
        put.next = ready and s_axis.tvalid
        finish.next = complete and m_axis.tready

    @always_comb
    def accept():
        s_axis.tready.next = ready and whole
        if s_axis.tlast:
            s_axis.tready.next = complete and m_axis.tready

    @always_comb
    def line_up():
        kept.next = concat(intbv(0)[HELD - 16 :], held[8:])
        if emit:
            kept.next = held[HELD:8]
        base.next = concat(level[4], level[3:])
        moved.next = 0
        if lay:
            moved.next = concat(intbv(0)[HELD - EXTRA :], put_bits) << level[3:]

    @always_comb
    def show():
        m_axis.tvalid.next = complete or level >= 8 or (ending and not putting and level != 0)
        m_axis.tlast.next = complete
        m_axis.tdata.next = concat(intbv(0)[SUMS:], extra_bytes, held[8:])
        if complete:
            m_axis.tdata.next = concat(
                cost_1, cost_0, s_axis.tdata[NUMBER:], extra_bytes, intbv(0)[8:]
            )

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if emit or lay:
            held.next = concat(intbv(0)[8:], kept) | moved
            level.next = concat(intbv(0)[1:], base)
            if lay:
                level.next = concat(intbv(0)[1:], base) + concat(intbv(0)[1:], put_size)
        elif ending and not putting and m_axis.tready:
            held.next = 0
            level.next = 0
        complete.next = ending and level == 0 and not (putting or m_class.tvalid or finish)
        if put:
            second.next = not whole
            putting.next = True
        elif lay:
            putting.next = False
        if finish:
            extra_bytes.next = 0
        elif m_axis.tready and (level >= 8 or (ending and not putting and level != 0)):
            extra_bytes.next = extra_bytes + 1
        if (put and whole) or finish:
            m_class.tvalid.next = True
            m_class.tlast.next = finish
        elif m_class.tready:
            m_class.tvalid.next = False

    @always(clk.posedge)
    def move():
        if put or finish:
            m_class.tdata.next = concat(run_class, distance_class)
        if put:
            put_bits.next = extra
            put_size.next = size

    return instances()


@block
def classify(number, kind):
    """The class of the token whose number, less one, this is."""

    @always_comb
    def look():
        kind.next = 0
        if number[11]:
            kind.next = 12
        elif number[10]:
            kind.next = 11
        elif number[9]:
            kind.next = 10
        elif number[8]:
            kind.next = 9
        elif number[7]:
            kind.next = 8
        elif number[6]:
            kind.next = 7
        elif number[5]:
            kind.next = 6
        elif number[4]:
            kind.next = 5
        elif number[3]:
            kind.next = 4
        elif number[2]:
            kind.next = 3
        elif number[1]:
            kind.next = 2
        elif number[0]:
            kind.next = 1

    return look


@block
def strip_leading_one(number, extra):
    """All of the number's bits but the first that is set."""
    bits = [Signal(bool(0)) for _ in range(EXTRA)]
    return [keep(number, i, bit) for i, bit in enumerate(bits)], side_by_side(bits, extra)


@block
def join_short(distance, run, short, bits, size):
    """The extra bits of a pair of which neither has more than three, and their number."""
    ones = [Signal(intbv(0)[SHORT:]) for _ in range(2)]
    sizes = [Signal(intbv(0)[2:]) for _ in range(2)]
    parts = [strip_short(*token) for token in zip((distance, run), ones, sizes, strict=True)]
    distance_bits, run_bits = ones
    distance_size, run_size = sizes

    @always_comb
    def look():
        short.next = distance[NUMBER:SHORT_NUMBER] == 0 and run[NUMBER:SHORT_NUMBER] == 0

    @always_comb
    def join():
        bits.next = concat(intbv(0)[SHORT:], distance_bits) | (
            concat(intbv(0)[SHORT:], run_bits) << distance_size
        )
        size.next = concat(intbv(0)[2:], distance_size) + concat(intbv(0)[2:], run_size)

    return instances()


@block
def strip_short(number, bits, size):
    """A number of four bits without its leading one, and the bits behind that."""

    @always_comb
    def strip():
        bits.next[2] = number[2] and number[3]
        bits.next[1] = number[1] and (number[2] or number[3])
        bits.next[0] = number[0] and (number[1] or number[2] or number[3])
        size.next[1] = number[2] or number[3]
        size.next[0] = number[3] or (number[1] and not number[2])

    return strip


@block
def keep(number, place, bit):
    """A bit is kept if there is a one above it."""
    above = place + 1

    @always_comb
    def look():
        bit.next = number[place] and number[NUMBER:above] != 0

    return look


@block
def add_prices(clk, rst, price, finish, classes, distances, runs, total):
    """What the codewords of the chunk's classes take in a pair of tables, and the fields."""
    distance_price = Signal(intbv(0)[4:])
    run_price = Signal(intbv(0)[4:])

    @always_comb
    def look_up():
        distance_price.next = distances[int(classes[CLASS:])]

    @always_comb
    def look_up_run():
        run_price.next = runs[int(classes[2 * CLASS : CLASS])]

    @always_seq(clk.posedge, reset=rst)
    def add():
        if finish:
            total.next = FIELD_BITS
        elif price:
            total.next = (
                total
                + concat(intbv(0)[COST - 4 :], distance_price)
                + concat(intbv(0)[COST - 4 :], run_price)
            )

    return instances()
