# SPDX-License-Identifier: Apache-2.0
"""zero_flags: which values of a chunk are zero, a group a cycle.

Role         between chunk_parse and raw_join
Golden       read_zeros of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4 and 4.1
Parameters   width: W, values of a group; runs: whether there may be known runs, at width 2 or more
Throughput   a group a cycle; a cycle more a chunk. What waits for the receiver is a queue of two
             groups, so that no path goes through

Words of summary and bitmap stay where they are offered while their bits are looked up.
"""

from __future__ import annotations

from myhdl import (
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

from hls.choose import choose
from hls.chunk_parse import ALL_ZEROS, BITMAP, INDEX, RUNS
from hls.fifo import cut, fifo
from hls.stream import AxiStream, Contract, item_bits

CONTRACT = Contract(latency=2, interval=1)

WORD = 32


def user_bits(width, runs=False):
    """Bits of tuser of a group of values: {the chunk has a check, its last group, values - 1}.

    With runs, above these, whether the chunk's zeros are at fault, which counts in its last group.
    """
    return 2 + item_bits(width) + runs


def ports(width=1, runs=False):
    return {
        "s_zeros": AxiStream(WORD, last=False),
        "s_bitmap": AxiStream(WORD, user=int(runs), last=False),
        "m_axis": AxiStream(width, user=user_bits(width, runs)),
    }


@block
def zero_flags(clk, rst, s_zeros, s_bitmap, m_axis, width=1, runs=False):
    """Offer the flags of all values of a chunk.

    s_zeros   in   of each chunk {zeros, frame's last, number of values - 1}, then its summary
    s_bitmap  in   the words of the bitmap that are not 0; of known runs all words, as of run_bitmap
    m_axis    out  a flag for each value of a group: it is zero, or there is none, as
                   in a frame's last group; tuser = {the chunk has a check, its last group, values
                   less 1}; tlast = frame's last
    rst       in   synchronous, active high
    """
    number_bits = item_bits(width)
    word_bits = 5 - number_bits  # of a group's number in its word
    last_of_word, last_of_summary = WORD // width - 1, WORD**2 // width - 1
    index_bits = INDEX - number_bits
    all_set = 2**width - 1

    begun = Signal(bool(0))  # a chunk's first word has been read
    highest = Signal(intbv(0)[INDEX:])  # number of its values, less one
    frame_last = Signal(bool(0))
    all_zeros = Signal(bool(0))
    mapped = Signal(bool(0))
    number = Signal(modbv(0)[index_bits:])  # of the group at hand
    stored = Signal(bool(0))  # its word is
    bits = Signal(intbv(0)[width:])  # of the bitmap
    flags = Signal(intbv(0)[width:])
    absent = Signal(intbv(0)[width:]) if width > 1 else 0
    last = Signal(bool(0))
    known = Signal(bool(0))
    step = Signal(bool(0))
    word_ends = Signal(bool(0))
    summary_ends = Signal(bool(0))
    user = Signal(intbv(0)[user_bits(width, runs) :])
    every = Signal(bool(0)) if runs else False  # all words are stored
    looked = AxiStream(width, user=user_bits(width, runs))
    queue = fifo(clk, rst, looked, m_axis, 2)

    groups = [Signal(intbv(0)[width:]) for _ in range(WORD // width)]
    cuts = [cut(s_bitmap.tdata, group, width * (i + 1)) for i, group in enumerate(groups)]
    picked = choose(groups, number(word_bits, 0), bits)

    @always_comb
    def look_up():
        stored.next = every or (mapped and s_zeros.tdata[number[word_bits + 5 : word_bits]])

    @always_comb
    def look():
        known.next = (s_zeros.tvalid or not mapped) and (s_bitmap.tvalid or not stored)
        last.next = number == highest[INDEX:number_bits]

    @always_comb
    def move():
        looked.tvalid.next = begun and known
        step.next = begun and known and looked.tready
        word_ends.next = number[word_bits:] == last_of_word or last
        summary_ends.next = number[word_bits + 5 :] == last_of_summary or last

    @always_comb
    def fetch():
        s_zeros.tready.next = not begun or (mapped and step and summary_ends)
        s_bitmap.tready.next = stored and step and word_ends

    @always_comb
    def flag():
        flags.next = absent
        if all_zeros:
            flags.next = all_set
        elif stored:
            flags.next = bits | absent

    @always_seq(clk.posedge, reset=rst)
    def control():
        if not begun:
            begun.next = s_zeros.tvalid
        elif step and last:
            begun.next = False
        if step:
            number.next = number + 1
            if last:
                number.next = 0

    @always(clk.posedge)
    def read():
        if not begun:
            highest.next = s_zeros.tdata[INDEX:]
            frame_last.next = s_zeros.tdata[INDEX]
            all_zeros.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == ALL_ZEROS
            mapped.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == BITMAP

    @always_comb
    def offer():
        looked.tdata.next = flags
        looked.tuser.next = user
        looked.tlast.next = last and frame_last

    if width == 1:

        @always_comb
        def describe():
            user.next = concat(not all_zeros, last)

    else:
        most = width - 1
        absents = tuple(2**width - 2**count for count in range(1, width + 1))
        items = Signal(intbv(0)[number_bits:])  # values of the group, less one

        @always_comb
        def count():
            items.next = most
            if last:
                items.next = highest[number_bits:]

        @always_comb
        def find_absent():
            absent.next = absents[int(items)]

        if runs:

            @always_comb
            def describe():
                user.next = concat(every and s_bitmap.tuser[0], not all_zeros, last, items)

            @always(clk.posedge)
            def read_kind():
                if not begun:
                    every.next = s_zeros.tdata[INDEX + 3 : INDEX + 1] == RUNS

        else:

            @always_comb
            def describe():
                user.next = concat(not all_zeros, last, items)

    return instances()
