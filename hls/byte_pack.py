# SPDX-License-Identifier: Apache-2.0
"""byte_pack: join words of one to four units of bytes into full words.

Role         the encoder's output, and its raw parts on their way to the raw queue
Golden       the concatenation of the bytes
Parameters   unit: bytes of a unit; without tlast on m_axis there is neither tkeep nor tuser: for
             who counts words himself
Format       a chunk is bytes without gaps: swmodel/FORMAT.md section 4
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv

from hls.stream import AxiStream, Contract

UNITS = 4  # of a word

CONTRACT = Contract(latency=1, interval=1)


def ports(unit=1):
    return {
        "s_axis": AxiStream(8 * unit * UNITS, keep=True, user=1),
        "m_axis": AxiStream(8 * unit * UNITS, keep=True, user=1),
    }


@block
def byte_pack(clk, rst, s_axis, m_axis, unit=1):
    """Pack a word a cycle; one cycle more where a packet's last bytes need a word of their own.

    s_axis  in   tkeep = 1 to 4 whole units in any word; tlast ends the packet; tuser is the same in
                 all
    m_axis  out  all units but in the packet's last word, whose other bytes are 0
    rst     in   synchronous, active high; drops everything in flight
    """
    one, two, three, four = (8 * unit * n for n in range(1, UNITS + 1))  # bits of so many units
    second, third, fourth = (unit * n for n in range(1, UNITS))  # bytes that they begin with

    held = Signal(intbv(0)[three:])  # low bytes first, the others 0
    held_units = Signal(intbv(0, min=0, max=UNITS))
    flush = Signal(bool(0))  # a packet has ended, and what is held is its last word
    joined = Signal(intbv(0)[three + four :])
    joined_units = Signal(intbv(0, min=0, max=2 * UNITS))
    entering = Signal(intbv(0)[four:])
    free = Signal(bool(0))
    full = Signal(bool(0))

    @always_comb
    def flow():
        free.next = not m_axis.tvalid or m_axis.tready
        s_axis.tready.next = (not m_axis.tvalid or m_axis.tready) and not flush

    @always_comb
    def mask():
        entering.next = 0
        if not flush:
            entering.next[one:] = s_axis.tdata[one:]
            if s_axis.tkeep[second]:
                entering.next[two:one] = s_axis.tdata[two:one]
            if s_axis.tkeep[third]:
                entering.next[three:two] = s_axis.tdata[three:two]
            if s_axis.tkeep[fourth]:
                entering.next[four:three] = s_axis.tdata[four:three]

    @always_comb
    def align():
        if held_units == 0:
            joined.next = concat(intbv(0)[three:], entering)
        elif held_units == 1:
            joined.next = concat(intbv(0)[two:], entering, held[one:])
        elif held_units == 2:
            joined.next = concat(intbv(0)[one:], entering, held[two:])
        else:
            joined.next = concat(entering, held)

    @always_comb
    def count():
        if s_axis.tkeep[fourth]:
            joined_units.next = held_units + 4
        elif s_axis.tkeep[third]:
            joined_units.next = held_units + 3
        elif s_axis.tkeep[second]:
            joined_units.next = held_units + 2
        else:
            joined_units.next = held_units + 1

    @always_comb
    def fullness():
        full.next = joined_units[2]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if free:
            m_axis.tvalid.next = flush or (s_axis.tvalid and (full or s_axis.tlast))
            flush.next = False
            if flush:
                held_units.next = 0
            elif s_axis.tvalid:
                if s_axis.tlast and joined_units <= UNITS:
                    held_units.next = 0
                else:
                    held_units.next = joined_units[2:]
                flush.next = s_axis.tlast and joined_units > UNITS

    @always(clk.posedge)
    def data():
        if free:
            m_axis.tdata.next = joined[four:]
            if s_axis.tvalid and not flush:
                if full:
                    held.next = joined[:four]
                else:
                    held.next = joined[three:]

    ends = packet_ends(clk, s_axis, m_axis, held_units, joined_units, flush, free, unit)

    return instances()


@block
def packet_ends(clk, s_axis, m_axis, held_units, joined_units, flush, free, unit):
    """The fields of m_axis beside tdata; a stream of full words alone has none."""
    one, two, three, four = ((1 << n * unit) - 1 for n in range(1, UNITS + 1))
    kept_units = Signal(intbv(0, min=0, max=2 * UNITS))

    if not hasattr(m_axis, "tlast"):
        return []

    @always_comb
    def choose():
        kept_units.next = joined_units
        if flush:
            kept_units.next = concat(intbv(0)[1:], held_units)

    @always(clk.posedge)
    def fields():
        if free:
            m_axis.tlast.next = flush or (s_axis.tlast and joined_units <= UNITS)
            m_axis.tkeep.next = one
            if kept_units >= 4:
                m_axis.tkeep.next = four
            elif kept_units == 3:
                m_axis.tkeep.next = three
            elif kept_units == 2:
                m_axis.tkeep.next = two
            if not flush:
                m_axis.tuser.next = s_axis.tuser

    return instances()
