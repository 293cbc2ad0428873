# SPDX-License-Identifier: Apache-2.0
"""chunk_check: compare the CRC-32 of a chunk's values with that which came in its lanes.

Role         last stage of gradient_dec
Golden       zlib.crc32
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format
"""

from __future__ import annotations

from myhdl import Signal, always_comb, always_seq, block, instances, intbv

from hls.crc32 import crc32
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=0, interval=1)


def ports(fmt):
    return {
        "s_axis": AxiStream(fmt.width, user=2),
        "s_check": AxiStream(32, last=False),
        "m_axis": AxiStream(fmt.width),
        "mismatch": Signal(bool(0)),
    }


@block
def chunk_check(clk, rst, s_axis, s_check, m_axis, mismatch):
    """Pass values on and check them.

    s_axis    in   values; tuser = {the chunk has a check, its last value}; tlast = frame's last
    s_check   in   of each chunk that has one the CRC-32, there before the chunk's last value is;
                   taken in the cycle after it
    m_axis    out  the same values in the same cycles
    mismatch  out  in the cycle after a chunk's last value: it was not what had been encoded
    rst       in   synchronous, active high
    """
    take = Signal(bool(0))
    fresh = Signal(bool(1))  # the next value is a chunk's first
    due = Signal(bool(0))
    found = Signal(intbv(0)[32:])

    remainder = crc32(clk, rst, take, fresh, s_axis.tdata, found)

    @always_comb
    def pass_on():
        m_axis.tvalid.next = s_axis.tvalid
        m_axis.tdata.next = s_axis.tdata
        m_axis.tlast.next = s_axis.tlast
        s_axis.tready.next = m_axis.tready
        take.next = s_axis.tvalid and m_axis.tready

    @always_seq(clk.posedge, reset=rst)
    def follow():
        due.next = take and s_axis.tuser == 3
        if take:
            fresh.next = s_axis.tuser[0]

    @always_comb
    def compare():
        s_check.tready.next = due
        mismatch.next = due and (found != s_check.tdata or not s_check.tvalid)

    return instances()
