# SPDX-License-Identifier: Apache-2.0
"""zero_tokens: classes and extra bits of a chunk's pairs, and what they cost as known runs.

Role         behind zero_pairs; what zeros cost as runs decides between runs and the bitmap
Golden       find_runs of swmodel/reference/zeros.py, Tokens of swmodel/reference/choose.py
Format       swmodel/FORMAT.md sections 4.2 (known runs) and 8, rules 1 and 5
Not done     the choice, and the coding of the classes, which the lanes do backwards

In the first cycle the classes are found, in the second the extra bits of distance and run are
joined, in the third they are put behind those that do not fill a word yet.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.point import KNOWN_TABLES
from hls.stream import AxiStream, Contract
from hls.zero_pairs import NUMBER

WORD = 32
CLASS = NUMBER.bit_length()
EXTRA = NUMBER - 1  # bits of a token's extra, at most
PLACE = (WORD - 1).bit_length()  # bits of a place in a word
FIELDS = 8 * 7  # bits of the fields before `extra`
SIZE = (
    8  # bits of the number of extra bytes: a token that stands for v values has at most .4 v bits
)
COST = 16

CONTRACT = Contract(latency=1, interval=1)  # of m_class
EXTRA_LATENCY = 3  # from the pair that fills a word to that
SUMS_LATENCY = 4  # from a chunk's last word to its sums
CHUNK_PAUSE = 1  # cycles in which no word is taken, 3 after a chunk's last


def ports():
    return {
        "s_axis": AxiStream(2 * NUMBER),
        "m_class": AxiStream(2 * CLASS, last=False),
        "m_extra": AxiStream(WORD, last=False),
        "m_sums": AxiStream(2 * COST + SIZE + NUMBER, last=False),
    }


@block
def zero_tokens(clk, rst, s_axis, m_class, m_extra, m_sums):
    """Take a pair a cycle; a chunk takes a cycle more.

    s_axis   in   zero_pairs's packet for the chunk
    m_class  out  a word a pair: tdata = {class of the run, of the distance}
    m_extra  out  the chunk's extra bits in whole words; those that the last has too many are 0
    m_sums   out  a word a chunk: tdata = {cost as known runs with tables 1, with tables 0, extra
                  bytes, pairs}; costs in bits, as rule 5 of section 8 counts them
    rst      in   synchronous, active high; drops everything in flight
    """
    known = [[tuple(lengths[: NUMBER + 1]) for lengths in tables] for tables in KNOWN_TABLES]

    # the tokens, in m_class their classes
    distance_class = Signal(intbv(0)[CLASS:])
    run_class = Signal(intbv(0)[CLASS:])
    distance_bits = Signal(intbv(0)[EXTRA:])
    run_bits = Signal(intbv(0)[EXTRA:])
    distance_size = Signal(intbv(0)[CLASS:])
    run_size = Signal(intbv(0)[CLASS:])
    entered = Signal(bool(0))
    entered_last = Signal(bool(0))
    entered_pairs = Signal(intbv(0)[NUMBER:])
    entered_distance = Signal(intbv(0)[EXTRA:])
    entered_run = Signal(intbv(0)[EXTRA:])
    entered_distance_size = Signal(intbv(0)[CLASS:])
    entered_run_size = Signal(intbv(0)[CLASS:])

    # the extra bits of a pair
    moved_run = Signal(intbv(0)[2 * EXTRA :])
    bits = Signal(intbv(0)[2 * EXTRA :])
    size = Signal(intbv(0)[PLACE:])
    joined = Signal(bool(0))
    joined_last = Signal(bool(0))
    joined_pairs = Signal(intbv(0)[NUMBER:])

    # the word that is being filled
    held = Signal(intbv(0)[WORD:])
    level = Signal(modbv(0)[PLACE:])
    level_sum = Signal(intbv(0)[PLACE + 1 :])
    moved_bits = Signal(intbv(0)[WORD + 2 * EXTRA :])
    filling = Signal(intbv(0)[WORD + 2 * EXTRA :])

    # totals
    total = Signal(modbv(0)[SIZE + 3 :])  # extra bits
    partial = Signal(bool(0))  # they end inside a byte
    extra_bytes = Signal(modbv(0)[SIZE:])
    pairs = Signal(intbv(0)[NUMBER:])
    finishing = Signal(bool(0))
    costs = [Signal(intbv(0)[COST:]) for _ in known]

    class_free = Signal(bool(0))
    extra_free = Signal(bool(0))
    go = Signal(bool(0))
    finish = Signal(bool(0))

    distances = tokens(s_axis.tdata, 0, distance_class, distance_bits, distance_size)
    runs = tokens(s_axis.tdata, NUMBER, run_class, run_bits, run_size)
    sums = [
        price(clk, rst, go, joined, finish, m_class.tdata, extra_bytes, *tables, cost)
        for tables, cost in zip(known, costs, strict=True)
    ]
    cost_0, cost_1 = costs

    @always_comb
    def outputs_free():
        class_free.next = not m_class.tvalid or m_class.tready
        extra_free.next = not m_extra.tvalid or m_extra.tready

    @always_comb
    def flow():
        go.next = class_free and extra_free and not finishing
        s_axis.tready.next = class_free and extra_free and not finishing
        finish.next = finishing and (not m_sums.tvalid or m_sums.tready)

    @always_comb
    def join():
        moved_run.next = concat(intbv(0)[EXTRA:], entered_run) << entered_distance_size

    @always_comb
    def add():
        level_sum.next = concat(intbv(0)[1:], level) + size
        moved_bits.next = concat(intbv(0)[WORD:], bits) << level

    @always_comb
    def fill():
        filling.next = concat(intbv(0)[2 * EXTRA :], held) | moved_bits
        partial.next = total[3:] != 0

    @always_seq(clk.posedge, reset=rst)
    def advance():
        if go:
            entered.next = s_axis.tvalid and not s_axis.tlast
            entered_last.next = s_axis.tvalid and s_axis.tlast
            joined.next = entered
            joined_last.next = entered_last
        if class_free:
            m_class.tvalid.next = go and s_axis.tvalid and not s_axis.tlast
        if extra_free:
            m_extra.tvalid.next = go and (
                (joined and level_sum[PLACE]) or (joined_last and level != 0)
            )
        if go and joined_last:
            finishing.next = True
        elif finish:
            finishing.next = False
        if finish:
            m_sums.tvalid.next = True
        elif m_sums.tready:
            m_sums.tvalid.next = False

    @always(clk.posedge)
    def move():
        if go:
            m_class.tdata.next = concat(run_class, distance_class)
            entered_pairs.next = s_axis.tdata[NUMBER:]
            entered_distance.next = distance_bits
            entered_run.next = run_bits
            entered_distance_size.next = distance_size
            entered_run_size.next = run_size
            joined_pairs.next = entered_pairs
            bits.next = moved_run | concat(intbv(0)[EXTRA:], entered_distance)
            size.next = concat(intbv(0)[PLACE - CLASS :], entered_distance_size) + concat(
                intbv(0)[PLACE - CLASS :], entered_run_size
            )
        if extra_free:
            m_extra.tdata.next = filling[WORD:]
            if joined_last:
                m_extra.tdata.next = held

    @always_seq(clk.posedge, reset=rst)
    def hold():
        if go and joined:
            level.next = level_sum[PLACE:]
            held.next = filling[WORD:]
            if level_sum[PLACE]:
                held.next = concat(intbv(0)[WORD - 2 * EXTRA :], filling[WORD + 2 * EXTRA : WORD])
            total.next = total + concat(intbv(0)[SIZE + 3 - PLACE :], size)
        elif go and joined_last:
            level.next = 0
            held.next = 0
            total.next = 0

    @always(clk.posedge)
    def close():
        if go and joined_last:
            extra_bytes.next = total[SIZE + 3 : 3] + concat(intbv(0)[SIZE - 1 :], partial)
            pairs.next = joined_pairs
        if finish:
            m_sums.tdata.next = concat(cost_1, cost_0, extra_bytes, pairs)

    return instances()


@block
def tokens(pair, low, kind, extra, size):
    """Class, extra bits and their number of the token whose number, less one, begins at `low`."""
    high = low + NUMBER
    number = Signal(intbv(0)[NUMBER:])

    @always_comb
    def show():
        number.next = pair[high:low]

    @always_comb
    def classify():
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

    @always_comb
    def measure():
        size.next = 0
        if kind > 1:
            size.next = kind - 1

    @always_comb
    def strip():  # the leading one
        extra.next = number[EXTRA:]
        if not number[EXTRA]:
            extra.next[size] = False

    return instances()


@block
def price(clk, rst, go, joined, finish, classes, extra_bytes, distances, runs, cost):
    """What one pair of tables costs: `cost` is there when the chunk finishes."""
    distance_cost = Signal(intbv(0)[4:])
    run_cost = Signal(intbv(0)[4:])
    both = Signal(intbv(0)[5:])
    spent = Signal(modbv(FIELDS)[COST:])

    @always_comb
    def look_up():
        distance_cost.next = distances[int(classes[CLASS:])]

    @always_comb
    def look_up_run():
        run_cost.next = runs[int(classes[2 * CLASS : CLASS])]

    @always(clk.posedge)
    def join():
        if go:
            both.next = concat(intbv(0)[1:], distance_cost) + concat(intbv(0)[1:], run_cost)

    @always_seq(clk.posedge, reset=rst)
    def add():
        if finish:
            spent.next = FIELDS
        elif go and joined:
            spent.next = spent + concat(intbv(0)[COST - 5 :], both)

    @always_comb
    def show():
        cost.next = spent + concat(intbv(0)[COST - SIZE - 3 :], extra_bytes, intbv(0)[3:])

    return instances()
