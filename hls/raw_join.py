# SPDX-License-Identifier: Apache-2.0
"""raw_join: join each exponent with its sign and mantissa.

Role         between lane_dec and zero_merge
Golden       the last loop of read_nonzeros in swmodel/reference/decode.py
Format       swmodel/FORMAT.md section 5.1
Parameters   fmt: the number format; a raw part is one byte or three
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=1, interval=1)

BYTE, TRIPLE = 1, 3  # bytes of a raw part


def ports(fmt):
    return {
        "s_exponents": AxiStream(fmt.exponent, user=3, last=False),
        "s_raw": AxiStream(32, user=2, last=False),
        "s_tail": AxiStream(32, last=False),
        "m_axis": AxiStream(fmt.width, last=False),
    }


@block
def raw_join(clk, rst, s_exponents, s_raw, s_tail, m_axis, fmt):
    """Make a value as soon as its exponent and its raw part are there.

    A word of s_raw whose first bytes do not count takes a cycle in which no value needs it.

    s_exponents  in   tuser = how many exponents follow in the chunk, 5 for more
    s_raw        in   words of raw parts; tuser = number of the first byte that counts, not 0 in the
                      first word of a chunk only
    s_tail       in   the chunk's last four raw bytes, which are not in s_raw
    m_axis       out  the non-zero values; registered
    rst          in   synchronous, active high
    """
    hold = Signal(intbv(0)[24:])  # bytes of the word before, the next one lowest
    held = Signal(modbv(0)[2:])  # how many
    need = Signal(intbv(0)[2:])  # bytes of s_raw for the value at hand
    ending = Signal(bool(0))  # it is the chunk's last that needs any
    tail_needed = Signal(bool(0))
    empty = Signal(bool(0))  # the word is needed for it
    skip = Signal(bool(0))  # the word is a chunk's first, with bytes that do not count
    here = Signal(bool(0))  # the value can be made
    room = Signal(bool(0))  # and offered
    step = Signal(bool(0))
    load = Signal(bool(0))
    used = Signal(modbv(0)[2:])  # bytes of the word that leave now
    part = Signal(intbv(0)[fmt.raw :])

    size = fmt.raw // 8
    sign, mantissa = fmt.raw - 1, fmt.mantissa

    if size == TRIPLE:

        @always_comb
        def demand():
            need.next = 3
            if s_exponents.tuser == 1:
                need.next = 2
            elif s_exponents.tuser == 0:
                need.next = 0
            ending.next = s_exponents.tuser == 1
            tail_needed.next = s_exponents.tuser < 2

        @always_comb
        def select():
            if held == 0:
                part.next = s_raw.tdata[24:]
            elif held == 1:
                part.next = concat(s_raw.tdata[16:], hold[8:])
            elif held == 2:
                part.next = concat(s_raw.tdata[8:], hold[16:])
            else:
                part.next = hold
            if s_exponents.tuser == 0:
                part.next = s_tail.tdata[32:8]
            elif s_exponents.tuser == 1:
                part.next[24:16] = s_tail.tdata[8:]

    elif size == BYTE:

        @always_comb
        def demand():
            need.next = 0
            if s_exponents.tuser >= 4:
                need.next = 1
            ending.next = s_exponents.tuser == 4
            tail_needed.next = s_exponents.tuser < 4

        @always_comb
        def select():
            part.next = s_raw.tdata[8:]
            if s_exponents.tuser == 0:
                part.next = s_tail.tdata[32:24]
            elif s_exponents.tuser == 1:
                part.next = s_tail.tdata[24:16]
            elif s_exponents.tuser == 2:
                part.next = s_tail.tdata[16:8]
            elif s_exponents.tuser == 3:
                part.next = s_tail.tdata[8:]
            elif held != 0:
                part.next = hold[8:]

    else:
        raise ValueError(f"a raw part of {fmt.raw} bits is neither one byte nor three")

    @always_comb
    def weigh():
        empty.next = held < need
        skip.next = held == 0 and s_raw.tuser != 0
        used.next = size - held
        if held == 0 and s_raw.tuser != 0:
            used.next = s_raw.tuser

    @always_comb
    def look():
        room.next = m_axis.tready or not m_axis.tvalid
        here.next = (
            s_exponents.tvalid
            and (not empty or (s_raw.tvalid and not skip))
            and (not tail_needed or s_tail.tvalid)
        )

    @always_comb
    def move():
        s_exponents.tready.next = (
            room
            and (not empty or (s_raw.tvalid and not skip))
            and (not tail_needed or s_tail.tvalid)
        )
        s_tail.tready.next = room and s_exponents.tvalid and s_exponents.tuser == 0
        s_raw.tready.next = skip or (
            room and empty and s_exponents.tvalid and (not tail_needed or s_tail.tvalid)
        )
        step.next = room and here
        load.next = s_raw.tvalid and (skip or (room and empty and here))

    @always_seq(clk.posedge, reset=rst)
    def count():
        if load:
            held.next = -used
        elif step and need != 0:
            held.next = held - size
        if step and ending:
            held.next = 0
        if room:
            m_axis.tvalid.next = here

    @always(clk.posedge)
    def keep():
        if load:
            if used == 1:
                hold.next = s_raw.tdata[32:8]
            elif used == 2:
                hold.next = concat(intbv(0)[8:], s_raw.tdata[32:16])
            else:
                hold.next = concat(intbv(0)[16:], s_raw.tdata[32:24])
        elif step and need != 0:
            hold.next = hold >> 8
        if room:
            m_axis.tdata.next = concat(part[sign], s_exponents.tdata, part[mantissa:])

    return instances()
