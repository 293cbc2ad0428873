# SPDX-License-Identifier: Apache-2.0
"""lane_dec: the exponents of a chunk's non-zero values from its lanes and codes, a group a cycle.

A group is `width` values that follow each other, its items; only a chunk's last has fewer. Each has
a column (hls/lane_column.py), a ring of the lanes that are its own, and the rings turn by one place
a group: so nothing is selected by lane, and the steps of FORMAT.md section 6 happen at fixed
places. At a chunk's end the rings make one turn, in which its lanes leave and, if they are there,
the next chunk's enter.

An item takes a byte a cycle. A group waits a cycle for each of its items that must take two, for
its state and for its exponent: only an escape does. A group of one value takes two bytes at once.

Role         between chunk_parse and raw_join
Golden       read_exponents of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 3.2, 5 and 6
Parameters   tables: the table set, built in; width: values of a group; loadable: with a memory in
             place of the tables, of which then only the number counts
Throughput   a group a cycle, and the waits; overhead(width) cycles more a chunk, and what its last
             round lacks of all lanes
Not done     tokens of zero runs: their two tables alternate from item to item
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
from hls.code_tables import ESCAPE_BITS, LIMIT_BITS, PLANES, code_tables, table_bits, word_sizes
from hls.code_window import code_window, place_bits, slots_of
from hls.lane_column import STATE, lane_column
from hls.point import MAX_LENGTH, POINT, RAW, SYMBOLS
from hls.row_memory import write_port
from hls.stream import AxiStream, Contract

CHECKED = POINT.lanes - POINT.tail  # lanes that hold the check value; the others, raw bytes

CONTRACT = Contract(latency=POINT.lanes + 5, interval=1)  # from the first lane taken

NONE = int(ChunkError.NONE)
E_CODES, E_EXPONENT = int(ChunkError.CODES), int(ChunkError.EXPONENT)
E_FINAL_STATE, E_PAYLOAD = int(ChunkError.FINAL_STATE), int(ChunkError.PAYLOAD)


def rounds_of(width: int) -> int:
    """Groups of a turn."""
    return POINT.lanes // width


def overhead(width: int = 1) -> int:
    """Cycles of a chunk in which no group enters: its lanes do, but those gathered before."""
    return POINT.lanes - (width - 1) + 2 + (2 if rounds_of(width) == 2 else 0)


def ports(tables, width=1, loadable=False):
    load = write_port(table_bits(tables), word_sizes(tables)) if loadable else {}
    return {
        "s_shape": AxiStream(SHAPE, last=False),
        "s_lanes": AxiStream(STATE, last=False),
        "s_codes": AxiStream(32 * width, user=2 * place_bits(width)),
        "m_exponents": AxiStream(8 * width, last=False),
        "m_tail": AxiStream(32, last=False),
        "m_check": AxiStream(32 + CODE_BITS, last=False),
        **load,
    }


@block
def lane_dec(
    clk, rst, s_shape, s_lanes, s_codes, m_exponents, m_tail, m_check, tables, width=1,
    table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Decode exponents, a chunk after the other.

    s_shape      in   of each chunk {payload bytes that must be 0, it has codes, number of values
                      - 1}; taken with its last group
    s_lanes      in   of each chunk the lane states, then the block headers {table, emax}
    s_codes      in   words with codes, as of code_window
    m_exponents  out  the exponents of a group, the first lowest
    m_tail       out  of each chunk the last raw bytes, after its last exponents
    m_check      out  of each chunk {the first ChunkError found in it, the CRC-32}, with m_tail; the
                      chunk after it waits for both to go
    rst          in   synchronous, active high
    table_write    in   if it is loadable, the write port of its memory (hls/row_memory.py),
                        for tables that no chunk in it names; code_tables.memory_rows are the rows
    table_address  in   where table_data goes
    table_data     in   a word of a row
    """
    rounds, slots = rounds_of(width), slots_of(width)
    item_bits = (width - 1).bit_length()
    group_bits = INDEX - item_bits
    last_of_block = POINT.block // width - 1
    block_bits = last_of_block.bit_length()
    alone = width == 1
    drained = rounds == 2  # the turn must wait for the last group to have gone through its steps

    step_of = enum("GATHER", "TURN", "RUN")  # all lanes at home, all change, all go round
    phase = Signal(step_of.GATHER)
    lane = Signal(modbv(0)[(rounds - 1).bit_length() :])  # the first of those that enter next
    held = Signal(bool(0))  # the rings hold a chunk's lanes
    leaving = Signal(bool(0))  # they leave in this turn
    entering = Signal(bool(0))  # others enter in this turn
    more = Signal(bool(0))  # the chunk has a group that has not entered
    number = Signal(modbv(0)[group_bits:])  # of that group
    following = Signal(modbv(0)[group_bits:])  # of the one after it
    last = Signal(bool(0))  # it is the chunk's last
    boundary = Signal(bool(0))  # it is a block's last
    unused = Signal(intbv(0)[2:])  # payload bytes that must be 0

    # the block of the group that enters
    emax = Signal(intbv(0)[8:])
    coder_bits = table_bits(tables)
    coder = Signal(intbv(0)[coder_bits:])  # its table
    raw = Signal(bool(0))
    opening = Signal(bool(0))  # the group is the block's first
    blank = Signal(bool(0))  # its header has not been read
    read_header = Signal(bool(0))
    used = Signal(bool(0))  # that was the cycle before, and the word may leave
    want_header = Signal(bool(0))

    # groups in the first step, the second, and behind
    valid0, valid1, valid2 = (Signal(bool(0)) for _ in range(3))
    last0, last1 = (Signal(bool(0)) for _ in range(2))
    opening0, opening1 = (Signal(bool(0)) for _ in range(2))
    raw0, parted = (Signal(bool(0)) for _ in range(2))
    emax2 = Signal(intbv(0)[8:])
    limits = Signal(intbv(0)[LIMIT_BITS:])
    escape = Signal(intbv(0)[ESCAPE_BITS:])
    biases = [Signal(intbv(0)[MAX_LENGTH:]) for _ in range(PLANES)]
    orders = [Signal(intbv(0)[SYMBOLS:]) for _ in range(PLANES)]

    coded = Signal(bool(0))
    room, source, go, able, move, step, start, missing, unread = (Signal(bool(0)) for _ in range(9))
    take = Signal(intbv(0)[slots:])
    dealt = Signal(intbv(0)[8 * slots :])
    payload = Signal(intbv(0)[64:])
    lacking, sunk = (Signal(bool(0)) for _ in range(2))  # what moved before was wrong
    wrong = Signal(intbv(0)[CODE_BITS:])
    fault = Signal(intbv(0)[CODE_BITS:])  # of the chunk whose lanes the rings hold
    verdict = Signal(intbv(0)[CODE_BITS:])  # of the one whose lanes have left

    parts = [*(Signal(intbv(0)[STATE:]) for _ in range(width - 1)), s_lanes.tdata]
    if alone:
        ready = True
    else:
        ready = Signal(bool(0))  # the lanes of a round are here if s_lanes offers its last
        gather, turned = (Signal(bool(0)) for _ in range(2))
        gathering = gather_lanes(clk, rst, parts, gather, turned, ready)

        @always_comb
        def gather_more():
            gather.next = not more and not ready and s_lanes.tvalid
            turned.next = step and entering

    window = code_window(
        clk, rst, s_codes, start, coded, valid1, go, able, missing, unread, take, dealt, width
    )
    load = (table_write, table_address, table_data) if table_write is not None else None
    words = code_tables(clk, rst, step, coder, limits, escape, biases, orders, tables, load)

    # The columns. Item k of a chunk's last group is there if k is not above `surplus`.

    surplus = 0 if alone else Signal(intbv(0)[item_bits:])  # items of the last group, less one
    columns, exponents, negatives, leave, takes = [], [], [], [], []
    odd_states, odd_payloads = [], []
    blocks = False
    for k in range(width):
        blocked, blocks = blocks, Signal(bool(0))
        live, absent, refill, spell, negative = (Signal(bool(0)) for _ in range(5))
        leaves, exponent = Signal(intbv(0)[STATE:]), Signal(intbv(0)[8:])
        if alone:
            refill_byte, exponent_byte = dealt(8, 0), dealt(16, 8)
            takes += [refill, spell]
        else:
            refill_byte = exponent_byte = dealt(8 * k + 8, 8 * k)
            takes.append(Signal(bool(0)))
            columns.append(either(refill, spell, takes[-1]))
        columns.append(
            lane_column(
                clk, rst, move, step, entering, parts[k], live, raw0, limits, escape, biases,
                orders, emax2, absent, parted, blocked, refill_byte, exponent_byte,
                leaves, refill, spell, blocks, exponent, negative, rounds, alone,
            )
        )  # fmt: skip
        if k == 0:
            columns.append(first_item(valid0, live, absent))
        else:
            columns.append(later_item(valid0, last0, last1, surplus, live, absent, k))
        odd_state, odd_payload = Signal(bool(0)), Signal(bool(0))
        columns.append(judge_lane(lane, leaves, unused, odd_state, odd_payload, k, width))
        exponents.append(exponent)
        negatives.append(negative)
        leave.append(leaves(8, 0))
        odd_states.append(odd_state)
        odd_payloads.append(odd_payload)
    split = blocks
    take_bits = ConcatSignal(*reversed(takes))
    exponents_word, negative_bits, odd_state_bits, odd_payload_bits = (
        signals[0] if alone else ConcatSignal(*reversed(signals))
        for signals in (exponents, negatives, odd_states, odd_payloads)
    )
    paid = ConcatSignal(*reversed(leave), payload(64, 8 * width))

    # What enters next.

    @always_comb
    def advance():
        following.next = number + 1

    @always(clk.posedge)
    def look_ahead():
        if phase != step_of.RUN:
            last.next = s_shape.tdata[INDEX:item_bits] == 0
            boundary.next = False
        elif step and more:
            last.next = following == s_shape.tdata[INDEX:item_bits]
            boundary.next = following[block_bits:] == last_of_block

    # When the rings move.

    @always_comb
    def look():
        room.next = m_exponents.tready or not m_exponents.tvalid
        source.next = (phase == step_of.TURN and ((ready and s_lanes.tvalid) or not entering)) or (
            phase == step_of.RUN and not (more and blank)
        )

    @always_comb
    def go_on():
        go.next = room and source
        move.next = room and source and able
        step.next = room and source and able and not split

    @always_comb
    def gather_bytes():
        take.next = take_bits

    @always_comb
    def take_words():
        s_shape.tready.next = (
            phase == step_of.RUN and more and last and not blank and room and able and not split
        )
        want_header.next = (
            phase == step_of.RUN
            and more
            and (blank or (boundary and not last and room and able and not split))
        )

    @always_comb
    def take_lanes():
        s_lanes.tready.next = (
            used
            or (not more and not ready)
            or (phase == step_of.TURN and entering and room and able and not split)
        )
        read_header.next = want_header and s_lanes.tvalid
        start.next = phase == step_of.TURN and lane == rounds - 1 and step
        coded.next = entering and s_shape.tdata[INDEX]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if step:
            lane.next = lane + 1
        used.next = read_header
        if phase == step_of.GATHER:
            if held:
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
                if lane == rounds - 1 and (
                    (not more and not (drained and valid0)) or (last and not drained)
                ):
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
            emax.next = s_lanes.tdata[8:]
            coder.next = s_lanes.tdata[8 + coder_bits : 8]
            raw.next = s_lanes.tdata[16:8] == RAW
        if read_header:
            opening.next = True
        elif step:
            opening.next = False
        if start:
            unused.next = s_shape.tdata[SHAPE : SHAPE - 2]

    # Groups on their way.

    @always_seq(clk.posedge, reset=rst)
    def follow():
        if step:
            valid0.next = phase == step_of.RUN and more
            valid1.next = valid0
        if move:
            valid2.next = valid1 and not split
            parted.next = split
            m_exponents.tvalid.next = valid2
        elif m_exponents.tready:
            m_exponents.tvalid.next = False

    @always(clk.posedge)
    def follow_on():
        if step:
            raw0.next = raw
            opening0.next = opening
            opening1.next = opening0
            if opening1:
                emax2.next = emax
            if leaving and phase == step_of.TURN:
                payload.next = paid
        if move:
            m_exponents.tdata.next = exponents_word

    if not alone:

        @always(clk.posedge)
        def count_last():
            if step and more and last:
                surplus.next = s_shape.tdata[item_bits:]
            if step:
                last0.next = phase == step_of.RUN and more and last
                last1.next = last0

    @always_comb
    def show_payload():
        m_check.tdata.next = concat(verdict, payload[32:])
        m_tail.tdata.next = payload[64:32]

    # What is wrong.

    @always_seq(clk.posedge, reset=rst)
    def look_back():
        lacking.next = move and missing
        sunk.next = move and valid2 and negative_bits != 0

    @always_comb
    def judge():
        wrong.next = NONE
        if lacking:
            wrong.next = E_CODES
        elif sunk:
            wrong.next = E_EXPONENT
        elif phase == step_of.TURN and leaving and step:
            if odd_state_bits != 0:
                wrong.next = E_FINAL_STATE
            elif odd_payload_bits != 0:
                wrong.next = E_PAYLOAD
            elif lane == rounds - 1 and unread:
                wrong.next = E_CODES

    @always_seq(clk.posedge, reset=rst)
    def refuse():
        if start:
            fault.next = NONE
            if leaving:
                verdict.next = fault
                if fault == NONE:
                    verdict.next = wrong
        elif fault == NONE:
            fault.next = wrong

    return instances()


@block
def either(refill, spell, takes):
    """An item takes a byte."""

    @always_comb
    def join():
        takes.next = refill or spell

    return join


@block
def first_item(valid, live, absent):
    """Every group has it."""

    @always_comb
    def look():
        live.next = valid
        absent.next = False

    return look


@block
def later_item(valid0, last0, last1, surplus, live, absent, item):
    """The last group of a chunk may lack it."""

    @always_comb
    def look():
        live.next = valid0 and not (last0 and surplus < item)
        absent.next = last1 and surplus < item

    return look


@block
def judge_lane(lane, leaves, unused, odd_state, odd_payload, item, width):
    """Is the lane that leaves a column what it must be at the end?"""

    @always_comb
    def judge():
        odd_state.next = leaves[STATE:8] != 1
        odd_payload.next = (
            lane * width + item >= CHECKED
            and lane * width + item < CHECKED + unused
            and leaves[8:] != 0
        )

    return judge


@block
def gather_lanes(clk, rst, parts, gather, turned, ready):
    """Keep the lanes of a round before the one that is offered, the last of the parts."""
    most = len(parts) - 1
    some = Signal(modbv(0)[most.bit_length() :])
    moves = [shift(clk, gather, parts[i + 1], parts[i]) for i in range(most)]

    @always_comb
    def show():
        ready.next = some == most

    @always_seq(clk.posedge, reset=rst)
    def count():
        if turned:
            some.next = 0
        elif gather:
            some.next = some + 1

    return instances()


@block
def shift(clk, gather, before, after):
    @always(clk.posedge)
    def move():
        if gather:
            after.next = before

    return move
