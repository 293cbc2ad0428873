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
             place of the tables, of which then only the number counts; runs: whether chunks may
             have tokens of known runs, at width 2 or more
Throughput   a group a cycle, and the waits; overhead(width) cycles more a chunk, and what its last
             round lacks of all lanes
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
from hls.chunk_parse import INDEX, RUNS_SHAPE, SHAPE
from hls.code_tables import ESCAPE_BITS, LIMIT_BITS, PLANES, code_tables, table_bits, word_sizes
from hls.code_window import code_window, place_bits, slots_of
from hls.lane_column import STATE, lane_column
from hls.point import MAX_LENGTH, POINT, RAW, SYMBOLS
from hls.row_memory import write_port
from hls.stream import AxiStream, Contract
from hls.token_tables import token_tables

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


def ports(tables, width=1, loadable=False, runs=False):
    load = write_port(table_bits(tables), word_sizes(tables)) if loadable else {}
    return {
        "s_shape": AxiStream(SHAPE + RUNS_SHAPE * runs, last=False),
        "s_lanes": AxiStream(STATE, last=False),
        "s_codes": AxiStream(32 * width, user=2 * place_bits(width)),
        "m_exponents": AxiStream(8 * width, last=False),
        "m_tail": AxiStream(32, last=False),
        "m_check": AxiStream(32 + CODE_BITS, last=False),
        **({"m_tokens": AxiStream(8 * width, last=False)} if runs else {}),
        **load,
    }


@block
def lane_dec(
    clk, rst, s_shape, s_lanes, s_codes, m_exponents, m_tail, m_check, tables, width=1,
    runs=False, m_tokens=None, table_write=None, table_address=None, table_data=None,
):  # fmt: skip
    """Decode exponents, a chunk after the other.

    s_shape      in   of each chunk {payload bytes that must be 0, it has codes, number of values
                      - 1}; taken with its last group. With runs {which of the known tables, it is
                      of tokens} above these: of a chunk with tokens there is such a word before,
                      with their number
    s_lanes      in   of each chunk the lane states, then the block headers {table, emax}
    s_codes      in   words with codes, as of code_window
    m_exponents  out  the exponents of a group, the first lowest
    m_tail       out  of each chunk the last raw bytes, after its last exponents
    m_check      out  of each chunk {the first ChunkError found in it, the CRC-32}, with m_tail; the
                      chunk after it waits for both to go
    m_tokens     out  if there are runs, groups of tokens: of each its class, if that is spelt out,
                      or 255 less it
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
    if runs and alone:
        raise ValueError("tokens of runs have no group of one")
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
    boundary = Signal(bool(0))  # it is a block's last, but not the chunk's
    unused = Signal(intbv(0)[2:])  # payload bytes that must be 0

    # the block of the group that enters
    emax = Signal(intbv(0)[8:])
    coder_bits = table_bits(tables)
    coder = Signal(intbv(0)[coder_bits:])  # its table
    raw = Signal(bool(0))
    opening = Signal(bool(0))  # the group is the block's first
    blank = Signal(bool(0))  # there is one, and its header has not been read
    read_header = Signal(bool(0))
    used = Signal(bool(0))  # that was the cycle before, and the word may leave
    want_header = Signal(bool(0))

    # tokens
    of_tokens = token_part = hand_over = fresh = token0 = token2 = False
    token_room = True
    if runs:
        of_tokens = Signal(bool(0))  # so is the group that enters, or waits for its header
        token_part = Signal(bool(0))  # so are the chunk's groups at hand; those of values follow
        hand_over = Signal(bool(0))  # now
        fresh = Signal(bool(0))  # they have begun to
        token_room = Signal(bool(0))

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

    tokens = [Signal(bool(0)) for _ in range(3)]
    known = [Signal(bool(0)) for _ in range(3)]
    emax_shown = emax2
    item_words = [(limits, escape, biases, orders)] * width
    if runs:
        token0, _, token2 = tokens
        emax_shown = Signal(intbv(0)[8:])

    coded, cleared = (Signal(bool(0)) for _ in range(2))
    room, source, go, able, move, step, start, missing, unread = (Signal(bool(0)) for _ in range(9))
    want, take = Signal(intbv(0)[slots - 1 :]), Signal(intbv(0)[slots:])
    dealt = Signal(intbv(0)[8 * slots :])
    payload = Signal(intbv(0)[64:])
    lacking = Signal(bool(0))  # what moved before was wrong
    arrived = Signal(bool(0))  # a group is offered since what moved before
    odd_states, odd_payloads, surfeit = (Signal(bool(0)) for _ in range(3))  # or what may have left
    some_left, left = (Signal(bool(0)) for _ in range(2))  # lanes of a chunk have, all have
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
            gather.next = not more and not token_part and not ready and s_lanes.tvalid
            turned.next = step and entering

    window = code_window(
        clk, rst, s_codes, start, coded, cleared, valid1, go, able, missing, unread, want, take,
        dealt, width,
    )  # fmt: skip
    load = (table_write, table_address, table_data) if table_write is not None else None
    words = [code_tables(clk, rst, step, coder, limits, escape, biases, orders, tables, load)]
    if runs:
        item_words = [
            (
                Signal(intbv(0)[LIMIT_BITS:]),
                Signal(intbv(0)[ESCAPE_BITS:]),
                [Signal(intbv(0)[MAX_LENGTH:]) for _ in range(PLANES)],
                [Signal(intbv(0)[SYMBOLS:]) for _ in range(PLANES)],
            )
            for _ in range(2)
        ]
        for parity, shown in enumerate(item_words):
            block_words = limits, escape, biases, orders
            words.append(token_tables(tokens, known, block_words, shown, parity))

    # The columns. Item k of a chunk's last group is there if k is not above `surplus`.

    surplus = 0 if alone else Signal(intbv(0)[item_bits:])  # items of the last group, less one
    columns, exponents, negatives, leave, wants, takes = [], [], [], [], [], []
    states, payloads = [], []
    blocks = False
    for k in range(width):
        blocked, blocks = blocks, Signal(bool(0))
        live, absent, refill, spell, negative = (Signal(bool(0)) for _ in range(5))
        wanted, taken = (Signal(bool(0)) for _ in range(2))
        leaves, exponent = Signal(intbv(0)[STATE:]), Signal(intbv(0)[8:])
        if alone:
            refill_byte, exponent_byte = dealt(8, 0), dealt(16, 8)
            wants = takes = [refill, spell]
        else:
            refill_byte = exponent_byte = dealt(8 * k + 8, 8 * k)
            wants.append(wanted)
            takes.append(taken)
        columns.append(
            lane_column(
                clk, rst, move, step, entering, parts[k], live, raw0,
                *item_words[k % len(item_words)], emax_shown, absent, parted, blocked,
                refill_byte, exponent_byte,
                leaves, spell, refill, wanted, taken, blocks, exponent, negative, rounds, alone,
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
        states.append(odd_state)
        payloads.append(odd_payload)
    split = blocks
    want_bits = ConcatSignal(*reversed(wants[:-1])) if slots > 2 else wants[0]
    take_bits = ConcatSignal(*reversed(takes))
    exponents_word, negative_bits, odd_state_bits, odd_payload_bits = (
        signals[0] if alone else ConcatSignal(*reversed(signals))
        for signals in (exponents, negatives, states, payloads)
    )
    paid = ConcatSignal(*reversed(leave), payload(64, 8 * width))

    # What enters next.

    @always_comb
    def advance():
        following.next = number + 1

    @always(clk.posedge)
    def look_ahead():
        if phase != step_of.RUN or fresh:
            last.next = s_shape.tdata[INDEX:item_bits] == 0
            boundary.next = False
        elif step and more:
            last.next = following == s_shape.tdata[INDEX:item_bits]
            boundary.next = (
                not last
                and following[block_bits:] == last_of_block
                and following != s_shape.tdata[INDEX:item_bits]
                and not of_tokens
            )

    # When the rings move.

    @always_comb
    def look():
        room.next = (m_exponents.tready or not m_exponents.tvalid) and token_room
        source.next = (phase == step_of.TURN and ((ready and s_lanes.tvalid) or not entering)) or (
            phase == step_of.RUN and not blank
        )

    @always_comb
    def go_on():
        go.next = room and source
        move.next = room and source and able
        step.next = room and source and able and not split

    @always_comb
    def gather_bytes():
        want.next = want_bits
        take.next = take_bits

    @always_comb
    def take_words():
        s_shape.tready.next = phase == step_of.RUN and more and last and step
        want_header.next = phase == step_of.RUN and (
            blank or (boundary and room and able and not split)
        )

    @always_comb
    def take_lanes():
        s_lanes.tready.next = (
            used
            or (not more and not token_part and not ready)
            or (phase == step_of.TURN and entering and room and able and not split)
        )
        read_header.next = want_header and s_lanes.tvalid and (s_shape.tvalid or not fresh)
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
                if cleared and not (m_tail.tvalid or m_check.tvalid):
                    phase.next = step_of.TURN
            elif cleared and s_shape.tvalid:
                leaving.next = False
                entering.next = True
                phase.next = step_of.TURN
        elif phase == step_of.TURN:
            if start:
                held.next = entering
                more.next = entering
                blank.next = entering and not of_tokens
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
                if hand_over:
                    more.next = True
                elif lane == rounds - 1 and (
                    (not more and not (drained and valid0)) or (last and not drained)
                ):
                    phase.next = step_of.GATHER
            if read_header:
                blank.next = False
            elif want_header or hand_over:
                blank.next = True

        if m_tail.tready:
            m_tail.tvalid.next = False
        if m_check.tready:
            m_check.tvalid.next = False
        if left:
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
            m_exponents.tvalid.next = valid2 and not token2
        elif m_exponents.tready:
            m_exponents.tvalid.next = False

    @always(clk.posedge)
    def follow_on():
        if step:
            raw0.next = raw and not of_tokens
            opening0.next = opening
            opening1.next = opening0
            if opening1:
                emax2.next = emax
            if leaving and phase == step_of.TURN:
                payload.next = paid

    @always_comb
    def show():
        m_exponents.tdata.next = exponents_word

    if not alone:

        @always(clk.posedge)
        def count_last():
            if step and more and last:
                surplus.next = s_shape.tdata[item_bits:]
            if step:
                last0.next = phase == step_of.RUN and more and last
                last1.next = last0 and not token0  # the next group may be values, and the last

    @always_comb
    def show_payload():
        m_check.tdata.next = concat(verdict, payload[32:])
        m_tail.tdata.next = payload[64:32]

    if runs:

        @always_comb
        def look_at_tokens():
            of_tokens.next = s_shape.tdata[SHAPE]
            token_room.next = m_tokens.tready or not m_tokens.tvalid
            hand_over.next = (
                step
                and phase == step_of.RUN
                and token_part
                and lane == rounds - 1
                and (last or not more)
            )

        @always_comb
        def spare_emax():
            emax_shown.next = emax2
            if token2:
                emax_shown.next = 255

        @always_comb
        def show_tokens():
            m_tokens.tdata.next = m_exponents.tdata

        token1 = tokens[1]
        known0, known1, known2 = known

        @always_seq(clk.posedge, reset=rst)
        def follow_tokens():
            if start:
                token_part.next = entering and of_tokens
            elif hand_over:
                token_part.next = False
            if hand_over:
                fresh.next = True
            elif read_header:
                fresh.next = False
            if step:
                token0.next = of_tokens and more
                token1.next = token0
                token2.next = token1
                known0.next = s_shape.tdata[SHAPE + 1]
                known1.next = known0
                known2.next = known1
            if move:
                m_tokens.tvalid.next = valid2 and token2
            elif m_tokens.tready:
                m_tokens.tvalid.next = False

    # What is wrong.

    @always_seq(clk.posedge, reset=rst)
    def look_back():
        lacking.next = move and missing
        arrived.next = move and valid2
        left.next = start and leaving

        some_left.next = phase == step_of.TURN and leaving and step

    @always(clk.posedge)
    def look_at_lanes():
        odd_states.next = odd_state_bits != 0
        odd_payloads.next = odd_payload_bits != 0
        surfeit.next = unread

    @always_comb
    def judge():
        wrong.next = NONE
        if lacking:
            wrong.next = E_CODES
        elif arrived and negative_bits != 0:
            wrong.next = E_EXPONENT
        elif some_left and odd_states:
            wrong.next = E_FINAL_STATE
        elif some_left and odd_payloads:
            wrong.next = E_PAYLOAD
        elif left and surfeit:
            wrong.next = E_CODES

    @always_seq(clk.posedge, reset=rst)
    def refuse():
        if left:
            fault.next = NONE
            verdict.next = fault
            if fault == NONE:
                verdict.next = wrong
        elif fault == NONE:
            fault.next = wrong

    return instances()


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

    @always_seq(clk.posedge, reset=rst)
    def count():
        if turned:
            some.next = 0
            ready.next = False
        elif gather:
            some.next = some + 1
            ready.next = some == most - 1

    return instances()


@block
def shift(clk, gather, before, after):
    @always(clk.posedge)
    def move():
        if gather:
            after.next = before

    return move
