# SPDX-License-Identifier: Apache-2.0
"""chunk_reverse: give each packet of exponents back last to first.

Role         between table choice and lane_enc, which codes a chunk backwards
Golden       reversed()
Format       swmodel/FORMAT.md section 6 (encoding)
Parameters   one memory of a chunk's size: a packet is written into the room that the one before it
             leaves, in the direction in which that one is being read
"""

from __future__ import annotations

from myhdl import Signal, always_comb, always_seq, block, instances, modbv

from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract

EXPONENT = 8
DEPTH = POINT.chunk
LAST = DEPTH - 1
PLACE = LAST.bit_length()

CONTRACT = Contract(latency=3, interval=1)  # from a packet's last word to the same on m_axis
PACKET_PAUSE = 2  # cycles between full packets, as each is written behind the one before


def ports():
    return {"s_axis": AxiStream(EXPONENT), "m_axis": AxiStream(EXPONENT, last=False)}


@block
def chunk_reverse(clk, rst, s_axis, m_axis):
    """Reverse packets of 1 to 4096 words.

    s_axis  in   tlast = the packet's last word. While a packet leaves, the next may enter behind
                 it; once that has entered it waits for the first to leave
    m_axis  out  the words of the packet, its last first; who reads knows how many
    rst     in   synchronous, active high; drops everything in flight
    """
    # Both sides count upwards. What a count means as an address turns with each packet; `turned`
    # is what it means for the packet that enters, and so for the one that leaves in front of it.
    turned = Signal(bool(0))
    writing = Signal(modbv(0)[PLACE:])
    reading = Signal(modbv(0)[PLACE:])
    entered = Signal(bool(0))  # a whole packet waits
    leaving = Signal(bool(0))
    take = Signal(bool(0))
    read = Signal(bool(0))
    write_address = Signal(modbv(0)[PLACE:])
    opposite = Signal(modbv(0)[PLACE:])
    read_address = Signal(modbv(0)[PLACE:])

    memory = ram(clk, take, write_address, s_axis.tdata, read, read_address, m_axis.tdata, DEPTH)

    @always_comb
    def accept():
        s_axis.tready.next = not entered and (not leaving or writing < reading)
        take.next = s_axis.tvalid and not entered and (not leaving or writing < reading)

    @always_comb
    def depart():
        read.next = leaving and (not m_axis.tvalid or m_axis.tready)

    @always_comb
    def addresses():
        opposite.next = ~writing
        write_address.next = writing
        read_address.next = reading
        if turned:
            write_address.next = ~writing
            read_address.next = ~reading

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if take:
            writing.next = writing + 1
            entered.next = s_axis.tlast
        if entered and not leaving:
            entered.next = False
            leaving.next = True
            turned.next = not turned
            reading.next = opposite + 1  # where the packet's last word is
            writing.next = 0
        if read:
            reading.next = reading + 1
            if reading == LAST:
                leaving.next = False

    @always_seq(clk.posedge, reset=rst)
    def show():
        if read:
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    return instances()
