# SPDX-License-Identifier: Apache-2.0
"""lane_enc: code exponents backwards in eight lanes, a group of them a cycle.

Role         the coding step, between code_schedule and code_stack
Golden       encode_exponents of swmodel/reference/encode.py
Format       swmodel/FORMAT.md sections 6 and, with runs, 4.2 (known runs)
Parameters   tables: the table set, built in as codewords; width: items of a group; runs: whether
             there are tokens of known runs; trailing: whether block headers may have a third byte;
             loadable: with a memory in place of the tables, of which then only the number counts

A column for each item (hls/code_column.py) does the coding. What the items of a group put is then
gathered; where that is more than `width` bytes, as it is of the lanes' last states and may be of
groups with escapes, the group takes a second cycle.
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
)

from hls.byte_join import byte_join
from hls.code_column import CODED, LENGTH, code_column
from hls.code_schedule import (
    CODE,
    EXPONENT,
    HEADER,
    TOKEN,
    header_width,
    operation_bits,
)
from hls.fifo import cut
from hls.huff_choice import index_bits
from hls.point import ESCAPE, KNOWN_TABLES, MAX_LENGTH, POINT, RAW, SYMBOLS
from hls.row_memory import row_memory, write_port
from hls.stream import AxiStream, Contract, item_bits
from hls.token_reverse import NO_CLASS
from hls.zero_pairs import NUMBER
from hls.zero_tokens import CLASS


def contract(width=1):
    """Latency: to the first bytes of an operation that puts some.

    An operation that puts more than `beat_bytes` takes two cycles: all rows of last states, but at
    width 1; of the groups of dense gradients next to none, of those of VGG16, with its many
    escapes, 1.7 %.
    """
    return Contract(latency=3 if width == 1 else 4, interval=1)


def beat_bytes(width: int) -> int:
    """Bytes that may leave in a cycle."""
    return max(2, width)


def ports(tables, width=1, runs=False, loadable=False):
    word = header_width(tables) + EXPONENT * width + operation_bits(runs)
    load = write_port(index_bits(tables), word_sizes(tables)) if loadable else {}
    return {
        "s_axis": AxiStream(word, user=item_bits(width)),
        "m_axis": AxiStream(8 * beat_bytes(width), keep=True),
        **load,
    }


def codewords(lengths):
    """The canonical codewords of FORMAT.md section 3.2: (length, code) by symbol."""
    codes, code = {}, 0
    for length in range(1, MAX_LENGTH + 1):
        code <<= 1
        for symbol in range(SYMBOLS):
            if lengths[symbol] == length:
                codes[symbol] = length, code
                code += 1
    return codes


def code_word(length, code):
    """{length, codeword with its first bit lowest}."""
    return length << 8 | int(f"{code:0{length}b}"[::-1], 2)


def code_rom(tables):
    """For each {table, symbol}: {escape, length, codeword with its first bit lowest}."""
    rom = []
    for codes in map(codewords, tables):
        for symbol in range(SYMBOLS):
            coded = symbol if symbol in codes else ESCAPE
            rom.append((coded == ESCAPE) << (LENGTH + 8) | code_word(*codes[coded]))
    return tuple(rom)


def word_sizes(tables):  # noqa: ARG001 # they are the same for all
    """Bits of the words of a table in memory: two symbols each."""
    return (2 * CODED,) * (SYMBOLS // 2)


def memory_rows(tables):
    """What the write port is given: of each table the symbols, the first lowest."""
    rom = code_rom(tables)
    words = [low | high << CODED for low, high in zip(rom[::2], rom[1::2], strict=True)]
    return [words[i : i + SYMBOLS // 2] for i in range(0, len(words), SYMBOLS // 2)]


def token_rom(tables):
    """For each {table, class} the same; there are no escapes, and NO_CLASS has no codeword."""
    rom = []
    for codes in map(codewords, tables):
        rom += [code_word(*codes[c]) if c <= NUMBER else 0 for c in range(NO_CLASS + 1)]
    return tuple(rom)


@block
def lane_enc(
    clk, rst, s_axis, m_axis, tables, width=1, runs=False, trailing=False,
    table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Do one operation a cycle; two cycles where more bytes are put than leave in one.

    s_axis  in   the operations of code_schedule; tlast = a chunk's last
    m_axis  out  the bytes of a chunk's codes, blocks and lanes from the last to the first, the last
                 lowest; tkeep full, or not, in any word; tlast = the chunk's first bytes
    rst     in   synchronous, active high; drops everything in flight
    table_write    in   if it is loadable, the write port of its memory (hls/row_memory.py),
                        for tables that nothing in flight names; memory_rows are the rows
    table_address  in   where table_data goes
    table_data     in   a word of a row
    """
    bits, low = index_bits(tables), operation_bits(runs)
    word = low + EXPONENT * width  # of s_axis.tdata, below the header
    raw_bit = word + EXPONENT + bits
    emax, raw = s_axis.tdata(word + EXPONENT, word), s_axis.tdata(raw_bit)
    operation = s_axis.tdata(low, 0)

    free = Signal(bool(0))  # the output moves on
    go = Signal(bool(0))  # so do all stages before it
    valid2 = Signal(bool(0))
    last2 = Signal(bool(0))
    operation2 = Signal(intbv(0)[low:])
    table2 = Signal(intbv(0)[bits:])
    raw2 = Signal(bool(0))
    name2 = Signal(intbv(0)[8:])  # the byte `table` of a block's header
    valid3 = Signal(bool(0))
    last3 = Signal(bool(0))
    operation3 = Signal(intbv(0)[low:])
    turn = Signal(bool(0))
    bytes2 = [Signal(intbv(0)[8:]) for _ in range(width)]

    codes2 = [Signal(intbv(0)[CODED:]) for _ in range(SYMBOLS)]  # of the table, by symbol
    if table_write is not None:
        load = table_write, table_address, table_data
        number = s_axis.tdata(raw_bit, word + EXPONENT)
        roms = [memory(clk, go, number, codes2, load, word_sizes(tables))]
    else:
        rom, number2 = code_rom(tables), Signal(intbv(0)[bits:])
        roms = [look_up(number2, code, rom[i::SYMBOLS]) for i, code in enumerate(codes2)]
        roms.append(address(table2, raw2, number2))
    token2, words2 = None, [None] * width
    if runs:  # the same of the classes of tokens
        token2 = operation2(TOKEN.bit_length() - 1)
        words2 = [Signal(intbv(0)[CODED:]) for _ in range(width)]
        roms.append(look_up_tokens(token2, bytes2, words2))
    columns, puts = [], []
    for place in range(width):
        coded = Signal(bool(0))
        put = Signal(intbv(0)[16:])
        keep = Signal(intbv(0)[2:])
        at = low + EXPONENT * place
        columns.append(
            code_column(
                clk,
                go,
                turn,
                operation,
                s_axis.tdata(at + EXPONENT, at),
                emax,
                raw,
                coded,
                operation2,
                bytes2[place],
                codes2,
                token2,
                words2[place],
                name2,
                operation3,
                put,
                keep,
                POINT.lanes // width,
                place,
                trailing,
            )
        )
        columns.append(find(s_axis, operation, coded, place, runs))
        puts.insert(0, (put, keep))  # the last item of a group puts its bytes first

    while len(puts) > 2:
        pairs = []
        for (put, keep), (put_after, keep_after) in zip(puts[::2], puts[1::2], strict=True):
            low, high = Signal(intbv(0)[16:]), Signal(intbv(0)[16:])
            low_keep, high_keep = Signal(intbv(0)[2:]), Signal(intbv(0)[2:])
            amount = Signal(intbv(0)[1:])
            columns.append(
                byte_join(put, keep, put_after, keep_after, low, low_keep, high, high_keep, amount)
            )
            pairs.append((ConcatSignal(high, low), ConcatSignal(high_keep, low_keep)))
        puts = pairs
    output = show_item if width == 1 else join_halves
    gather = output(clk, rst, free, go, valid3, last3, *puts, m_axis)

    @always_comb
    def flow():
        free.next = not m_axis.tvalid or m_axis.tready

    @always_comb
    def accept():
        s_axis.tready.next = go

    @always_comb
    def name():
        name2.next = concat(intbv(0)[8 - bits :], table2)
        if raw2:
            name2.next = RAW

    @always_comb
    def follow():
        turn.next = go and valid3 and operation3 != HEADER

    @always_seq(clk.posedge, reset=rst)
    def control():
        if go:
            valid2.next = s_axis.tvalid
            valid3.next = valid2

    @always(clk.posedge)
    def describe():
        if go:
            last2.next = s_axis.tlast
            operation2.next = operation
            table2.next = s_axis.tdata[raw_bit : word + EXPONENT]
            raw2.next = raw
            last3.next = last2
            operation3.next = operation2

    return instances()


@block
def memory(clk, go, table, codes, load, sizes):
    """The words of all symbols in the table of the group that has entered."""
    write, address, data = load
    row = Signal(intbv(0)[sum(sizes) :])
    rows = row_memory(clk, write, address, data, go, table, row, sizes)
    words = [cut(row, code, (i + 1) * CODED) for i, code in enumerate(codes)]
    return rows, words


@block
def address(table, raw, number):
    """That of the ROMs is no register, or Yosys would move it behind each of them."""

    @always_comb
    def choose():
        number.next = table
        if raw:
            number.next = 0

    return choose


@block
def look_up(table, code, rom):
    """The word of one symbol in a table."""

    @always_comb
    def show():
        code.next = rom[int(table)]

    return show


@block
def look_up_tokens(token2, bytes2, words2):
    """The words of the classes of a group of tokens; distances are at even places."""
    known = Signal(bool(0))  # which of the known tables
    width, roms = len(words2), []
    choice = bytes2[0](CLASS) if width == 1 else bytes2[width // 2](0)

    @always_comb
    def choose():  # no register, as in `name`
        known.next = choice and token2

    if width == 1:
        tables = [pair[parity] for parity in (0, 1) for pair in KNOWN_TABLES]
        address = ConcatSignal(bytes2[0](CLASS + 1), known, bytes2[0](CLASS, 0))
        return choose, look_up(address, *words2, token_rom(tables))
    for place, word in enumerate(words2):
        at = CLASS * (place % 2)
        tables = [pair[place % 2] for pair in KNOWN_TABLES]
        address = ConcatSignal(known, bytes2[place // 2](at + CLASS, at))
        roms.append(look_up(address, word, token_rom(tables)))
    return choose, roms


@block
def find(s_axis, operation, coded, place, runs):
    """Whether the group that enters is coded and has the item; if it has tokens, all are there."""
    value = Signal(bool(0)) if runs else coded
    if place == 0:

        @always_comb
        def look():
            value.next = operation == CODE

    else:

        @always_comb
        def look():
            value.next = operation == CODE and s_axis.tuser >= place

    if not runs:
        return look

    @always_comb
    def add():
        coded.next = value or operation == TOKEN

    return instances()


@block
def show_item(clk, rst, free, go, valid, last, item, m_axis):
    """The output of a group of one."""
    put, keep = item

    @always_comb
    def flow():
        go.next = free

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if go:
            m_axis.tvalid.next = valid and keep[0]

    @always(clk.posedge)
    def move():
        if go:
            m_axis.tdata.next = put
            m_axis.tkeep.next = keep
            m_axis.tlast.next = last

    return instances()


@block
def join_halves(clk, rst, free, go, valid, last, first, second, m_axis):
    """The output of a group of more: what its two halves put, joined, in one cycle or two.

    What takes a second cycle waits in a register of its own, so that the next group moves up at
    once, and whether anything moves does not depend on what was put.
    """
    first_put, first_keep = first
    second_put, second_keep = second
    count = len(first_keep)

    # the halves
    valid4 = Signal(bool(0))
    last4 = Signal(bool(0))
    first4 = Signal(intbv(0)[8 * count :])
    first_keep4 = Signal(intbv(0)[count:])
    second4 = Signal(intbv(0)[8 * count :])
    second_keep4 = Signal(intbv(0)[count:])

    # what they are joined
    low = Signal(intbv(0)[8 * count :])
    low_keep = Signal(intbv(0)[count:])
    high = Signal(intbv(0)[8 * count :])
    high_keep = Signal(intbv(0)[count:])
    amount = Signal(intbv(0)[(count - 1).bit_length() :])
    over = Signal(bool(0))  # there is a second cycle

    # what is left for the second cycle
    again = Signal(bool(0))  # this is it
    spare = Signal(intbv(0)[8 * count :])
    spare_keep = Signal(intbv(0)[count:])
    spare_last = Signal(bool(0))

    join = byte_join(
        first4, first_keep4, second4, second_keep4, low, low_keep, high, high_keep, amount
    )

    @always_comb
    def flow():
        over.next = valid4 and high_keep[0]
        go.next = free and not again

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if go:
            valid4.next = valid and (first_keep[0] or second_keep[0])
        if free:
            m_axis.tvalid.next = valid4 or again
            again.next = over and not again

    @always(clk.posedge)
    def halve():
        if go:
            last4.next = last
            first4.next = first_put
            first_keep4.next = first_keep
            second4.next = second_put
            second_keep4.next = second_keep

    @always(clk.posedge)
    def move():
        if free:
            m_axis.tlast.next = last4 and not over
            m_axis.tdata.next = low
            m_axis.tkeep.next = low_keep
            if again:
                m_axis.tlast.next = spare_last
                m_axis.tdata.next = spare
                m_axis.tkeep.next = spare_keep
            spare_last.next = last4
            spare.next = high
            spare_keep.next = high_keep

    return instances()
