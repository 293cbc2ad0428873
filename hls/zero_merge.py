# SPDX-License-Identifier: Apache-2.0
"""zero_merge: put the zeros between the non-zero values.

Role         between raw_join and chunk_check
Golden       read_zeros, and the last step of read_nonzeros, of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4 and 4.1
Parameters   fmt: the number format
Throughput   a value a cycle; a cycle more a chunk, and with a bitmap two every 1024 values
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.chunk_parse import ALL_ZEROS, BITMAP, INDEX
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=2, interval=1)  # of a chunk without a bitmap, else 4


def ports(fmt):
    return {
        "s_zeros": AxiStream(32, last=False),
        "s_bitmap": AxiStream(32, last=False),
        "s_axis": AxiStream(fmt.width, last=False),
        "m_axis": AxiStream(fmt.width, user=2),
    }


@block
def zero_merge(clk, rst, s_zeros, s_bitmap, s_axis, m_axis, fmt):
    """Offer the values of a chunk, zeros and others, in order.

    s_zeros   in   of each chunk {zeros, frame's last, number of values - 1}, then its summary
    s_bitmap  in   the words of the bitmap that are not 0
    s_axis    in   the values that are not zero
    m_axis    out  registered; tuser = {the chunk has a check, its last value}; tlast = frame's last
    rst       in   synchronous, active high
    """
    begun = Signal(bool(0))  # a chunk's first word has been read
    highest = Signal(intbv(0)[INDEX:])  # number of its values, less one
    frame_last = Signal(bool(0))
    all_zeros = Signal(bool(0))
    mapped = Signal(bool(0))
    number = Signal(modbv(0)[INDEX:])  # of the value at hand
    summary = Signal(intbv(0)[32:])  # words to come, the next one lowest
    no_summary = Signal(bool(0))  # it has to be read
    bits = Signal(intbv(0)[32:])  # values to come, the one at hand lowest
    no_bits = Signal(bool(0))  # they have to be read
    bits_here = Signal(bool(0))  # the next word can be
    following = Signal(intbv(0)[32:])

    room = Signal(bool(0))
    zero = Signal(bool(0))
    last = Signal(bool(0))
    step = Signal(bool(0))
    refill = Signal(bool(0))
    used = Signal(bool(0))  # the bitmap's word was read in the cycle before
    none = Signal(intbv(0)[fmt.width :])

    @always_comb
    def look():
        room.next = (
            begun and not no_summary and not no_bits and (m_axis.tready or not m_axis.tvalid)
        )
        zero.next = all_zeros or (mapped and bits[0])
        last.next = number == highest

    @always_comb
    def move():
        s_axis.tready.next = room and not zero
        step.next = room and (zero or s_axis.tvalid)

    @always_comb
    def next_bits():
        bits_here.next = s_bitmap.tvalid or not summary[0]
        following.next = 0
        if summary[0]:
            following.next = s_bitmap.tdata

    @always_comb
    def fetch():
        refill.next = not no_summary and (
            no_bits or (step and mapped and number[5:] == 31 and number[10:] != 1023 and not last)
        )
        s_zeros.tready.next = not begun or no_summary

    @always_comb
    def take_bitmap():
        s_bitmap.tready.next = used

    @always_seq(clk.posedge, reset=rst)
    def control():
        if not begun:
            if s_zeros.tvalid:
                begun.next = True
                no_summary.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == BITMAP
                no_bits.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == BITMAP
        elif no_summary:
            no_summary.next = not s_zeros.tvalid
        elif refill:
            no_bits.next = not bits_here
        elif step and mapped and number[10:] == 1023:
            no_summary.next = True
            no_bits.next = True
        used.next = refill and summary[0] and s_bitmap.tvalid
        if step:
            number.next = number + 1
            if last:
                begun.next = False
                number.next = 0
                no_summary.next = False
                no_bits.next = False

        if step:
            m_axis.tvalid.next = True
        elif m_axis.tready:
            m_axis.tvalid.next = False

    @always(clk.posedge)
    def read():
        if not begun:
            highest.next = s_zeros.tdata[INDEX:]
            frame_last.next = s_zeros.tdata[INDEX]
            all_zeros.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == ALL_ZEROS
            mapped.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == BITMAP
        if no_summary:
            summary.next = s_zeros.tdata
        elif refill and bits_here:
            summary.next = summary >> 1
        if refill:
            bits.next = following
        elif step:
            bits.next = bits >> 1

    @always(clk.posedge)
    def offer():
        if step:
            m_axis.tdata.next = s_axis.tdata
            if zero:
                m_axis.tdata.next = 0
            m_axis.tlast.next = last and frame_last
            m_axis.tuser.next = concat(not all_zeros, last)

    return instances()
