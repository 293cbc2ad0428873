# SPDX-License-Identifier: Apache-2.0
"""code_tables: what each step of lane_dec must know of the table of the group that is in it.

The only place that knows where a table's words come from: ROMs in logic or, with a write port,
a memory of as many tables. Each word is shown by the clock edge at which its group arrives.

Role         part of lane_dec, shared by its columns
Format       swmodel/FORMAT.md section 3.2
Parameters   tables: the table set, built in, or only as many as fit; load: the write port, if there
             is one
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

from hls.point import ESCAPE, MAX_LENGTH, SYMBOLS
from hls.row_memory import row_memory

LENGTHS = range(1, MAX_LENGTH + 1)
LIMITED = range(1, MAX_LENGTH)  # the lengths that have a limit
LIMIT_BITS = sum(length + 1 for length in LIMITED)
LOW_BITS = 20  # those of lengths 1 to 5, a ROM of their own: MyHDL has no constants of 35 bits
ESCAPE_BITS = 2 * MAX_LENGTH
PLANES = 4  # bits of a symbol, of an index, of a bias


def limit(lengths, length):
    """The first word of so many bits that begins with no codeword of this length or shorter."""
    return sum(1 << (length - n) for n in lengths if 0 < n <= length)


def limit_word(lengths):
    """The limits of all lengths, one more bit than the length each, the first lowest."""
    word, at = 0, 0
    for length in LIMITED:
        word |= limit(lengths, length) << at
        at += length + 1
    return word


def escape_word(lengths):
    """{which bits of a byte are the escape's, if it begins with it; what they are}."""
    length = lengths[ESCAPE]
    last = limit(lengths, length) - 1  # of its length: no symbol is greater
    rest = MAX_LENGTH - length
    return ((1 << length) - 1) << (MAX_LENGTH + rest) | last << rest


def bias(lengths, length):
    """What to add to a codeword of this length for its index in canonical order, modulo SYMBOLS."""
    shorter = sum(0 < n < length for n in lengths)
    return (shorter - 2 * limit(lengths, length - 1)) % SYMBOLS


def order(lengths):
    """The symbols in canonical order; those without a codeword at the end."""
    return sorted(range(SYMBOLS), key=lambda symbol: (lengths[symbol] or MAX_LENGTH + 1, symbol))


def planes(numbers):
    """Words of the lowest bits of all numbers, the first lowest, of their next bits, and so on."""
    return [sum((n >> plane & 1) << i for i, n in enumerate(numbers)) for plane in range(PLANES)]


def table_bits(tables):
    """Bits of a table's number."""
    return max(1, (len(tables) - 1).bit_length())


def word_sizes(tables):  # noqa: ARG001 # they are the same for all
    """Bits of the words of a table in memory."""
    return LOW_BITS, LIMIT_BITS - LOW_BITS + ESCAPE_BITS, 32, 32, 32


def memory_rows(tables):
    """What the write port is given: the words of each table."""
    return [memory_row(lengths) for lengths in tables]


def memory_row(lengths):
    """A table's: limit_word, escape_word, biases and order."""
    limits = limit_word(lengths)
    biases = planes([bias(lengths, n) for n in LENGTHS])
    orders = planes(order(lengths))
    return [
        limits % (1 << LOW_BITS),
        limits >> LOW_BITS | escape_word(lengths) << (LIMIT_BITS - LOW_BITS),
        sum(plane << MAX_LENGTH * i for i, plane in enumerate(biases)),
        orders[0] | orders[1] << SYMBOLS,
        orders[2] | orders[3] << SYMBOLS,
    ]


@block
def code_tables(clk, rst, step, table, limits, escape, biases, orders, tables, load=None):
    """Show the words of three groups' tables.

    step     in   groups move on at this clock edge
    table    in   number of the table of the group that arrives at the first step
    limits   out  limit_word of the group in the first step
    escape   out  escape_word of it
    biases   out  planes of the biases of lengths 1, 2, ... of the group in the second step
    orders   out  planes of the order of the group in the third step
    load     in   the write port (hls/row_memory.py): memory_rows are its rows
    rst      in   synchronous, active high
    """
    if load:
        return memory(clk, step, table, limits, escape, biases, orders, load, word_sizes(tables))

    table_width = len(table)
    table0 = Signal(intbv(0)[table_width:])
    low1, low2 = (Signal(intbv(0)[1:]) for _ in range(2))
    high1, high2 = (Signal(intbv(0)[table_width - 1 :]) for _ in range(2))
    table1, table2 = ConcatSignal(high1, low1), ConcatSignal(high2, low2)
    low_limits = Signal(intbv(0)[LOW_BITS:])
    high_limits = Signal(intbv(0)[LIMIT_BITS - LOW_BITS :])
    escape_bits = Signal(intbv(0)[ESCAPE_BITS:])
    limit_bits = ConcatSignal(high_limits, low_limits)

    limit_rows = [limit_word(t) for t in tables]
    bias_rows = [planes([bias(t, n) for n in LENGTHS]) for t in tables]
    order_rows = [planes(order(t)) for t in tables]
    words = [
        look_up(table, low_limits, [row % (1 << LOW_BITS) for row in limit_rows]),
        look_up(table, high_limits, [row >> LOW_BITS for row in limit_rows]),
        look_up(table, escape_bits, [escape_word(t) for t in tables]),
    ]
    for i in range(PLANES):
        words.append(look_up(table1, biases[i], [rows[i] for rows in bias_rows]))
        words.append(look_up(table2, orders[i], [rows[i] for rows in order_rows]))

    @always(clk.posedge)
    def load():
        if step:
            limits.next = limit_bits
            escape.next = escape_bits

    # Yosys would move the address registers of the last ROMs behind them, where they are many more,
    # if all their bits were alike.

    @always(clk.posedge)
    def follow():
        if step:
            table0.next = table
            low1.next = table0[1:]
            low2.next = low1

    @always_seq(clk.posedge, reset=rst)
    def follow_reset():
        if step:
            high1.next = table0[table_width:1]
            high2.next = high1

    return instances()


@block
def memory(clk, step, table, limits, escape, biases, orders, load, sizes):
    """The same words, as they were written; all of a table in one row."""
    write, address, data = load
    row0 = Signal(intbv(0)[sum(sizes) :])
    rows = row_memory(clk, write, address, data, step, table, row0, sizes)

    first, second, third = (i * MAX_LENGTH for i in (1, 2, 3))
    bias_word = Signal(intbv(0)[PLANES * MAX_LENGTH :])
    order1, order2 = (Signal(intbv(0)[PLANES * SYMBOLS :]) for _ in range(2))
    b0, b1, b2, b3 = biases
    s0, s1, s2, s3 = orders
    bias_at = LIMIT_BITS + ESCAPE_BITS
    order_at = bias_at + PLANES * MAX_LENGTH

    @always_comb
    def show_first():
        limits.next = row0[LIMIT_BITS:]
        escape.next = row0[bias_at:LIMIT_BITS]

    @always_comb
    def show_second():
        b0.next = bias_word[first:]
        b1.next = bias_word[second:first]
        b2.next = bias_word[third:second]
        b3.next = bias_word[:third]

    @always_comb
    def show_third():
        s0.next = order2[SYMBOLS:]
        s1.next = order2[2 * SYMBOLS : SYMBOLS]
        s2.next = order2[3 * SYMBOLS : 2 * SYMBOLS]
        s3.next = order2[: 3 * SYMBOLS]

    @always(clk.posedge)
    def follow():
        if step:
            bias_word.next = row0[order_at:bias_at]
            order1.next = row0[:order_at]
            order2.next = order1

    return instances()


@block
def look_up(address, word, words):
    """A ROM in logic, with a word for every number that a table could have."""
    rom = (*words, *([0] * ((1 << len(address)) - len(words))))

    @always_comb
    def read():
        word.next = rom[int(address)]

    return read
