# SPDX-License-Identifier: Apache-2.0
"""code_schedule: what lane_enc does for a chunk, operation by operation, each for a group.

Role         joins a chunk's totals, block headers and exponents in the order of the coding pass
Golden       that order: the lanes' first states, the exponents, the tokens, the headers, the lanes'
             last states; all from the last to the first
Format       swmodel/FORMAT.md sections 4 (lanes, blocks, codes), 4.2 (tokens) and 6 (encoding)
Parameters   tables: only their number; width: items of a group, two or more with trailing; runs:
             whether there are tokens; trailing: whether bytes may be left out of raw parts
"""

from __future__ import annotations

from myhdl import (
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

from hls import token_reverse
from hls.choose import choose
from hls.huff_choice import index_bits
from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract, item_bits
from hls.zero_split import CHECK, COUNT, INDEX, TAIL, TRAILING
from hls.zero_tokens import CLASS

EXPONENT = 8
PLACE = (POINT.block - 1).bit_length()  # bits of a place in a block
LANE = (POINT.lanes - 1).bit_length()  # bits of a lane's number
BLOCK = (POINT.blocks - 1).bit_length()  # bits of a block's number
HEADERS = 2 * POINT.blocks  # of the chunk that is coded, and of the next
HEADERS_LOG2 = BLOCK + 1
TOTALS = COUNT + INDEX

START, STORE, CODE, HEADER, TOKEN = range(5)  # operations; bit 1: they have a header

IDLE, STARTING, CODING, LISTING, STORING, TOKENS = range(6)  # states

CONTRACT = Contract(latency=2, interval=1)  # from a chunk's totals to the first operation


def busy_cycles(nonzeros: int, width: int = 1) -> int:
    """Cycles from a chunk's first operation to the next chunk's, if all it needs is there.

    With `runs` 1 more, or as many as the tokens have operations.
    """
    return 2 * POINT.lanes // width + -(-nonzeros // width) + -(-nonzeros // POINT.block) + 1


def operation_bits(runs: bool = False) -> int:
    """Bits of an operation's number."""
    return TOKEN.bit_length() if runs else HEADER.bit_length()


def token_operations(pairs: int, width: int) -> int:
    """Operations of the tokens of so many pairs: they fill rounds of the lanes."""
    return -(-2 * pairs // POINT.lanes) * POINT.lanes // width


def header_width(tables):
    """Bits of a block header: raw, table, emax."""
    return 1 + index_bits(tables) + EXPONENT


def ports(tables, width=1, runs=False, trailing=False):
    items, more = item_bits(width), TRAILING * trailing
    word = header_width(tables) + EXPONENT * width + operation_bits(runs)
    tokens = {"s_token": token_reverse.ports(width)["m_axis"]} if runs else {}
    return {
        "s_chunk": AxiStream(more + TAIL + CHECK + TOTALS),
        "s_header": AxiStream(header_width(tables), last=False),
        "s_axis": AxiStream(EXPONENT * width, user=items, last=False),
        **tokens,
        "m_axis": AxiStream(word, user=items),
        "m_chunk": AxiStream(more + TOTALS),
    }


@block
def code_schedule(
    clk,
    rst,
    s_chunk,
    s_header,
    s_axis,
    m_axis,
    m_chunk,
    tables,
    width=1,
    runs=False,
    s_token=None,
    trailing=False,
):
    """Issue an operation a cycle, for a row of `width` lanes, a group, or a block.

    A START a row comes first, then a CODE a group, a TOKEN a group of tokens, a HEADER a block, a
    STORE a row; none if nnz is 0.

    s_chunk   in   a chunk's totals from zero_split
    s_header  in   its block headers from huff_choice, in order
    s_axis    in   its exponents from chunk_reverse, the last group first; after all its headers
    s_token   in   token_reverse's packet for the chunk, if nnz is not 0; only with runs
    m_axis    out  tdata = {header, bytes, operation}: START 0, bytes = the lanes' payload; STORE 1;
                   CODE 2, bytes = exponents, header = their block's; HEADER 3, header = a block's;
                   TOKEN 4, bytes = {the known tables, classes}, at width 1 {it is a run, the known
                   tables, its class};
                   the header is 0 where there is none. tuser of CODE = that of s_axis, the number
                   of items less one. tlast = the chunk's last
                   With trailing the second of HEADER's bytes is the header's third, or 0 for none
    m_chunk   out  tdata = {nnz, n - 1}, with trailing {bytes left out, nnz, n - 1}, and tlast of
                   s_chunk, as soon as the lanes have started
    rst       in   synchronous, active high; drops everything in flight
    """
    header_bits = header_width(tables)
    items = item_bits(width)
    last_step = POINT.lanes // width - 1
    behind_codes, token = (TOKENS, TOKEN) if runs else (LISTING, STORE)
    row_bits = LANE - items

    state = Signal(intbv(IDLE)[3:])
    blocks = Signal(intbv(0)[BLOCK:])  # of the chunk, less one
    number = Signal(modbv(0)[BLOCK:])  # of the block
    place = Signal(modbv(0)[PLACE - items :])  # of the group in the block
    step = Signal(modbv(0)[row_bits:])
    row = Signal(modbv(0)[row_bits:])
    last_group = Signal(modbv(0)[INDEX - items :])
    given = Signal(intbv(0)[8 * width :])  # the row's payload, or tokens
    empty = Signal(bool(0))
    advance = Signal(bool(0))
    issue = Signal(bool(0))
    started = Signal(bool(0))  # the last lane starts
    leave = Signal(bool(0))  # the chunk's totals have served

    # block headers, a ring; pointers have one bit more to tell a full one from an empty one
    tail = Signal(modbv(0)[HEADERS_LOG2 + 1 :])
    base = Signal(modbv(0)[HEADERS_LOG2 + 1 :])  # of the chunk's first
    level = Signal(modbv(0)[HEADERS_LOG2 + 1 :])
    write = Signal(bool(0))
    read = Signal(bool(0))
    address = Signal(modbv(0)[HEADERS_LOG2:])
    header = Signal(intbv(0)[header_bits:])
    known = Signal(bool(0))  # all headers of the chunk are there

    # the operation that is offered
    content = Signal(intbv(0)[8 * width :])
    operation = Signal(intbv(0)[operation_bits(runs) :])

    memory = ram(clk, write, tail(HEADERS_LOG2, 0), s_header.tdata, read, address, header, HEADERS)

    last = find_last_group(s_chunk.tdata, last_group, items)
    places = range(TOTALS, TOTALS + 8 * POINT.lanes, 8 * width)
    payloads = [s_chunk.tdata(at + 8 * width, at) for at in places]
    if runs:
        held, in_tokens, tokens_end = (Signal(bool(0)) for _ in range(3))
        payload = Signal(intbv(0)[8 * width :])
        gathered = give_tokens(
            clk, rst, state, advance, s_token, payload, given, held, in_tokens, tokens_end, width
        )
    else:
        held = in_tokens = tokens_end = False
        payload, gathered = given, []
    if trailing:
        listed = Signal(intbv(0)[8 * width :])
        noted = note_trailing(clk, leave, s_chunk, m_chunk, listed)
    else:
        listed = given
        noted = note_totals(clk, leave, s_chunk, m_chunk)
    pick = choose(payloads, row, payload)

    @always_comb
    def ring():
        level.next = tail - base
        address.next = base[HEADERS_LOG2:] + concat(intbv(0)[1:], number)

    @always_comb
    def take_header():
        s_header.tready.next = not level[HEADERS_LOG2]
        write.next = s_header.tvalid and not level[HEADERS_LOG2]

    @always_comb
    def look():
        empty.next = s_chunk.tdata[TOTALS:INDEX] == 0
        advance.next = not m_axis.tvalid or m_axis.tready
        read.next = not m_axis.tvalid or m_axis.tready

    @always_comb
    def decide():
        issue.next = (
            advance
            and state != IDLE
            and (state != CODING or (known and s_axis.tvalid))
            and not held
        )
        s_axis.tready.next = advance and state == CODING and known
        started.next = advance and state == STARTING and step == last_step

    @always_comb
    def take_totals():
        s_chunk.tready.next = leave

    @always_seq(clk.posedge, reset=rst)
    def finish_totals():  # a cycle late: nothing but registers decides when they are taken
        leave.next = started or (
            state == IDLE and s_chunk.tvalid and empty and not (m_chunk.tvalid or leave)
        )
        known.next = level > concat(intbv(0)[2:], blocks)

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if state == IDLE:
            if s_chunk.tvalid and not empty and not m_chunk.tvalid:
                state.next = STARTING
        elif in_tokens:
            if tokens_end:
                state.next = LISTING
        elif issue:
            if state == STARTING:
                step.next = step + 1
                if step == last_step:
                    state.next = CODING
            elif state == CODING:
                if place == 0 and number == 0:
                    state.next = behind_codes
            elif state == LISTING:
                if number == 0:
                    state.next = STORING
                    base.next = base + concat(intbv(0)[2:], blocks) + 1
            else:
                step.next = step + 1
                if step == last_step:
                    state.next = IDLE
        if write:
            tail.next = tail + 1

    @always(clk.posedge)
    def count():
        if state == IDLE:
            blocks.next = last_group[INDEX - items : PLACE - items]
            number.next = last_group[INDEX - items : PLACE - items]
            place.next = last_group[PLACE - items :]
            row.next = last_group[row_bits:]
        elif issue:
            row.next = row - 1
            if state == CODING:
                place.next = place - 1
                if place == 0:
                    number.next = number - 1
                    if number == 0:
                        number.next = blocks
            if state == LISTING:
                number.next = number - 1

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if advance:
            m_axis.tvalid.next = issue
        if leave:
            m_chunk.tvalid.next = True
        elif m_chunk.tready:
            m_chunk.tvalid.next = False

    @always(clk.posedge)
    def describe():
        if advance:
            m_axis.tlast.next = False
            content.next = given
            if state == STARTING:
                operation.next = START
            elif state == CODING:
                operation.next = CODE
                content.next = s_axis.tdata
            elif state == LISTING:
                operation.next = HEADER
                content.next = listed
            elif in_tokens:
                operation.next = token
            else:
                operation.next = STORE
                m_axis.tlast.next = step == last_step

    @always_comb
    def show():
        m_axis.tdata.next = concat(intbv(0)[header_bits:], content, operation)
        if operation[1]:
            m_axis.tdata.next = concat(header, content, operation)

    numbers = pass_number(clk, advance, s_axis, m_axis) if items else []

    return instances()


@block
def note_totals(clk, leave, s_chunk, m_chunk):
    """Keep {nnz, n - 1} for chunk_assemble."""

    @always(clk.posedge)
    def note():
        if leave:
            m_chunk.tdata.next = s_chunk.tdata[TOTALS:]
            m_chunk.tlast.next = s_chunk.tlast

    return note


@block
def note_trailing(clk, leave, s_chunk, m_chunk, listed):
    """The same, and how many bytes are left out of raw parts; as bits in listed's second byte."""
    at = TAIL + CHECK + TOTALS
    left_out = Signal(intbv(0)[TRAILING:])
    above = len(listed) - 16

    @always(clk.posedge)
    def note():
        if leave:
            left_out.next = s_chunk.tdata[at + TRAILING : at]
            m_chunk.tdata.next = concat(s_chunk.tdata[at + TRAILING : at], s_chunk.tdata[TOTALS:])
            m_chunk.tlast.next = s_chunk.tlast

    if above:

        @always_comb
        def show():
            listed.next = concat(intbv(0)[above + 3 :], left_out, intbv(0)[11:])

    else:

        @always_comb
        def show():
            listed.next = concat(intbv(0)[3:], left_out, intbv(0)[11:])

    return instances()


@block
def find_last_group(totals, last_group, items):
    """The number of a chunk's last group; 4096 non-zeros are 0 here."""
    low, top = INDEX + items, 2 * INDEX

    if items == 0:

        @always_comb
        def look():
            last_group.next = totals[top:low] - 1

    else:

        @always_comb
        def look():
            last_group.next = totals[top:low]
            if totals[low:INDEX] == 0:
                last_group.next = totals[top:low] - 1

    return look


@block
def pass_number(clk, advance, s_axis, m_axis):
    """The number of a group's items."""

    @always(clk.posedge)
    def move():
        if advance:
            m_axis.tuser.next = s_axis.tuser

    return move


@block
def give_tokens(
    clk, rst, state, advance, s_token, payload, given, held, in_tokens, tokens_end, width
):
    """What the operations of a chunk's tokens are made of.

    payload     in   of the row
    given       out  that, or the tokens
    held        out  there is no operation for tokens in this cycle
    in_tokens   out  the chunk's values have been coded
    tokens_end  out  and its tokens with this cycle
    """
    tokens = Signal(intbv(0)[8 * width :])
    done = Signal(bool(0))  # with the pairs that are offered

    @always_comb
    def look():
        in_tokens.next = state == TOKENS
        held.next = state == TOKENS and not (s_token.tvalid and s_token.tuser[0])

    @always_comb
    def take():
        s_token.tready.next = state == TOKENS and (not s_token.tuser[0] or (advance and done))
        tokens_end.next = (
            s_token.tvalid and s_token.tlast and (not s_token.tuser[0] or (advance and done))
        )

    @always_comb
    def give():
        given.next = payload
        if state == TOKENS:
            given.next = tokens

    if width == 1:
        kind = Signal(intbv(0)[CLASS:])

        @always_comb
        def show():
            kind.next = s_token.tdata[2 * CLASS : CLASS]
            if done:
                kind.next = s_token.tdata[CLASS:]

        @always_comb
        def join():
            tokens.next = concat(intbv(0)[2:], not done, s_token.tuser[1], kind)

        @always_seq(clk.posedge, reset=rst)
        def alternate():  # the run is coded first
            if advance and state == TOKENS and s_token.tvalid and s_token.tuser[0]:
                done.next = not done

    else:
        unused = 8 * width - CLASS * width - 1

        @always_comb
        def show():
            done.next = True
            tokens.next = concat(intbv(0)[unused:], s_token.tuser[1], s_token.tdata)

    return instances()
