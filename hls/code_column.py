# SPDX-License-Identifier: Apache-2.0
"""code_column: the lanes of one item of a group, and its way through the coding step.

Role         lane_enc has one for each item of a group
Format       swmodel/FORMAT.md section 6 (encoding)
Parameters   lanes: how many the column has, two or more; place: the item's in the group; the first
             also puts the block headers; trailing: the second puts their third bytes

The lanes' states are a ring of registers that turns with each group, so that the lane whose turn it
is stands at the head, and the ring's registers are at the same time stages of the coding step:

    form    emax - exponent
    map     the symbol's codeword
    head    put the exponent of an escape, and the state's low byte if the codeword would not fit
    push    put the codeword into the state
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, block, concat, instances, intbv, modbv

from hls.choose import choose, either
from hls.code_schedule import EXPONENT, HEADER, START, STORE
from hls.point import ESCAPE

STATE = 16  # bits
SYMBOL = 4
LENGTH = 4
CODED = 1 + LENGTH + 8  # of a symbol's word: {escape, length, codeword with its first bit lowest}


@block
def code_column(
    clk,
    go,
    turn,
    operation,
    byte,
    emax,
    raw,
    coded,
    operation2,
    byte2,
    codes2,
    token2,
    token_word2,
    name2,
    operation3,
    put,
    keep,
    lanes,
    place,
    trailing,
):
    """Work on one item a cycle.

    go          in   all stages move on
    turn        in   so does the ring
    operation   in   of the group that enters, in the stages map and head operation2 and operation3
    byte        in   the item's exponent, or the payload of a lane that starts
    emax, raw   in   fields of its block's header; later the table's words codes2 and its byte name2
    coded       in   the group is coded and has the item
    byte2       out  the byte of the group in the stage map
    token2      in   that is a pair of tokens, the item's word is token_word2; None if none ever is
    put, keep   out  the bytes that the stage head puts, the one that is put first lowest
    """
    puts_third = trailing and place == 1

    # form
    difference = Signal(modbv(0)[EXPONENT:])

    # map
    symbol2 = Signal(intbv(0)[SYMBOL:])
    coding2 = Signal(bool(0))  # the item puts a codeword into its lane
    plain2 = Signal(bool(0))  # it puts the byte as it is, and no codeword
    coded2 = Signal(intbv(0)[CODED:])

    # head
    byte3 = Signal(intbv(0)[8:])
    plain3 = Signal(bool(0))  # it puts the byte
    length3 = Signal(intbv(0)[LENGTH:])
    code3 = Signal(intbv(0)[8:])
    spill = Signal(bool(0))

    # push; ring[0] is behind it, ring[-1] the head
    state = Signal(intbv(0)[STATE:])
    length4 = Signal(intbv(0)[LENGTH:])
    code4 = Signal(intbv(0)[8:])
    pushed = Signal(intbv(0)[STATE:])
    ring = [Signal(intbv(0)[STATE:]) for _ in range(lanes - 1)]
    behind, head = ring[0], ring[-1]
    found2 = coded2 if token2 is None else Signal(intbv(0)[CODED:])
    translate = choose(codes2, symbol2, found2)
    replace = either(token2, token_word2, found2, coded2) if token2 is not None else []
    moves = [move_state(clk, turn, ring[i], ring[i + 1]) for i in range(lanes - 2)]

    @always_comb
    def subtract():
        difference.next = emax - byte

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
    def push():
        pushed.next = (state << length4) | concat(intbv(0)[STATE - 8 :], code4)

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

    @always(clk.posedge)
    def push_stage():
        if turn:
            behind.next = pushed

    @always(clk.posedge)
    def form_stage():
        if go:
            coding2.next = coded and not raw
            plain2.next = coded and raw
            byte2.next = byte
            if operation == HEADER and place == 0:
                plain2.next = True
                byte2.next = emax
            if puts_third and operation == HEADER:  # its byte, if that is not 0
                plain2.next = byte != 0
            symbol2.next = difference[SYMBOL:]
            if difference > ESCAPE:
                symbol2.next = ESCAPE

    @always(clk.posedge)
    def map_stage():
        if go:
            byte3.next = byte2
            plain3.next = coded2[LENGTH + 8]
            length3.next = coded2[LENGTH + 8 : 8]
            code3.next = coded2[8:]
            if not coding2:
                plain3.next = plain2
                length3.next = 0
                code3.next = 0
            if operation2 == HEADER and place == 0:
                byte3.next = name2
                code3.next = byte2

    @always_comb
    def show():
        put.next = concat(head[8:], head[8:])
        keep.next = concat(plain3 and spill, plain3 or spill)
        if operation3 == STORE:
            put.next = concat(head[8:], head[16:8])
            keep.next = 3
        elif operation3 == HEADER and place == 0:
            put.next = concat(code3, byte3)
            keep.next = 3
        elif plain3:
            put.next = concat(head[8:], byte3)

    return instances()


@block
def move_state(clk, turn, state, state_after):
    @always(clk.posedge)
    def move():
        if turn:
            state_after.next = state

    return move
