# SPDX-License-Identifier: Apache-2.0
"""lane_column: a column of lane_dec, every `width`-th lane and the steps of a value.

Role         part of lane_dec: as many as values in a group
Format       swmodel/FORMAT.md section 6, decoding
Parameters   rounds: lanes of the column, and registers of its ring; together: a refill and an
             exponent are taken in one cycle
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

from hls.code_tables import LIMITED, PLANES
from hls.point import MAX_LENGTH

STATE = 16  # bits of a lane


@block
def lane_column(
    clk, rst, move, step, entering, enters, live, raw, limits, escape, biases, orders, emax,
    absent, parted, blocked, refill_byte, exponent_byte,
    leaves, spell, refill, wants, takes, blocks, exponent, negative, rounds, together,
):  # fmt: skip
    """Decode the item of this column of each group.

    The lanes go round: x0, where the codeword is measured; x1, where it is dropped and the state
    refilled; registers without a step. The symbol follows behind: its index in x1, then itself.

    move           in   bytes are taken at this clock edge
    step           in   and the group goes on; else items that have all their bytes are done
    entering       in   another lane takes the place of the one that comes round
    enters         in   that lane
    live           in   the group in x0 has this item
    raw            in   it is of a raw block
    limits         in   of its table, as escape (hls/code_tables.py)
    biases         in   of the table of the group in x1
    orders         in   of the table of the group behind it
    emax           in   of the block of that group
    absent         in   the group in x1 lacks this item
    parted         in   the group in x1 has been there before
    blocked        in   an item before this must take another byte first
    refill_byte    in   what it takes for its state
    exponent_byte  in   what it takes as its exponent
    leaves         out  the lane that comes round
    spell          out  it takes its exponent
    refill         out  if together: it takes a byte for its state
    wants          out  if not: it takes a byte, unless it is blocked
    takes          out  if not: it does
    blocks         out  this item or one before must take another byte
    exponent       out  of the group behind the one behind x1
    negative       out  it is
    rst            in   synchronous, active high
    """
    x0, x1 = (Signal(intbv(0)[STATE:]) for _ in range(2))
    size1 = Signal(intbv(0)[3:])  # the codeword's length, less one
    coded1 = Signal(bool(0))  # it is to be dropped
    refill1 = Signal(bool(0))  # then a byte is needed
    escape1 = Signal(bool(0))  # then, or instead, an exponent
    both1 = Signal(bool(0))  # both are needed; if one is, `wants` is set
    part2 = Signal(intbv(0)[8:])  # the exponent, or the codeword's index
    spelt2 = Signal(bool(0))  # it is the exponent

    done = Signal(bool(0))  # it is there, though its group is still in x1
    size0 = Signal(intbv(0)[3:])
    short0, escape0 = (Signal(bool(0)) for _ in range(2))
    shifted, result, back = (Signal(intbv(0)[STATE:]) for _ in range(3))
    code1, bias1 = (Signal(intbv(0)[PLANES:]) for _ in range(2))
    index1 = Signal(modbv(0)[PLANES:])
    symbol2 = Signal(intbv(0)[PLANES:])
    index2 = part2(PLANES, 0)
    base3 = Signal(intbv(0)[8:])
    down3 = Signal(intbv(0)[PLANES:])  # what is subtracted from it

    # over[n - 1]: the codeword is longer than n bits; its first bit is the state's lowest
    flags, compares, at = [Signal(bool(0)) for _ in LIMITED], [], 0
    for n in LIMITED:
        leading = ConcatSignal(False, *(x0(i) for i in range(n)))
        compares.append(reaches(leading, limits(at + n + 1, at), flags[n - 1]))
        at += n + 1
    over = ConcatSignal(*reversed(flags))
    taken0 = ConcatSignal(over, True)  # a one for each bit of the codeword
    byte0 = ConcatSignal(*(x0(i) for i in range(MAX_LENGTH)))
    turned = ConcatSignal(*(x1(i) for i in range(MAX_LENGTH)))
    b0, b1, b2, b3 = biases
    s0, s1, s2, s3 = orders

    waiting, before = [], result
    for _ in range(rounds - 2):
        after = Signal(intbv(0)[STATE:])
        waiting.append(wait(clk, step, before, after))
        before = after
    come_back = before
    final = come_back if rounds > 2 else x1  # the lane's last value has been through x1 by then

    # x0: how long is the codeword, is it the escape, does the state then need a byte?

    @always_comb
    def measure():
        size0.next = 0
        if over[3]:
            size0.next[2] = True
            size0.next[1] = over[5]
            size0.next[0] = (over[4] and not over[5]) or over[6]
        else:
            size0.next[1] = over[1]
            size0.next[0] = (over[0] and not over[1]) or over[2]

    @always_comb
    def compare():
        short0.next = (x0[STATE:8] & ~taken0) == 0
        escape0.next = ((byte0 ^ escape[8:]) & escape[16:8]) == 0

    # x1: drop it and refill the state; which of its length is it?

    if together:

        @always_comb
        def ask():
            refill.next = refill1
            spell.next = escape1
            blocks.next = blocked
            done.next = parted and not (coded1 or escape1)

    else:

        @always_comb
        def ask():
            spell.next = wants and not refill1 and not blocked
            takes.next = wants and not blocked
            blocks.next = blocked or both1
            done.next = parted and not (coded1 or wants)

    @always_comb
    def drop():
        shifted.next = x1 >> (size1 + 1)

    @always_comb
    def put():
        result.next = x1
        if coded1 and not blocked:
            result.next = shifted
            if refill1:
                result.next = concat(shifted[8:], refill_byte)

    @always_comb
    def come():
        back.next = come_back
        leaves.next = final

    @always_comb
    def find_code():
        if size1 == 0:
            code1.next = concat(intbv(0)[3:], turned[7])
        elif size1 == 1:
            code1.next = concat(intbv(0)[2:], turned[8:6])
        elif size1 == 2:
            code1.next = concat(intbv(0)[1:], turned[8:5])
        elif size1 == 3:
            code1.next = turned[8:4]
        elif size1 == 4:
            code1.next = turned[7:3]
        elif size1 == 5:
            code1.next = turned[6:2]
        elif size1 == 6:
            code1.next = turned[5:1]
        else:
            code1.next = turned[4:]

    @always_comb
    def find_bias():
        bias1.next = concat(b3[size1], b2[size1], b1[size1], b0[size1])

    @always_comb
    def find_index():
        index1.next = code1 + bias1

    # Behind: what does it say?

    @always_comb
    def find_symbol():
        symbol2.next = concat(s3[index2], s2[index2], s1[index2], s0[index2])

    @always_comb
    def finish():
        negative.next = base3 < concat(intbv(0)[8 - PLANES :], down3)
        exponent.next = base3 - concat(intbv(0)[8 - PLANES :], down3)

    @always(clk.posedge)
    def ring():
        if step:
            x0.next = back
            if entering:
                x0.next = enters
            x1.next = x0
            size1.next = size0
        elif move:
            x1.next = result

    @always_seq(clk.posedge, reset=rst)
    def flags_of_values():
        if step:
            coded1.next = live and not raw
            refill1.next = live and not raw and short0
        elif move and not blocked:
            coded1.next = False
            refill1.next = False

    if together:

        @always_seq(clk.posedge, reset=rst)
        def flags_of_bytes():
            if step:
                escape1.next = live and (raw or escape0)
            elif move:
                escape1.next = False

    else:

        @always_seq(clk.posedge, reset=rst)
        def flags_of_bytes():
            if step:
                wants.next = live and (raw or escape0 or short0)
                both1.next = live and not raw and escape0 and short0
            elif move and not blocked:
                wants.next = both1
                both1.next = False

    @always(clk.posedge)
    def follow():
        if move:
            if spell:
                part2.next = exponent_byte
            elif not done:
                part2.next = concat(intbv(0)[8 - PLANES :], index1)
            spelt2.next = spell or absent or (done and spelt2)
            base3.next = emax
            down3.next = symbol2
            if spelt2:
                base3.next = part2
                down3.next = 0

    return instances()


@block
def reaches(leading, limit, flag):
    """Compare the first bits of a codeword with a limit."""

    @always_comb
    def compare():
        flag.next = leading >= limit

    return compare


@block
def wait(clk, step, before, after):
    """A register of the ring without a step."""

    @always(clk.posedge)
    def hold():
        if step:
            after.next = before

    return hold
