# SPDX-License-Identifier: Apache-2.0
"""code_schedule: what lane_enc does for a chunk, operation by operation.

Role         joins a chunk's totals, block headers and exponents in the order of the coding pass
Golden       that order: the lanes' first states, the exponents, the headers, the lanes' last
             states; all from the last to the first
Format       swmodel/FORMAT.md sections 4 (lanes, blocks, codes) and 6 (encoding)
Parameters   tables: only their number
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

from hls.huff_choice import index_bits
from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract
from hls.zero_split import CHECK, COUNT, INDEX, TAIL

EXPONENT = 8
LAST_STEP = POINT.lanes - 1
STEP = LAST_STEP.bit_length()
PLACE = (POINT.block - 1).bit_length()  # bits of a place in a block
BLOCK = (POINT.blocks - 1).bit_length()  # bits of a block's number
HEADERS = 2 * POINT.blocks  # of the chunk that is coded, and of the next
HEADERS_LOG2 = BLOCK + 1
TOTALS = COUNT + INDEX

START, STORE, CODE, HEADER = range(4)  # operations; bit 1: they have a header
OPERATION = 2

IDLE, STARTING, CODING, LISTING, STORING = range(5)  # states

CONTRACT = Contract(latency=2, interval=1)  # from a chunk's totals to the first operation


def busy_cycles(nonzeros: int) -> int:
    """Cycles from a chunk's first operation to the next chunk's, if all it needs is there."""
    return 2 * POINT.lanes + nonzeros + -(-nonzeros // POINT.block) + 1


def header_width(tables):
    """Bits of a block header: raw, table, emax."""
    return 1 + index_bits(tables) + EXPONENT


def ports(tables):
    return {
        "s_chunk": AxiStream(TAIL + CHECK + TOTALS),
        "s_header": AxiStream(header_width(tables), last=False),
        "s_axis": AxiStream(EXPONENT, last=False),
        "m_axis": AxiStream(header_width(tables) + EXPONENT + OPERATION),
        "m_chunk": AxiStream(TOTALS),
    }


@block
def code_schedule(clk, rst, s_chunk, s_header, s_axis, m_axis, m_chunk, tables):
    """Issue an operation a cycle: 8 START, nnz CODE, a HEADER a block, 8 STORE; none if nnz is 0.

    s_chunk   in   a chunk's totals from zero_split
    s_header  in   its block headers from huff_choice, in order
    s_axis    in   its exponents from chunk_reverse, the last first; after all its headers
    m_axis    out  tdata = {header, byte, operation}: START 0, byte = a lane's payload; STORE 1;
                   CODE 2, byte = exponent, header = its block's; HEADER 3, header = a block's; the
                   header is 0 where there is none. tlast = the chunk's last
    m_chunk   out  tdata = {nnz, n - 1} and tlast of s_chunk, as soon as the lanes have started
    rst       in   synchronous, active high; drops everything in flight
    """
    width = header_width(tables)

    state = Signal(intbv(IDLE)[3:])
    blocks = Signal(intbv(0)[BLOCK:])  # of the chunk, less one
    number = Signal(modbv(0)[BLOCK:])  # of the block
    place = Signal(modbv(0)[PLACE:])  # in the block
    step = Signal(modbv(0)[STEP:])
    lane = Signal(modbv(0)[STEP:])
    last_index = Signal(modbv(0)[INDEX:])  # nnz - 1
    payload = Signal(intbv(0)[8:])
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
    header = Signal(intbv(0)[width:])
    known = Signal(bool(0))  # all headers of the chunk are there

    # the operation that is offered
    content = Signal(intbv(0)[8:])
    operation = Signal(intbv(0)[OPERATION:])

    memory = ram(clk, write, tail(HEADERS_LOG2, 0), s_header.tdata, read, address, header, HEADERS)

    @always_comb
    def ring():
        level.next = tail - base
        address.next = base[HEADERS_LOG2:] + concat(intbv(0)[1:], number)

    @always_comb
    def take_header():
        s_header.tready.next = not level[HEADERS_LOG2]
        write.next = s_header.tvalid and not level[HEADERS_LOG2]
        known.next = level > concat(intbv(0)[2:], blocks)

    @always_comb
    def look():
        last_index.next = s_chunk.tdata[2 * INDEX : INDEX] - 1  # 4096 is 0 here
        empty.next = s_chunk.tdata[TOTALS:INDEX] == 0
        advance.next = not m_axis.tvalid or m_axis.tready

    @always_comb
    def pick():
        if lane == 0:
            payload.next = s_chunk.tdata[TOTALS + 8 : TOTALS]
        elif lane == 1:
            payload.next = s_chunk.tdata[TOTALS + 16 : TOTALS + 8]
        elif lane == 2:
            payload.next = s_chunk.tdata[TOTALS + 24 : TOTALS + 16]
        elif lane == 3:
            payload.next = s_chunk.tdata[TOTALS + 32 : TOTALS + 24]
        elif lane == 4:
            payload.next = s_chunk.tdata[TOTALS + 40 : TOTALS + 32]
        elif lane == 5:
            payload.next = s_chunk.tdata[TOTALS + 48 : TOTALS + 40]
        elif lane == 6:
            payload.next = s_chunk.tdata[TOTALS + 56 : TOTALS + 48]
        else:
            payload.next = s_chunk.tdata[TOTALS + 64 : TOTALS + 56]

    @always_comb
    def decide():
        issue.next = advance and state != IDLE and (state != CODING or (known and s_axis.tvalid))
        s_axis.tready.next = advance and state == CODING and known
        started.next = advance and state == STARTING and step == LAST_STEP

    @always_comb
    def finish_totals():
        read.next = issue and state != STARTING and state != STORING
        leave.next = started or (state == IDLE and s_chunk.tvalid and empty and not m_chunk.tvalid)

    @always_comb
    def take_totals():
        s_chunk.tready.next = leave

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if state == IDLE:
            if s_chunk.tvalid and not empty and not m_chunk.tvalid:
                state.next = STARTING
        elif issue:
            if state == STARTING:
                step.next = step + 1
                if step == LAST_STEP:
                    state.next = CODING
            elif state == CODING:
                if place == 0 and number == 0:
                    state.next = LISTING
            elif state == LISTING:
                if number == 0:
                    state.next = STORING
                    base.next = base + concat(intbv(0)[2:], blocks) + 1
            else:
                step.next = step + 1
                if step == LAST_STEP:
                    state.next = IDLE
        if write:
            tail.next = tail + 1

    @always(clk.posedge)
    def count():
        if state == IDLE:
            blocks.next = last_index[INDEX:PLACE]
            number.next = last_index[INDEX:PLACE]
            place.next = last_index[PLACE:]
            lane.next = last_index[STEP:]
        elif issue:
            lane.next = lane - 1
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
        if issue:
            m_axis.tlast.next = False
            content.next = s_axis.tdata
            if state == STARTING:
                operation.next = START
                content.next = payload
            elif state == CODING:
                operation.next = CODE
            elif state == LISTING:
                operation.next = HEADER
            else:
                operation.next = STORE
                m_axis.tlast.next = step == LAST_STEP
        if leave:
            m_chunk.tdata.next = s_chunk.tdata[TOTALS:]
            m_chunk.tlast.next = s_chunk.tlast

    @always_comb
    def show():
        m_axis.tdata.next = concat(intbv(0)[width:], content, operation)
        if operation[1]:
            m_axis.tdata.next = concat(header, content, operation)

    return instances()
