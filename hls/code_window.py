# SPDX-License-Identifier: Apache-2.0
"""code_window: the next two bytes of a chunk's codes, of which none, one or both are taken.

Role         the reader of lane_dec: a refill and an escape's exponent leave in one cycle
Golden       Reader.take in read_exponents of swmodel/reference/decode.py
Format       swmodel/FORMAT.md section 6
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=1, interval=1)


def ports():
    flags = ("start", "coded", "one", "two", "go", "able", "missing", "unread")
    return {
        "s_axis": AxiStream(32, user=3),
        **{name: Signal(bool(0)) for name in flags},
        "first": Signal(intbv(0)[8:]),
        "second": Signal(intbv(0)[8:]),
    }


@block
def code_window(clk, rst, s_axis, start, coded, one, two, go, able, missing, unread, first, second):
    """Show two bytes.

    s_axis   in   words with codes; tuser = {the first two bytes do not count, number of the last
                  byte that does}; tlast = the chunk's last word
    start    in   a chunk begins: forget what is unread
    coded    in   with start: the chunk has codes
    one      in   a byte is to be taken, or two
    two      in   two bytes are to be taken
    go       in   take them at this clock edge, if able
    able     out  they are here, or missing
    missing  out  the chunk has no such bytes
    unread   out  the chunk has bytes that have not been taken
    first    out  the next byte
    second   out  the byte after it
    rst      in   synchronous, active high; forgets everything
    """
    word = Signal(intbv(0)[32:])
    at = Signal(modbv(0)[2:])  # the next byte
    last = Signal(intbv(0)[2:])  # the last that is a code
    full = Signal(bool(0))  # there is a next byte
    more = Signal(bool(0))  # the chunk has another word
    after = Signal(modbv(0)[2:])  # the byte after it
    spent = Signal(bool(0))  # the last byte taken is the word's last
    across = Signal(bool(0))  # or is the next word's first
    load = Signal(bool(0))
    step = Signal(bool(0))

    @always_comb
    def look():
        unread.next = full or more
        after.next = at + 1

    @always_comb
    def weigh():
        spent.next = one and full and ((not two and at == last) or (two and after == last))
        across.next = two and full and at == last

    @always_comb
    def decide():
        missing.next = one and not more and (across or not full)
        able.next = not one or not more or (full and (s_axis.tvalid or not across))

    @always_comb
    def move():
        step.next = go and able

    @always_comb
    def fetch():
        s_axis.tready.next = more and (not full or (go and (spent or across)))
        load.next = s_axis.tvalid and more and (not full or (go and (spent or across)))

    @always_seq(clk.posedge, reset=rst)
    def control():
        if load:
            more.next = not s_axis.tlast
            full.next = not across or s_axis.tuser[2:] != 0
        elif step and (spent or across):
            full.next = False
        if start:
            more.next = coded
            full.next = False

    @always(clk.posedge)
    def advance():
        if load:
            word.next = s_axis.tdata
            last.next = s_axis.tuser[2:]
            at.next = concat(s_axis.tuser[2], across)
        elif step and two:
            at.next = at + 2
        elif step and one:
            at.next = at + 1

    @always_comb
    def show():
        if at == 0:
            first.next = word[8:]
            second.next = word[16:8]
        elif at == 1:
            first.next = word[16:8]
            second.next = word[24:16]
        elif at == 2:
            first.next = word[24:16]
            second.next = word[32:24]
        else:
            first.next = word[32:24]
            second.next = s_axis.tdata[8:]

    return instances()
