# SPDX-License-Identifier: Apache-2.0
"""chunk_parse: take a chunk's packet apart into the streams of the decoder's stages.

Role         first stage of gradient_dec; as far ahead of the others as the queues between allow
Golden       read_chunk, read_zeros and read_blocks of swmodel/reference/decode.py
Format       swmodel/FORMAT.md sections 4 and 5
Parameters   fmt: the number format; tables: the table set, of which only the number counts
Not done     words of codes and raw parts are passed on as they lie: who reads them aligns them
"""

from __future__ import annotations

from myhdl import (
    ConcatSignal,
    Signal,
    always,
    always_comb,
    always_seq,
    block,
    concat,
    enum,
    instances,
    intbv,
    modbv,
)

from hls.chunk_error import CODE_BITS, ChunkError
from hls.point import POINT, RAW
from hls.popcount import add, popcount
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=1, interval=1)

OVERHEAD = 6  # the summary's ones (2), sizes (2), a word with headers and codes, with codes and raw

INDEX = (POINT.chunk - 1).bit_length()  # bits of a value's number in its chunk
LENGTH = 15  # bits that hold the size of every chunk of this point
CODE_BYTES_LOG2 = INDEX + 1  # a value takes two code bytes at most
SHAPE = INDEX + 3  # bits of a word of m_shape

ALL_ZEROS, BITMAP = 1, 2  # `zeros` of the mode byte
CODED, CODED_ALL_ZEROS, CODED_BITMAP = (1 | zeros << 2 for zeros in (0, ALL_ZEROS, BITMAP))

NONE = int(ChunkError.NONE)
E_MODE, E_SIZE, E_COUNT = int(ChunkError.MODE), int(ChunkError.SIZE), int(ChunkError.COUNT)
E_ZEROS, E_LANES = int(ChunkError.ZEROS), int(ChunkError.LANES)
E_BLOCK, E_CODES = int(ChunkError.BLOCK), int(ChunkError.CODES)


def ports():
    return {
        "s_axis": AxiStream(32, keep=True, user=1),
        "m_zeros": AxiStream(32, last=False),
        "m_bitmap": AxiStream(32, last=False),
        "m_lanes": AxiStream(32, last=False),
        "m_shape": AxiStream(SHAPE, last=False),
        "m_codes": AxiStream(32, user=4),
        "m_raw": AxiStream(32, user=2, last=False),
        "begun": Signal(bool(0)),
        "opened": Signal(bool(0)),
        "fault": Signal(intbv(0)[CODE_BITS:]),
        "drained": Signal(bool(0)),
        "resume": Signal(bool(0)),
    }


@block
def chunk_parse(
    clk, rst, s_axis, m_zeros, m_bitmap, m_lanes, m_shape, m_codes, m_raw, begun, opened, fault,
    drained, resume, tables, fmt,
):  # fmt: skip
    """Take a word a cycle; a chunk costs up to OVERHEAD cycles more.

    After a fault the words up to the end of the frame are taken and dropped.

    s_axis    in   a packet is a chunk; tuser = it is its frame's last, read with the first word
    m_zeros   out  of each chunk {zeros, frame's last, number of values - 1}, then its summary
    m_bitmap  out  the words of the bitmap
    m_lanes   out  of each chunk that has blocks the four words of lane states, then the words that
                   hold the blocks' headers
    m_shape   out  of each such chunk, after its lanes {payload bytes that must be 0, it has codes,
                   number of non-zero values - 1}
    m_codes   out  words that hold codes; tuser = {number of the first byte that is one; of the
                   last}; tlast = the chunk's last
    m_raw     out  words that hold raw parts; tuser = number of the first byte that counts
    begun     out  the first word of m_zeros of a chunk moves
    opened    out  the chunk at fault is such a one
    fault     out  a ChunkError: a word that moved was wrong
    drained   out  and all words of its frame have been taken
    resume    in   when drained: begin again, with the next frame
    rst       in   synchronous, active high; the next word begins a packet
    """
    step = enum(
        "MODE",
        "COUNT",
        "SUMMARY",
        "SETTLE",  # the summary's ones are being added
        "BITMAP",
        "LANES",
        "WEIGH",  # what is left for the codes?
        "SHAPE",
        "BLOCKS",
        "CODES",
        "RAW",
        "DROP",
    )
    state = Signal(step.MODE)

    # the word at hand
    word = Signal(intbv(0)[32:])
    keep = Signal(intbv(0)[4:])
    user = Signal(bool(0))
    last = Signal(bool(0))
    full = Signal(bool(0))
    good = Signal(bool(0))  # and nothing wrong has been found before it
    moved = Signal(bool(0))  # it goes where it is offered
    stays = Signal(bool(0))  # and is here again, for the part of the chunk that begins in it
    take = Signal(bool(0))
    faulty = Signal(bool(0))  # a fault has been found
    over = Signal(bool(0))  # the word before was the frame's last
    held = Signal(bool(0))  # the word at hand is of a frame behind a faulty one

    # where in the chunk it lies
    left = Signal(modbv(0)[LENGTH:])  # bytes from this word on, less one
    ends = Signal(bool(0))  # the chunk ends in this word
    alone = Signal(bool(0))  # the chunk is this word, if it is `mode` and `size`
    misframed = Signal(bool(0))  # the packet ends elsewhere
    wrong = Signal(intbv(0)[CODE_BITS:])
    index = Signal(modbv(0)[2:])  # of the word in its part
    stored = Signal(modbv(0)[INDEX - 4 :])  # words of the bitmap to come

    # what has been read
    zeros = Signal(intbv(0)[2:])
    frame_last = Signal(bool(0))
    count_less = Signal(modbv(0)[INDEX:])  # number of values, less one, if the word is `count`
    highest = Signal(intbv(0)[INDEX:])  # number of values, less one
    tail_stored = Signal(bool(0))  # the bitmap's last word is stored
    nonzero = Signal(modbv(0)[INDEX + 1 :])  # number of non-zero values, less one
    all_raw = Signal(intbv(0)[LENGTH:])  # bytes of all raw parts, less one
    raw_bytes = Signal(intbv(0)[LENGTH:])  # the same, but at least those that the lanes hold
    unused = Signal(intbv(0)[2:])  # bytes more that the lanes could hold
    body = Signal(modbv(0)[LENGTH + 1 :])  # bytes from this word to the raw parts
    low = Signal(bool(0))  # they are less than a word
    blocks = Signal(intbv(0)[4:])
    header_bytes = Signal(intbv(0)[LENGTH + 1 :])  # of all blocks
    code_bytes = Signal(modbv(0)[LENGTH + 1 :])  # what is left for the codes
    coded = Signal(bool(0))  # that is some
    missing = Signal(bool(0))  # that is less than none
    excess = Signal(bool(0))  # that is more than a chunk can use
    headers = Signal(modbv(0)[3:])  # of blocks from this word on, less one
    split = Signal(bool(0))  # half of this word was a block's header
    end_byte = Signal(modbv(0)[2:])  # last byte of the word that is a code

    # ones of the bytes that come, of those at hand, of the word at hand, and of the word before
    coming = Signal(intbv(0)[32:])
    came0, came1, came2, came3 = (Signal(intbv(0)[4:]) for _ in range(4))
    ones0, ones1, ones2, ones3 = (Signal(intbv(0)[4:]) for _ in range(4))
    low_ones, high_ones = (Signal(intbv(0)[5:]) for _ in range(2))
    ones = Signal(intbv(0)[6:])
    ones_late = Signal(intbv(0)[INDEX + 1 :])
    ones_valid = Signal(bool(0))
    total_ones = Signal(modbv(0)[INDEX + 1 :])

    limit = Signal(intbv(0)[5:])  # the highest bit that may be set
    tested = Signal(intbv(0)[32:])  # that bit, and those above it
    beyond = Signal(bool(0))  # one of those was set in the word before

    table_count = len(tables)
    tail, per_value = POINT.tail, fmt.raw // 8
    tail_values = tail // per_value  # whose raw parts the lanes hold
    most_unused = tail - per_value
    padding = 32 - INDEX - 3
    nonzero_wide = ConcatSignal(intbv(0)[LENGTH - INDEX :], nonzero(INDEX, 0))
    nonzero_twice = ConcatSignal(intbv(0)[LENGTH - INDEX - 1 :], nonzero(INDEX, 0), True)
    if per_value not in (1, 3) or (fmt.raw % 8, fmt.exponent) != (0, 8):
        raise ValueError("a raw part is one byte or three, an exponent one")
    if (POINT.lanes, POINT.blocks, POINT.tail) != (8, 8, 4):
        raise ValueError("lanes and blocks are eight, the lanes hold four raw bytes")

    # By index: from Python 3.12 on a signal that a comprehension binds is a local of the block, and
    # MyHDL names it after that.
    came = (came0, came1, came2, came3)
    counters = [popcount(coming(8 * i + 8, 8 * i), came[i]) for i in range(4)]

    @always_comb
    def accept():
        coming.next = s_axis.tdata
        take.next = moved and not stays
        s_axis.tready.next = (moved and not stays) or not full

    @always(clk.posedge)
    def hold():
        if take or not full:
            word.next = s_axis.tdata
            keep.next = s_axis.tkeep
            user.next = s_axis.tuser[0]
            last.next = s_axis.tlast
            ones0.next = came0
            ones1.next = came1
            ones2.next = came2
            ones3.next = came3

    adders = (
        add(ones0, ones1, low_ones),
        add(ones2, ones3, high_ones),
        add(low_ones, high_ones, ones),
    )

    # What is wrong with the word.

    @always_comb
    def frame():
        mask = intbv(15)[4:]
        if ends:
            if left[2:] == 0:
                mask[:] = 1
            elif left[2:] == 1:
                mask[:] = 3
            elif left[2:] == 2:
                mask[:] = 7
        alone.next = word[32:8] == 4
        misframed.next = last != ends or keep != mask
        if state == step.MODE:
            misframed.next = (
                last != (word[32:8] == 4)
                or keep != 15
                or word[32 : 8 + LENGTH] != 0
                or word[8 + LENGTH : 10] == 0
            )

    @always_comb
    def choose_limit():
        limit.next = highest[5:]  # the last value's bit in the bitmap
        if state == step.SUMMARY:
            limit.next = highest[10:5]  # that bit's word in the summary

    @always_comb
    def test():
        tested.next = word >> limit

    @always_comb
    def judge():
        wrong.next = NONE
        if state == step.SETTLE:
            if not ones_valid and total_ones == 0:
                wrong.next = E_ZEROS
        elif state == step.SHAPE:
            if missing:
                wrong.next = E_SIZE
            elif excess:
                wrong.next = E_CODES
        elif misframed:
            wrong.next = E_SIZE
        elif state == step.MODE:
            if word[7:] != CODED and word[7:] != CODED_ALL_ZEROS and word[7:] != CODED_BITMAP:
                wrong.next = E_MODE
            elif alone != (word[8:] == CODED_ALL_ZEROS):
                wrong.next = E_SIZE
        elif state == step.COUNT:
            if word[32:INDEX] != 0 or word[INDEX:] == 0 or not frame_last:
                wrong.next = E_COUNT
            elif ends != (zeros == ALL_ZEROS):
                wrong.next = E_SIZE
        elif state == step.SUMMARY:
            if ends:
                wrong.next = E_SIZE
        elif state == step.BITMAP:
            if ends:
                wrong.next = E_SIZE
            elif word == 0:
                wrong.next = E_ZEROS
        elif state == step.LANES:
            if ends:
                wrong.next = E_SIZE
            elif word[16:8] == 0 or word[32:24] == 0:
                wrong.next = E_LANES
            elif index == 2 and nonzero[INDEX]:
                wrong.next = E_ZEROS
        elif state == step.BLOCKS:
            if word[16:8] >= table_count and word[16:] != RAW << 8:
                wrong.next = E_BLOCK
            if headers != 0 and word[32:24] >= table_count and word[32:16] != RAW << 8:
                wrong.next = E_BLOCK

    # Where it goes.

    @always_comb
    def trust():
        good.next = full and not faulty and not beyond
        held.next = faulty and over
        drained.next = faulty and over and state == step.DROP

    @always_comb
    def offer():
        m_zeros.tvalid.next = good and (
            (state == step.MODE and not word[7]) or state == step.COUNT or state == step.SUMMARY
        )
        m_bitmap.tvalid.next = good and state == step.BITMAP
        m_lanes.tvalid.next = good and (state == step.LANES or state == step.BLOCKS)
        m_shape.tvalid.next = state == step.SHAPE and not (missing or excess)
        m_codes.tvalid.next = good and state == step.CODES
        m_raw.tvalid.next = good and state == step.RAW

    @always_comb
    def begin():
        begun.next = (
            full
            and not faulty
            and m_zeros.tready
            and ((state == step.MODE and not word[7]) or state == step.COUNT)
        )

    @always_comb
    def decrement():
        count_less.next = word[INDEX:] - 1
        end_byte.next = 3
        if low:
            end_byte.next = body[2:] - 1

    @always_comb
    def describe():
        if state == step.MODE:
            m_zeros.tdata.next = concat(
                intbv(0)[padding:], word[4:2], user, intbv(2**INDEX - 1)[INDEX:]
            )
        elif state == step.COUNT:
            m_zeros.tdata.next = concat(intbv(0)[padding:], zeros, frame_last, count_less)
        else:
            m_zeros.tdata.next = word
        m_bitmap.tdata.next = word
        m_lanes.tdata.next = word
        m_shape.tdata.next = concat(unused, coded, nonzero[INDEX:])
        m_codes.tdata.next = word
        m_codes.tlast.next = low or body == 4
        m_codes.tuser.next = concat(split, intbv(0)[1:], end_byte)
        m_raw.tdata.next = word
        m_raw.tuser.next = body[2:]

    @always_comb
    def leave():
        moved.next = False
        stays.next = False
        if state == step.MODE:
            moved.next = full and (m_zeros.tready or word[7])
        elif state == step.COUNT or state == step.SUMMARY:
            moved.next = full and m_zeros.tready
        elif state == step.BITMAP:
            moved.next = full and m_bitmap.tready
        elif state == step.LANES:
            moved.next = full and m_lanes.tready
        elif state == step.BLOCKS:
            moved.next = full and m_lanes.tready
            stays.next = headers == 0 and not (ends and left[2:] == 1)
        elif state == step.CODES:
            moved.next = full and m_codes.tready
            stays.next = low and not (ends and left[2:] < body[2:])
        elif state == step.RAW:
            moved.next = full and m_raw.tready
        elif state == step.DROP:
            moved.next = full
        else:
            moved.next = False
        if held:
            moved.next = False

    # What the parts add up to: the codes are what the others leave.

    @always_comb
    def count_blocks():
        blocks.next = nonzero[INDEX:9] + 1

    @always_comb
    def weigh_headers():
        header_bytes.next = concat(intbv(0)[11:], blocks, intbv(0)[1:])

    @always_comb
    def subtract():
        code_bytes.next = body - header_bytes

    if per_value == 1:

        @always_comb
        def multiply():
            all_raw.next = nonzero_wide

    else:

        @always_comb
        def multiply():
            all_raw.next = nonzero_wide + nonzero_twice + 1

    @always(clk.posedge)
    def measure():
        ones_late.next = concat(intbv(0)[INDEX - 5 :], ones)
        if state == step.MODE:
            frame_last.next = user
            zeros.next = word[4:2]
            highest.next = 2**INDEX - 1
        elif state == step.COUNT:
            highest.next = count_less
        elif state == step.SUMMARY:
            tail_stored.next = tested[0]
        else:  # only what is there at the end of the lanes counts
            if index == 1:
                nonzero.next = highest - total_ones
            unused.next = 0
            raw_bytes.next = all_raw
            if nonzero[INDEX:] < tail_values:
                unused.next = most_unused - nonzero[2:]
                raw_bytes.next = tail - 1

    @always_seq(clk.posedge, reset=rst)
    def control():
        beyond.next = (
            moved
            and tested[:1] != 0
            and (
                (state == step.SUMMARY and index == highest[:10])
                or (state == step.BITMAP and stored == 1 and tail_stored)
            )
        )
        ones_valid.next = moved and (state == step.SUMMARY or state == step.BITMAP)
        if ones_valid:
            total_ones.next = total_ones + ones_late
        if take:
            left.next = left - 4
            ends.next = left[:2] == 1
            low.next = body[:2] == 1 or body[:2] == 0
            split.next = False
            body.next = 0
            if not low:
                body.next = body - 4
        else:
            low.next = body[:2] == 0
        if take or not full:
            full.next = s_axis.tvalid
        if take:
            over.next = last and user
        if begun:
            opened.next = True
        elif state == step.MODE and not faulty:
            opened.next = False

        if state == step.MODE:
            index.next = 0
            total_ones.next = 0
            left.next = word[8 + LENGTH : 8] - 5
            ends.next = word[8 + LENGTH : 8] < 9
            if moved:
                if word[7]:
                    state.next = step.COUNT
                elif word[4:2] == BITMAP:
                    state.next = step.SUMMARY
                elif word[4:2] != ALL_ZEROS:
                    state.next = step.LANES
        elif state == step.COUNT:
            if moved:
                state.next = step.LANES
                if zeros == ALL_ZEROS:
                    state.next = step.MODE
                elif zeros == BITMAP:
                    state.next = step.SUMMARY
        elif state == step.SUMMARY:
            if moved:
                index.next = index + 1
                if index == highest[:10]:
                    state.next = step.SETTLE
        elif state == step.SETTLE:
            index.next = 0
            stored.next = total_ones[INDEX - 4 :]
            if not ones_valid:
                total_ones.next = 0
                state.next = step.BITMAP
        elif state == step.BITMAP:
            if moved:
                stored.next = stored - 1
                if stored == 1:
                    state.next = step.LANES
        elif state == step.LANES:
            body.next = left - raw_bytes
            if moved:
                index.next = index + 1
                if index == 3:
                    state.next = step.WEIGH
        elif state == step.WEIGH:
            headers.next = nonzero[INDEX:9]
            coded.next = code_bytes != 0
            missing.next = code_bytes[LENGTH]
            excess.next = code_bytes > 2**CODE_BYTES_LOG2
            state.next = step.SHAPE
        elif state == step.SHAPE:
            if m_shape.tready:
                state.next = step.BLOCKS
        elif state == step.BLOCKS:
            if moved:
                headers.next = headers - 2
                if headers == 0:
                    split.next = True
                if headers[:1] == 0:  # no more of them
                    if coded:
                        state.next = step.CODES
                    elif ends and not stays:
                        state.next = step.MODE
                    else:
                        state.next = step.RAW
        elif state == step.CODES:
            if moved and (low or body == 4):
                state.next = step.RAW
                if ends and not stays:
                    state.next = step.MODE
        elif state == step.RAW and moved and ends:
            state.next = step.MODE

        if resume:
            state.next = step.MODE
            fault.next = NONE
            faulty.next = False
        elif faulty:
            state.next = step.DROP
        elif beyond:
            fault.next = E_ZEROS
            faulty.next = True
        elif moved or state == step.SETTLE or state == step.SHAPE:
            fault.next = wrong
            faulty.next = wrong != NONE

    return instances()
