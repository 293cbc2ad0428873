# SPDX-License-Identifier: Apache-2.0
"""huff_choice: the cheapest table for each block.

Role         second pass of the table choice, between block_max and chunk_reverse
Golden       choose_table of swmodel/reference/choose.py
Format       swmodel/FORMAT.md section 8, rule 2
Parameters   tables: the table set, K tables; width: W, values of a group; stride: one of so many
             values of a block counts: 1 for the profile hw-n8-c4096, 4 for hw2-n8-c4096;
             loadable: with a memory of costs in place of the tables, of which then only the number
             counts

Costs of tables that are built in are taken less one, which changes no comparison and makes sums
narrower. The search starts from what raw costs and one more, so that a table wins that is as cheap;
a later one must be strictly cheaper to win.
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

from hls.cost_row import CELLS, SYMBOL, cost_row, step
from hls.point import ESCAPE, POINT, SYMBOLS, Tables
from hls.row_memory import row_memory, write_port
from hls.stream import AxiStream, Contract, item_bits

EXPONENT = 8
RAW_COST = 8  # bits that an escape or a raw block spends on an exponent
COST = 5  # bits of what a table spends on a symbol, at most 16
COSTS_OF_WORD = 6  # on the write port

CONTRACT = Contract(latency=1, interval=1)  # of m_axis; for m_header see header_latency


def header_latency(tables: Tables, width: int = 1, stride: int = 1) -> range:
    """Cycles from a block's last group taken to its header offered, as turns happen to fall."""
    turn = stride // width
    search = -(-len(tables) // (CELLS * turn)) * turn
    return range(search + 5, search + 5 + (2 * turn if turn > 1 else 1))


def index_bits(tables):
    """Bits of a table's number."""
    return max(1, (len(tables) - 1).bit_length())


def table_costs(lengths):
    """For each symbol, the bits that a table spends on it."""
    escape = lengths[ESCAPE] + RAW_COST
    return tuple(lengths[s] if s != ESCAPE and lengths[s] else escape for s in range(SYMBOLS))


def word_sizes(tables):
    """Bits of the words of a symbol in memory."""
    return tuple(COST * len(tables[i : i + COSTS_OF_WORD]) for i in costs_of_words(tables))


def costs_of_words(tables):
    """The first table of each word."""
    return range(0, len(tables), COSTS_OF_WORD)


def memory_rows(tables):
    """What the write port is given: for each symbol the costs of all tables, the first lowest."""
    costs = list(map(table_costs, tables))
    return [
        [
            sum(of[symbol] << COST * i for i, of in enumerate(costs[first : first + COSTS_OF_WORD]))
            for first in costs_of_words(tables)
        ]
        for symbol in range(SYMBOLS)
    ]


def ports(tables, width=1, loadable=False):
    size = item_bits(width)
    load = write_port(SYMBOL, word_sizes(tables)) if loadable else {}
    return {
        "s_axis": AxiStream(width * EXPONENT, user=1 + EXPONENT + size),
        "m_axis": AxiStream(width * EXPONENT, user=size),
        "m_header": AxiStream(1 + index_bits(tables) + EXPONENT, last=False),
        **load,
    }


@block
def huff_choice(
    clk, rst, s_axis, m_axis, m_header, tables, width=1, stride=1,
    table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Pass one group a cycle; a block's last waits until the header before it has left.

    With turns of more than a cycle, a block's first waits if it comes too soon after a sample.

    s_axis    in   tdata = exponents; tlast = the block's last; tuser = {the chunk's last block,
                   the block's maximum, items less one}
    m_axis    out  the same exponents; tlast = the chunk's last; tuser = items less one, if W > 1
    m_header  out  a word a block, tdata = {raw, table, emax}; table and emax of a raw block are 0
    rst       in   synchronous, active high; drops everything in flight
    table_write    in   if it is loadable, the write port of its memory (hls/row_memory.py),
                        for when no exponents are in flight; memory_rows are the rows
    table_address  in   where table_data goes
    table_data     in   a word of a row
    """
    turn = stride // width
    if turn * width != stride:
        raise ValueError(f"a group of {width} has more than one of every {stride}th value")
    bits, size = index_bits(tables), item_bits(width)
    raw_header = 1 << (bits + EXPONENT)
    top, bottom = EXPONENT + size, size  # of the maximum in tuser
    loadable = table_write is not None
    less = 0 if loadable else 1  # than its bits is every cost
    padded = tables + tables[-1:] * (-len(tables) % (CELLS * turn))  # a copy is never cheaper
    costs = [[cost - less for cost in table_costs(lengths)] for lengths in padded]
    most = 1 << COST if loadable else max(RAW_COST - 1, *map(max, costs))
    last_pair = len(costs) // CELLS - 1
    total_bits = (POINT.block // stride * most + 1).bit_length()

    held = Signal(bool(0))  # the group on s_axis may not enter
    take = Signal(bool(0))

    # the group that has entered
    emax = Signal(intbv(0)[EXPONENT:])
    sampled = Signal(bool(0))  # its first item counts
    entered_last = Signal(bool(0))
    difference = Signal(modbv(0)[EXPONENT:])
    nearest = Signal(intbv(0)[SYMBOL:])  # the symbol of its first item

    # the sample at the row's first stage; ended: before it
    symbol = None if loadable else Signal(intbv(0)[SYMBOL:])
    idle = Signal(bool(1))
    ended = Signal(bool(1))
    raw = Signal(intbv(0)[total_bits:])
    even = Signal(intbv(0)[total_bits:])
    odd = Signal(intbv(0)[total_bits:])

    # the search, from `opening` on
    choosing = Signal(bool(0))  # a block has ended and its header is not complete
    opening = Signal(bool(0))
    starting = Signal(bool(0))  # the first sums show
    searching = Signal(bool(0))
    finished = Signal(bool(0))
    pair = Signal(modbv(0)[max(1, last_pair.bit_length()) :])
    candidate = Signal(intbv(0)[total_bits:])
    candidate_odd = Signal(bool(0))
    cheaper = Signal(bool(0))
    best = Signal(intbv(0)[total_bits:])
    coded = Signal(bool(0))  # by `winner`
    winner = Signal(intbv(0)[len(pair) + 1 :])
    header_emax = Signal(intbv(0)[EXPONENT:])

    @always_comb
    def accept():
        s_axis.tready.next = (not m_axis.tvalid or m_axis.tready) and not held

    @always_comb
    def entering():
        take.next = s_axis.tvalid and s_axis.tready

    @always_seq(clk.posedge, reset=rst)
    def enter():
        entered_last.next = take and s_axis.tlast
        if take:
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    @always(clk.posedge)
    def hold():
        if take:
            m_axis.tdata.next = s_axis.tdata
            m_axis.tlast.next = s_axis.tlast and s_axis.tuser[top]
            emax.next = s_axis.tuser[top:bottom]

    if width > 1:

        @always(clk.posedge)
        def hold_size():
            if take:
                m_axis.tuser.next = s_axis.tuser[size:]

    @always_comb
    def subtract():
        difference.next = emax - m_axis.tdata[EXPONENT:]
        nearest.next = difference[SYMBOL:]
        if difference > ESCAPE:
            nearest.next = ESCAPE

    if turn == 1:
        phase = turning = None
        queue = enter_row(clk, rst, sampled, entered_last, nearest, symbol, idle, ended)

        @always_seq(clk.posedge, reset=rst)
        def pick():
            sampled.next = take

        @always_comb
        def hold_back():
            held.next = s_axis.tlast and (choosing or m_header.tvalid)

        @always_comb
        def start():
            opening.next = choosing and ended

    else:
        phase = Signal(modbv(0, min=0, max=turn))
        turning = Signal(bool(0))
        place = Signal(modbv(0, min=0, max=turn))  # of a group among those of which one counts
        waiting = Signal(bool(0))  # a sample, for the next turn
        waiting_symbol = Signal(intbv(0)[SYMBOL:])
        queue = queue_for_row(
            clk, rst, turning, sampled, entered_last, nearest, waiting, waiting_symbol, symbol,
            idle, ended,
        )  # fmt: skip

        @always_seq(clk.posedge, reset=rst)
        def pick():
            phase.next = phase + 1
            sampled.next = take and place == 0
            if take:
                place.next = place + 1
                if s_axis.tlast:
                    place.next = 0

        @always_comb
        def hold_back():
            held.next = (s_axis.tlast and (choosing or m_header.tvalid)) or (
                place == 0 and ((sampled and phase != turn - 2) or (waiting and phase < turn - 2))
            )

        @always_comb
        def take_turns():
            turning.next = phase == turn - 1

        @always_comb
        def start():
            opening.next = choosing and ended and phase == 0

    if loadable:
        load = table_write, table_address, table_data
        known = Signal(intbv(0)[len(tables) * COST :])
        enters = (turning, waiting_symbol) if turn > 1 else (sampled, nearest)
        memory = row_memory(clk, *load, *enters, known, word_sizes(tables))
        last_one = known((len(tables) - 1) * COST + COST, (len(tables) - 1) * COST)
        copies = [last_one] * (len(padded) - len(tables))
        sample = ConcatSignal(*copies, known) if copies else known
        row = cost_row(clk, rst, phase, turning, sample, idle, ended, even, odd, None, turn, COST)
    else:
        row = cost_row(clk, rst, phase, turning, symbol, idle, ended, even, odd, costs, turn)
    sum_of_raw = raw_cost(clk, turning, idle, ended, raw, less)

    @always(clk.posedge)
    def compare_pair():
        candidate.next = even
        candidate_odd.next = odd < even
        if odd < even:
            candidate.next = odd

    @always_comb
    def compare():
        cheaper.next = candidate < best
        finished.next = searching and pair == last_pair

    @always_seq(clk.posedge, reset=rst)
    def search():
        starting.next = opening
        if starting:
            searching.next = True
            pair.next = 0
        elif searching:
            pair.next = pair + 1
            searching.next = not finished
        if take and s_axis.tlast:
            choosing.next = True
        elif finished:
            choosing.next = False
        if finished:
            m_header.tvalid.next = True
        elif m_header.tready:
            m_header.tvalid.next = False

    @always(clk.posedge)
    def improve():
        if opening:
            best.next = raw
            coded.next = False
        elif searching and cheaper:
            best.next = candidate
            coded.next = True
            winner.next = concat(pair, candidate_odd)
        if entered_last:
            header_emax.next = emax

    @always_comb
    def describe():
        m_header.tdata.next = raw_header
        if coded:
            m_header.tdata.next = concat(intbv(0)[1:], winner, header_emax)

    return instances()


@block
def enter_row(clk, rst, sampled, last, nearest, symbol, idle, ended):
    """A sample at once; a block's end with what comes after its last."""
    behind = Signal(bool(0))

    @always_seq(clk.posedge, reset=rst)
    def move_flags():
        idle.next = not sampled
        behind.next = last
        ended.next = behind

    if symbol is None:
        return move_flags

    @always(clk.posedge)
    def move():
        symbol.next = nearest

    return instances()


@block
def queue_for_row(
    clk, rst, turning, sampled, last, nearest, waiting, waiting_symbol, symbol, idle, ended
):  # fmt: skip
    """A sample waits until a turn is over. So does a block's end, and for its last sample."""
    ahead = Signal(bool(0))  # an end that leaves before the sample, if one is waiting
    behind = Signal(bool(0))

    none = Signal(bool(0))
    leave = step(clk, rst, turning, waiting_symbol, none, ahead, symbol, idle, ended)

    @always_comb
    def negate():
        none.next = not waiting

    @always_seq(clk.posedge, reset=rst)
    def queue():
        if sampled:
            waiting.next = True
        elif turning:
            waiting.next = False
        if turning:
            ahead.next = behind
            behind.next = False
        if last:
            if sampled or (waiting and not turning):
                behind.next = True
            else:
                ahead.next = True

    @always(clk.posedge)
    def keep():
        if sampled:
            waiting_symbol.next = nearest

    return instances()


@block
def raw_cost(clk, turning, idle, ended, total, less):
    """What raw costs, and one more: a table that is as cheap is better."""
    added = Signal(intbv(0)[len(total) :])
    more = RAW_COST - less
    opening = more + 1

    @always_comb
    def add():
        added.next = total
        if ended:
            added.next = 1
        if ended and not idle:
            added.next = opening
        elif not idle:
            added.next = total + more

    if turning is None:

        @always(clk.posedge)
        def keep():
            total.next = added

    else:

        @always(clk.posedge)
        def keep():
            if turning:
                total.next = added

    return instances()
