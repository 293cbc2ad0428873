# SPDX-License-Identifier: Apache-2.0
"""lane_enc: code exponents backwards in eight lanes.

Role         the coding step, between code_schedule and code_stack
Golden       encode_exponents of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 6
Parameters   tables: the table set, built in as codewords

The lanes' states are a ring of registers that turns with each value, so that the lane whose turn it
is stands at the head, and the ring's registers are at the same time stages of the coding step:

    form    emax - exponent
    map     the symbol's codeword
    head    put the state's low byte if the codeword would not fit, and the exponent of an escape
    push    put the codeword into the state
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.code_schedule import (
    CODE,
    EXPONENT,
    HEADER,
    OPERATION,
    START,
    STORE,
    header_width,
)
from hls.huff_choice import index_bits
from hls.point import ESCAPE, MAX_LENGTH, POINT, RAW, SYMBOLS
from hls.stream import AxiStream, Contract

STATE = 16  # bits
SYMBOL = 4
LENGTH = 4
RING = POINT.lanes - 1  # registers of the ring behind the first

CONTRACT = Contract(latency=3, interval=1)  # to the bytes of an operation that puts some


def ports(tables):
    return {
        "s_axis": AxiStream(header_width(tables) + EXPONENT + OPERATION),
        "m_axis": AxiStream(16, keep=True),
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


def code_rom(tables):
    """For each {table, symbol}: {escape, length, codeword with its first bit lowest}."""
    rom = []
    for codes in map(codewords, tables):
        for symbol in range(SYMBOLS):
            coded = symbol if symbol in codes else ESCAPE
            length, code = codes[coded]
            backwards = int(f"{code:0{length}b}"[::-1], 2)
            rom.append((coded == ESCAPE) << (LENGTH + 8) | length << 8 | backwards)
    return tuple(rom)


@block
def lane_enc(clk, rst, s_axis, m_axis, tables):
    """Do one operation a cycle.

    s_axis  in   the operations of code_schedule; tlast = a chunk's last
    m_axis  out  the bytes of a chunk's codes, blocks and lanes from the last to the first. tkeep 1:
                 tdata = {any, byte}; 3: tdata = {byte, the byte in front of it}; tlast = the first
    rst     in   synchronous, active high; drops everything in flight
    """
    rom = code_rom(tables)
    bits = index_bits(tables)
    word = OPERATION + EXPONENT  # of s_axis.tdata, below the header
    raw_bit = word + EXPONENT + bits
    go = Signal(bool(0))  # all stages move on

    # form
    difference = Signal(modbv(0)[EXPONENT:])

    # map
    valid2 = Signal(bool(0))
    last2 = Signal(bool(0))
    operation2 = Signal(intbv(0)[OPERATION:])
    byte2 = Signal(intbv(0)[8:])
    symbol2 = Signal(intbv(0)[SYMBOL:])
    table2 = Signal(intbv(0)[bits:])
    raw2 = Signal(bool(0))
    address2 = Signal(intbv(0)[bits + SYMBOL :])
    coded2 = Signal(intbv(0)[1 + LENGTH + 8 :])

    # head
    valid3 = Signal(bool(0))
    last3 = Signal(bool(0))
    operation3 = Signal(intbv(0)[OPERATION:])
    byte3 = Signal(intbv(0)[8:])
    escape3 = Signal(bool(0))
    length3 = Signal(intbv(0)[LENGTH:])
    code3 = Signal(intbv(0)[8:])
    spill = Signal(bool(0))
    turn = Signal(bool(0))

    # push; ring[0] is behind it, ring[-1] the head
    state = Signal(intbv(0)[STATE:])
    length4 = Signal(intbv(0)[LENGTH:])
    code4 = Signal(intbv(0)[8:])
    pushed = Signal(intbv(0)[STATE:])
    ring = [Signal(intbv(0)[STATE:]) for _ in range(RING)]
    behind, head = ring[0], ring[-1]
    moves = [move_state(clk, turn, ring[i], ring[i + 1]) for i in range(RING - 1)]

    @always_comb
    def flow():
        go.next = not m_axis.tvalid or m_axis.tready
        s_axis.tready.next = not m_axis.tvalid or m_axis.tready

    @always_comb
    def subtract():
        difference.next = s_axis.tdata[word + EXPONENT : word] - s_axis.tdata[word:OPERATION]

    @always_comb
    def look_up():
        address2.next = concat(table2, symbol2)

    @always_comb
    def translate():
        coded2.next = rom[int(address2)]

    @always_comb
    def examine():  # would the codeword push out a bit that is 1?
        spill.next = (
            (length3 > 0 and head[15])
            or (length3 > 1 and head[14])
            or (length3 > 2 and head[13])
            or (length3 > 3 and head[12])
            or (length3 > 4 and head[11])
            or (length3 > 5 and head[10])
            or (length3 > 6 and head[9])
            or (length3 > 7 and head[8])
        )

    @always_comb
    def follow():
        turn.next = go and valid3 and operation3 != HEADER

    @always_comb
    def push():
        pushed.next = (state << length4) | concat(intbv(0)[STATE - 8 :], code4)

    @always_seq(clk.posedge, reset=rst)
    def control():
        if go:
            valid2.next = s_axis.tvalid
            valid3.next = valid2
            m_axis.tvalid.next = (
                valid3 and operation3 != START and (operation3 != CODE or spill or escape3)
            )

    @always(clk.posedge)
    def form_stage():
        if go:
            last2.next = s_axis.tlast
            operation2.next = s_axis.tdata[OPERATION:]
            byte2.next = s_axis.tdata[word:OPERATION]
            if s_axis.tdata[OPERATION:] == HEADER:
                byte2.next = s_axis.tdata[word + EXPONENT : word]
            symbol2.next = difference[SYMBOL:]
            if difference > ESCAPE:
                symbol2.next = ESCAPE
            table2.next = s_axis.tdata[raw_bit : word + EXPONENT]
            raw2.next = s_axis.tdata[raw_bit]

    @always(clk.posedge)
    def map_stage():
        if go:
            last3.next = last2
            operation3.next = operation2
            byte3.next = byte2
            escape3.next = coded2[LENGTH + 8]
            length3.next = coded2[LENGTH + 8 : 8]
            code3.next = coded2[8:]
            if operation2 != CODE or raw2:
                escape3.next = True
                length3.next = 0
                code3.next = 0
            if operation2 == HEADER:
                code3.next = concat(intbv(0)[8 - bits :], table2)
                if raw2:
                    code3.next = RAW

    @always(clk.posedge)
    def head_stage():
        if turn:
            length4.next = length3
            code4.next = code3
            if operation3 == START:
                state.next = concat(intbv(1)[8:], byte3)
            elif spill:
                state.next = concat(intbv(0)[8:], head[STATE:8])
            else:
                state.next = head
        if go:
            m_axis.tlast.next = last3
            m_axis.tkeep.next[0] = True
            m_axis.tkeep.next[1] = operation3 != CODE or (spill and escape3)
            m_axis.tdata.next = concat(byte3, byte3)
            if operation3 == HEADER:
                m_axis.tdata.next[16:8] = code3
            if operation3 == STORE:
                m_axis.tdata.next = head
            elif spill:
                m_axis.tdata.next[8:] = head[8:]

    @always(clk.posedge)
    def push_stage():
        if turn:
            behind.next = pushed

    return instances()


@block
def move_state(clk, turn, state, state_after):
    @always(clk.posedge)
    def move():
        if turn:
            state_after.next = state

    return move
