# SPDX-License-Identifier: Apache-2.0
"""chunk_reverse: give each packet of exponents back, last group to first.

Role         between table choice and lane_enc, which codes a chunk backwards
Golden       reversed()
Format       swmodel/FORMAT.md section 6 (encoding)
Parameters   width: W, exponents of a group

One memory of a chunk's size: a packet is written into the room that the one before it leaves, in
the direction in which that one is being read.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, instances, intbv, modbv

from hls.point import POINT
from hls.ram import ram
from hls.stream import AxiStream, Contract, item_bits

EXPONENT = 8

CONTRACT = Contract(latency=3, interval=1)  # from a packet's last group to the same on m_axis
PACKET_PAUSE = 2  # cycles between full packets, as each is written behind the one before


def ports(width=1):
    size = item_bits(width)
    return {
        "s_axis": AxiStream(width * EXPONENT, user=size),
        "m_axis": AxiStream(width * EXPONENT, user=size, last=False),
    }


@block
def chunk_reverse(clk, rst, s_axis, m_axis, width=1):
    """Reverse packets of 1 to 4096 exponents; a group stays as it is.

    s_axis  in   tlast = the packet's last group; tuser = items less one, if W > 1: all but in that
                 group. While a packet leaves, the next may enter behind it; once that has entered
                 it waits for the first to leave
    m_axis  out  the groups of the packet, its last first; who reads knows how many
    rst     in   synchronous, active high; drops everything in flight
    """
    depth = POINT.chunk // width
    last = depth - 1
    place_bits = last.bit_length()

    # Both sides count upwards. What a count means as an address turns with each packet; `turned`
    # is what it means for the packet that enters, and so for the one that leaves in front of it.
    turned = Signal(bool(0))
    writing = Signal(modbv(0)[place_bits:])
    reading = Signal(modbv(0)[place_bits:])
    entered = Signal(bool(0))  # a whole packet waits
    leaving = Signal(bool(0))
    behind = Signal(bool(0))  # there is room
    take = Signal(bool(0))
    turn = Signal(bool(0))
    read = Signal(bool(0))
    write_address = Signal(modbv(0)[place_bits:])
    opposite = Signal(modbv(0)[place_bits:])
    read_address = Signal(modbv(0)[place_bits:])

    memory = ram(clk, take, write_address, s_axis.tdata, read, read_address, m_axis.tdata, depth)
    if width > 1:
        sizes = keep_size(clk, take, s_axis.tuser, turn, read, m_axis.tuser)

    @always_comb
    def find_room():
        behind.next = not leaving or writing != reading  # the one that writes never overtakes

    @always_comb
    def accept():
        s_axis.tready.next = not entered and behind
        take.next = s_axis.tvalid and not entered and behind

    @always_comb
    def depart():
        read.next = leaving and (not m_axis.tvalid or m_axis.tready)
        turn.next = entered and not leaving

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
        if turn:
            entered.next = False
            leaving.next = True
            turned.next = not turned
            reading.next = opposite + 1  # where the packet's last group is
            writing.next = 0
        if read:
            reading.next = reading + 1
            if reading == last:
                leaving.next = False

    @always_seq(clk.posedge, reset=rst)
    def show():
        if read:
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    return instances()


@block
def keep_size(clk, take, size, turn, read, size_shown):
    """Only the group that enters last and leaves first may have fewer items than others."""
    bits = len(size)
    all_items = 2**bits - 1
    entered_size = Signal(intbv(0)[bits:])
    next_size = Signal(intbv(0)[bits:])  # of the group that leaves next

    @always(clk.posedge)
    def move():
        if take:
            entered_size.next = size
        if turn:
            next_size.next = entered_size
        elif read:
            next_size.next = all_items
        if read:
            size_shown.next = next_size

    return move
