# SPDX-License-Identifier: Apache-2.0
"""byte_pack: join words of any number of bytes into full words.

Role         last stage of the encoder, behind chunk_assemble
Golden       the concatenation of the bytes
Format       a chunk is bytes without gaps: swmodel/FORMAT.md section 4
Parameters   width: values of a group; a word has four bytes for each
Not done     no register at the output: what is offered is made of what is held and what enters

An entering word is turned by as many bytes as are held. It then stands where it belongs: behind
what is held and, from the lowest byte on, in the word after.
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

from hls.byte_join import turn
from hls.stream import AxiStream, Contract, word_bytes

CONTRACT = Contract(latency=0, interval=1)


def ports(width=1):
    count = word_bytes(width)
    return {
        "s_axis": AxiStream(8 * count, user=1 + (count - 1).bit_length()),
        "m_axis": AxiStream(8 * count, keep=True, user=1),
    }


@block
def byte_pack(clk, rst, s_axis, m_axis, width=1):
    """Pack a word a cycle; a packet's last word takes one more if not all its bytes find room.

    s_axis  in   tuser = {any bit, the same in all words of a packet; bytes of the word, less one};
                 bytes of tdata behind them are 0; tlast ends the packet
    m_axis  out  all bytes but in the packet's last word, whose other bytes are 0; tuser = that bit
    rst     in   synchronous, active high; drops everything in flight
    """
    count = word_bytes(width)
    levels = (count - 1).bit_length()

    held = Signal(modbv(0)[levels:])  # bytes
    flush = Signal(bool(0))  # what is held is the rest of the packet's last word
    reach = Signal(intbv(0)[levels + 1 :])  # bytes held and entering
    full = Signal(bool(0))
    beyond = Signal(bool(0))  # the last word has a rest
    emit = Signal(bool(0))
    move = Signal(bool(0))
    kept = Signal(modbv(0)[levels:])  # bytes of a word that is not full
    keeps = [Signal(bool(0)) for _ in range(count)]

    turned, turns = s_axis.tdata, []
    for level in range(levels):
        turned_more = Signal(intbv(0)[8 * count :])
        turns.append(turn(turned, held(level), turned_more, 8 << level))
        turned = turned_more
    shown = [Signal(intbv(0)[8:]) for _ in range(count)]
    places = [
        hold_byte(clk, k, turned(8 * k + 8, 8 * k), held, kept, flush, full, move, shown[k], keep)
        for k, keep in enumerate(keeps[:-1])
    ]
    last_place = pass_byte(turned(8 * count, 8 * count - 8), flush, full, shown[-1], keeps[-1])
    joined, joined_keep = ConcatSignal(*reversed(shown)), ConcatSignal(*reversed(keeps))

    @always_comb
    def add():
        reach.next = concat(intbv(0)[1:], held) + concat(intbv(0)[1:], s_axis.tuser[levels:]) + 1

    @always_comb
    def look():
        full.next = reach[levels] and not flush
        beyond.next = s_axis.tlast and not flush and reach[levels] and reach[levels:] != 0
        emit.next = s_axis.tlast or reach[levels]
        kept.next = reach[levels:]
        if flush:
            kept.next = held

    @always_comb
    def flow():
        m_axis.tvalid.next = s_axis.tvalid and emit
        s_axis.tready.next = (m_axis.tready or not emit) and not beyond
        move.next = s_axis.tvalid and (m_axis.tready or not emit)

    @always_comb
    def show():
        m_axis.tdata.next = joined
        m_axis.tkeep.next = joined_keep
        m_axis.tlast.next = s_axis.tlast and not beyond
        m_axis.tuser.next = s_axis.tuser[levels + 1 : levels]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if move:
            flush.next = beyond
            held.next = reach[levels:]
            if s_axis.tlast and not beyond:
                held.next = 0

    return instances()


@block
def hold_byte(clk, k, turned, held, kept, flush, full, move, shown, keep):
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
        elif not flush:
            shown.next = turned

    @always(clk.posedge)
    def store():
        if move and (full or not below):
            stored.next = turned

    return instances()


@block
def pass_byte(turned, flush, full, shown, keep):
    """The last byte of the word that leaves; what is held never has so many."""

    @always_comb
    def show():
        keep.next = full
        shown.next = 0
        if not flush:
            shown.next = turned

    return show
