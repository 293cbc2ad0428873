# SPDX-License-Identifier: Apache-2.0
"""chunk_assemble: put the parts of a chunk in order, behind its mode and size.

Role         last stage of the encoder but byte_pack, which closes the gaps
Golden       framed and encode_nonzeros of swmodel/reference/encode.py
Format       swmodel/FORMAT.md section 4
Parameters   fmt: the number format, its raw part a whole number of bytes
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls import code_stack, zero_bitmap
from hls.point import POINT
from hls.stream import AxiStream, Contract
from hls.zero_split import COUNT, INDEX

WORD = 32
LAST_INDEX = POINT.chunk - 1
TAIL = POINT.tail

FORM_CODED = 1  # fields of the mode byte
ZEROS_NONE, ZEROS_ALL, ZEROS_BITMAP = range(3)

# states: the part that leaves; before, what `size` still lacks
IDLE, ADD_CODES, ADD_WORDS, MODE, NUMBER, ZEROS, CODES, RAW, SURPLUS = range(9)

CONTRACT = Contract(latency=4, interval=1)  # from a chunk's totals, zeros and codes to its mode
CHUNK_CYCLES = 4  # beside a cycle for each word that is taken


def ports(fmt):  # noqa: ARG001 # a chunk's size has the same bits for all
    return {
        "s_chunk": AxiStream(COUNT + INDEX),
        "s_zeros": AxiStream(WORD, user=zero_bitmap.PARTS),
        "s_codes": AxiStream(WORD, keep=True, user=code_stack.SIZE),
        "s_raw": AxiStream(WORD, last=False),
        "m_axis": AxiStream(WORD, keep=True, user=1),
    }


@block
def chunk_assemble(clk, rst, s_chunk, s_zeros, s_codes, s_raw, m_axis, fmt):
    """Take a word a cycle; a chunk takes 4 cycles more.

    s_chunk  in   tdata = {nnz, n - 1}; tlast = the frame's last
    s_zeros  in   zero_bitmap's packet for the chunk; dropped if no value or every value is zero
    s_codes  in   code_stack's packet for the chunk: lanes, blocks, codes; none if nnz is 0
    s_raw    in   the chunk's raw bytes in whole words. Its last 4 bytes are in the lanes, so that
                  the last word is dropped, and what the one before has too many of
    m_axis   out  the chunk, tkeep = 1, 3, 7 or 15 in any word; tlast = the chunk's last; tuser =
                  the frame's last chunk, in all words
    rst      in   synchronous, active high; drops everything in flight
    """
    raw_bytes = fmt.raw // 8
    largest = POINT.chunk * raw_bytes + code_stack.LONGEST + WORD // 8 * (2 + zero_bitmap.LONGEST)
    bits = largest.bit_length()

    state = Signal(intbv(IDLE)[4:])
    index = Signal(intbv(0)[INDEX:])  # n - 1
    count = Signal(intbv(0)[COUNT:])  # n
    coded = Signal(bool(0))  # there are non-zeros
    bitmap = Signal(bool(0))  # and zeros
    short = Signal(bool(0))
    mode = Signal(intbv(0)[8:])
    raw_total = Signal(modbv(0)[bits:])  # bytes
    size = Signal(modbv(0)[bits:])
    words = Signal(intbv(0)[zero_bitmap.PARTS :])  # in front of the lanes
    addend = Signal(modbv(0)[bits:])
    raw_left = Signal(modbv(0)[bits - 2 :])  # words of raw parts to pass on
    raw_rest = Signal(intbv(0)[2:])  # bytes of the last of them, 0 for all
    free = Signal(bool(0))
    start = Signal(bool(0))
    leave = Signal(bool(0))

    # the word that leaves
    offer = Signal(bool(0))
    word = Signal(intbv(0)[WORD:])
    keep = Signal(intbv(0)[WORD // 8 :])
    last = Signal(bool(0))
    frame_last = Signal(bool(0))

    product = raw_size(s_chunk.tdata(COUNT + INDEX, INDEX), raw_total, raw_bytes)

    @always_comb
    def look():
        free.next = not m_axis.tvalid or m_axis.tready
        start.next = state == IDLE and s_chunk.tvalid and s_zeros.tvalid

    @always_comb
    def take():
        s_chunk.tready.next = start
        s_zeros.tready.next = state == ZEROS and (free or not bitmap)
        s_codes.tready.next = state == CODES and free
        s_raw.tready.next = (state == RAW and free) or state == SURPLUS

    @always_comb
    def describe():
        count.next = concat(intbv(0)[1:], index) + 1
        short.next = index != LAST_INDEX
        mode.next = FORM_CODED + 4 * ZEROS_NONE
        if not coded:
            mode.next = FORM_CODED + 4 * ZEROS_ALL
        elif bitmap:
            mode.next = FORM_CODED + 4 * ZEROS_BITMAP
        if short:
            mode.next[7] = True

    @always_comb
    def measure():
        words.next = 1
        if bitmap and short:
            words.next = s_zeros.tuser + 2
        elif bitmap:
            words.next = s_zeros.tuser + 1
        elif short:
            words.next = 2

    @always_comb
    def part():
        addend.next = concat(intbv(0)[bits - zero_bitmap.PARTS - 2 :], words, intbv(0)[2:])
        if state == ADD_CODES:
            addend.next = concat(intbv(0)[bits - code_stack.SIZE :], s_codes.tuser)

    @always_comb
    def show():
        offer.next = False
        keep.next = 15
        last.next = False
        word.next = s_raw.tdata
        if state == MODE:
            offer.next = True
            word.next = concat(intbv(0)[WORD - 8 - bits :], size, mode)
            last.next = not coded and not short
        elif state == NUMBER:
            offer.next = True
            word.next = concat(intbv(0)[WORD - COUNT :], count)
            last.next = not coded
        elif state == ZEROS:
            offer.next = s_zeros.tvalid and bitmap
            word.next = s_zeros.tdata
        elif state == CODES:
            offer.next = s_codes.tvalid
            word.next = s_codes.tdata
            keep.next = s_codes.tkeep
            last.next = s_codes.tlast and raw_left == 0
        elif state == RAW:
            offer.next = s_raw.tvalid
            last.next = raw_left == 1
            if raw_left == 1:
                if raw_rest == 1:
                    keep.next = 1
                elif raw_rest == 2:
                    keep.next = 3
                elif raw_rest == 3:
                    keep.next = 7

    @always_comb
    def pass_on():
        leave.next = offer and free

    @always_seq(clk.posedge, reset=rst)
    def proceed():
        if state == IDLE:
            if start:
                state.next = ADD_CODES
                if s_chunk.tdata[COUNT + INDEX : INDEX] == 0:
                    state.next = ADD_WORDS
        elif state == ADD_CODES:
            if s_codes.tvalid:
                state.next = ADD_WORDS
        elif state == ADD_WORDS:
            state.next = MODE
        elif state == MODE:
            if leave:
                state.next = ZEROS
                if short:
                    state.next = NUMBER
        elif state == NUMBER:
            if leave:
                state.next = ZEROS
        elif state == ZEROS:
            if s_zeros.tvalid and s_zeros.tlast and (free or not bitmap):
                state.next = IDLE
                if coded:
                    state.next = CODES
        elif state == CODES:
            if leave and s_codes.tlast:
                state.next = RAW
                if raw_left == 0:
                    state.next = SURPLUS
        elif state == RAW:
            if leave and raw_left == 1:
                state.next = SURPLUS
        elif s_raw.tvalid:
            state.next = IDLE

    @always(clk.posedge)
    def count_down():
        if start:
            index.next = s_chunk.tdata[INDEX:]
            coded.next = s_chunk.tdata[COUNT + INDEX : INDEX] != 0
            bitmap.next = (
                s_chunk.tdata[COUNT + INDEX : INDEX] != 0
                and s_chunk.tdata[COUNT + INDEX : INDEX]
                != concat(intbv(0)[1:], s_chunk.tdata[INDEX:]) + 1
            )
            frame_last.next = s_chunk.tlast
            size.next = 0
            if raw_total > TAIL:
                size.next = raw_total - TAIL
        elif state == ADD_WORDS or (state == ADD_CODES and s_codes.tvalid):
            size.next = size + addend
        if state == ADD_CODES:
            raw_rest.next = size[2:]
            raw_left.next = size[bits:2]
            if size[2:] != 0:
                raw_left.next = size[bits:2] + 1
        elif state == RAW and leave:
            raw_left.next = raw_left - 1

    @always_seq(clk.posedge, reset=rst)
    def offer_word():
        if free:
            m_axis.tvalid.next = offer

    @always(clk.posedge)
    def move():
        if free:
            m_axis.tdata.next = word
            m_axis.tkeep.next = keep
            m_axis.tlast.next = last
            m_axis.tuser.next[0] = frame_last

    return instances()


@block
def raw_size(nonzeros, total, raw_bytes):
    """The bytes of so many raw parts."""
    width = len(total) - len(nonzeros)

    if raw_bytes == 1:

        @always_comb
        def multiply():
            total.next = concat(intbv(0)[width:], nonzeros)

    elif raw_bytes == 3:

        @always_comb
        def multiply():
            total.next = concat(intbv(0)[width:], nonzeros) + concat(
                intbv(0)[width - 1 :], nonzeros, intbv(0)[1:]
            )

    else:
        raise ValueError(f"raw parts of {raw_bytes} bytes")

    return multiply
