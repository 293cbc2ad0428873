# SPDX-License-Identifier: Apache-2.0
"""byte_pack: join words of any number of bytes into full words.

Role         last stage of the encoder, behind chunk_assemble
Golden       the concatenation of the bytes
Format       a chunk is bytes without gaps, swmodel/FORMAT.md section 4; what `trailing` leaves out
             of raw parts, section 5.1
Parameters   width: values of a group; a word has four bytes for each; trailing: whether bytes may
             be left out in between
Not done     no register at the output: what is offered is made of what is held and what entered

A word that has entered is turned so that its first byte stands behind what is held; the bytes that
find no room there stand, from the lowest byte on, where they belong in the word after.
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

from hls import raw_strip
from hls.byte_join import turn
from hls.stream import AxiStream, Contract, word_bytes

CONTRACT = Contract(latency=1, interval=1)


def user_bits(width: int, trailing: bool) -> int:
    """Bits of the tuser of s_axis."""
    return 1 + raw_strip.WAY * trailing + 2 * (word_bytes(width) - 1).bit_length()


def ports(width=1, trailing=False):
    count = word_bytes(width)
    return {
        "s_axis": AxiStream(8 * count, user=user_bits(width, trailing)),
        "m_axis": AxiStream(8 * count, keep=True, user=1),
    }


@block
def byte_pack(clk, rst, s_axis, m_axis, width=1, trailing=False):
    """Pack a word a cycle; a packet's last word takes one more if not all its bytes find room.

    s_axis  in   tuser = {any bit, the same in all words of a packet; with trailing the way to strip
                 the word (hls/raw_strip.py); the place of the first of its bytes that count, the
                 number of these less one}, where both are of the word as stripped; the other bytes
                 are anything; tlast ends the packet
    m_axis  out  all bytes but in the packet's last word, whose other bytes are 0; tuser = that bit
    rst     in   synchronous, active high; drops everything in flight
    """
    count = word_bytes(width)
    levels = (count - 1).bit_length()
    top = user_bits(width, trailing) - 1

    # the word that has entered
    filled = Signal(bool(0))
    entered = Signal(intbv(0)[8 * count :])
    ways = Signal(intbv(0)[len(raw_strip.WAYS) :])
    last = Signal(bool(0))
    mark = Signal(bool(0))
    place = Signal(modbv(0)[levels:])  # of its first byte: as many are held
    behind = Signal(modbv(0)[levels:])  # the place for a word behind it
    amount = Signal(modbv(0)[levels:])  # by which it is turned
    reach = Signal(intbv(0)[levels + 1 :])  # bytes held and entered
    flush = Signal(bool(0))  # it has left, but for the rest of the packet's last word

    full = Signal(bool(0))
    beyond = Signal(bool(0))  # the last word has a rest
    emit = Signal(bool(0))
    take = Signal(bool(0))
    free = Signal(bool(0))
    move = Signal(bool(0))
    kept = reach(levels, 0)  # bytes of a word that is not full
    keeps = [Signal(bool(0)) for _ in range(count)]

    stripped = Signal(intbv(0)[8 * count :]) if trailing else entered
    stripping = (
        (keep_way(clk, take, s_axis, ways), raw_strip.raw_strip(entered, ways, stripped))
        if trailing
        else []
    )
    turned, turns = stripped, []
    for level in range(levels):
        turned_more = Signal(intbv(0)[8 * count :])
        turns.append(turn(turned, amount(level), turned_more, 8 << level))
        turned = turned_more
    shown = [Signal(intbv(0)[8:]) for _ in range(count)]
    places = [
        hold_byte(clk, k, turned(8 * k + 8, 8 * k), place, kept, full, move, shown[k], keep)
        for k, keep in enumerate(keeps[:-1])
    ]
    last_place = pass_byte(turned(8 * count, 8 * count - 8), full, shown[-1], keeps[-1])
    joined, joined_keep = ConcatSignal(*reversed(shown)), ConcatSignal(*reversed(keeps))

    @always_comb
    def look():
        full.next = reach[levels] and not flush
        beyond.next = last and not flush and reach[levels] and reach[levels:] != 0
        emit.next = last or reach[levels]
        behind.next = reach[levels:]
        if last:
            behind.next = 0

    @always_comb
    def flow():
        free.next = not filled or ((m_axis.tready or not emit) and not beyond)
        move.next = filled and (m_axis.tready or not emit)

    @always_comb
    def accept():
        s_axis.tready.next = free
        take.next = s_axis.tvalid and free

    @always_comb
    def show():
        m_axis.tvalid.next = filled and emit
        m_axis.tdata.next = joined
        m_axis.tkeep.next = joined_keep
        m_axis.tlast.next = last and not beyond
        m_axis.tuser.next = mark

    @always_seq(clk.posedge, reset=rst)
    def control():
        if free:
            filled.next = s_axis.tvalid
        if take:
            last.next = s_axis.tlast
            place.next = behind
            reach.next = (
                concat(intbv(0)[1:], behind) + concat(intbv(0)[1:], s_axis.tuser[levels:]) + 1
            )
            flush.next = False
        elif move and beyond:
            place.next = reach[levels:]
            flush.next = True

    @always(clk.posedge)
    def enter():
        if take:
            entered.next = s_axis.tdata
            amount.next = behind - s_axis.tuser[2 * levels : levels]
            mark.next = s_axis.tuser[top]

    return instances()


@block
def keep_way(clk, take, s_axis, ways):
    """How the word is stripped, a bit for each way."""
    top = len(s_axis.tuser) - 1
    low = top - raw_strip.WAY

    @always(clk.posedge)
    def keep():
        if take:
            ways.next = 0
            ways.next[s_axis.tuser[top:low]] = True

    return keep


@block
def hold_byte(clk, k, turned, held, kept, full, move, shown, keep):
    """Byte k of the word that leaves, and of what is held."""
    stored = Signal(intbv(0)[8:])
    below = Signal(bool(0))

    @always_comb
    def compare():
        below.next = held > k
        keep.next = full or kept > k

    @always_comb
    def show():
        shown.next = 0
        if below:
            shown.next = stored
        elif keep:
            shown.next = turned

    @always(clk.posedge)
    def store():
        if move and (full or not below):
            stored.next = turned

    return instances()


@block
def pass_byte(turned, full, shown, keep):
    """The last byte of the word that leaves; what is held never has so many."""

    @always_comb
    def show():
        keep.next = full
        shown.next = 0
        if full:
            shown.next = turned

    return show
