# SPDX-License-Identifier: Apache-2.0
"""byte_pack: join words of one to four bytes into full words.

Role         the encoder's output, and its raw parts on their way to the raw queue
Golden       the concatenation of the bytes
Parameters   without tlast on m_axis there is neither tkeep nor tuser: for who counts words himself
Format       a chunk is bytes without gaps: swmodel/FORMAT.md section 4
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv

from hls.stream import AxiStream, Contract

BYTES = 4

CONTRACT = Contract(latency=1, interval=1)


def ports():
    return {
        "s_axis": AxiStream(8 * BYTES, keep=True, user=1),
        "m_axis": AxiStream(8 * BYTES, keep=True, user=1),
    }


@block
def byte_pack(clk, rst, s_axis, m_axis):
    """Pack a word a cycle; one cycle more where a packet's last bytes need a word of their own.

    s_axis  in   tkeep = 1, 3, 7 or 15 in any word; tlast ends the packet; tuser is the same in all
    m_axis  out  tkeep = 15 but in the packet's last word, whose other bytes are 0
    rst     in   synchronous, active high; drops everything in flight
    """
    held = Signal(intbv(0)[8 * (BYTES - 1) :])  # low bytes first, the others 0
    held_bytes = Signal(intbv(0, min=0, max=BYTES))
    flush = Signal(bool(0))  # a packet has ended, and what is held is its last word
    joined = Signal(intbv(0)[8 * (2 * BYTES - 1) :])
    joined_bytes = Signal(intbv(0, min=0, max=2 * BYTES))
    entering = Signal(intbv(0)[8 * BYTES :])
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
            entering.next[8:] = s_axis.tdata[8:]
            if s_axis.tkeep[1]:
                entering.next[16:8] = s_axis.tdata[16:8]
            if s_axis.tkeep[2]:
                entering.next[24:16] = s_axis.tdata[24:16]
            if s_axis.tkeep[3]:
                entering.next[32:24] = s_axis.tdata[32:24]

    @always_comb
    def align():
        if held_bytes == 0:
            joined.next = concat(intbv(0)[24:], entering)
        elif held_bytes == 1:
            joined.next = concat(intbv(0)[16:], entering, held[8:])
        elif held_bytes == 2:
            joined.next = concat(intbv(0)[8:], entering, held[16:])
        else:
            joined.next = concat(entering, held)

    @always_comb
    def count():
        if s_axis.tkeep[3]:
            joined_bytes.next = held_bytes + 4
        elif s_axis.tkeep[2]:
            joined_bytes.next = held_bytes + 3
        elif s_axis.tkeep[1]:
            joined_bytes.next = held_bytes + 2
        else:
            joined_bytes.next = held_bytes + 1

    @always_comb
    def fullness():
        full.next = joined_bytes[2]

    @always_seq(clk.posedge, reset=rst)
    def control():
        if free:
            m_axis.tvalid.next = flush or (s_axis.tvalid and (full or s_axis.tlast))
            flush.next = False
            if flush:
                held_bytes.next = 0
            elif s_axis.tvalid:
                if s_axis.tlast and joined_bytes <= BYTES:
                    held_bytes.next = 0
                else:
                    held_bytes.next = joined_bytes[2:]
                flush.next = s_axis.tlast and joined_bytes > BYTES

    @always(clk.posedge)
    def data():
        if free:
            m_axis.tdata.next = joined[8 * BYTES :]
            if s_axis.tvalid and not flush:
                if full:
                    held.next = joined[: 8 * BYTES]
                else:
                    held.next = joined[8 * (BYTES - 1) :]

    ends = packet_ends(clk, s_axis, m_axis, held_bytes, joined_bytes, flush, free)

    return instances()


@block
def packet_ends(clk, s_axis, m_axis, held_bytes, joined_bytes, flush, free):
    """The fields of m_axis beside tdata; a stream of full words alone has none."""
    kept_bytes = Signal(intbv(0, min=0, max=2 * BYTES))

    if not hasattr(m_axis, "tlast"):
        return []

    @always_comb
    def choose():
        kept_bytes.next = joined_bytes
        if flush:
            kept_bytes.next = concat(intbv(0)[1:], held_bytes)

    @always(clk.posedge)
    def fields():
        if free:
            m_axis.tlast.next = flush or (s_axis.tlast and joined_bytes <= BYTES)
            m_axis.tkeep.next[0] = True
            m_axis.tkeep.next[1] = kept_bytes >= 2
            m_axis.tkeep.next[2] = kept_bytes >= 3
            m_axis.tkeep.next[3] = kept_bytes >= 4
            if not flush:
                m_axis.tuser.next = s_axis.tuser

    return instances()
