# SPDX-License-Identifier: Apache-2.0
"""chunk_check: say of each frame whether its values are those that were encoded.

Role         last stage of gradient_dec
Golden       zlib.crc32
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format; width: W, values of a group; runs: whether there may be known
             runs
Throughput   a group a cycle; wait(fmt) cycles more a frame, in which its last group waits
             for the verdict, and one for each byte that this group lacks: the check counts them as
             zeros, and takes them off again
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

from hls.chunk_error import CODE_BITS, ChunkError
from hls.crc32 import LATENCY, crc32
from hls.point import NumberFormat
from hls.stream import AxiStream, Contract, item_bits
from hls.zero_flags import user_bits

CONTRACT = Contract(latency=0, interval=1)  # of a group that is not its frame's last, else the wait

NONE, CHECK, ZEROS = int(ChunkError.NONE), int(ChunkError.CHECK), int(ChunkError.ZEROS)


def wait(fmt: NumberFormat, lacking: int = 0) -> int:
    """Cycles of a frame's last group, which lacks so many values."""
    return 1 + LATENCY + lacking * fmt.width // 8


def ports(fmt, width=1, runs=False):
    return {
        "s_axis": AxiStream(width * fmt.width, user=user_bits(width, runs)),
        "s_check": AxiStream(32 + CODE_BITS, last=False),
        "m_axis": AxiStream(width * fmt.width, keep=width > 1, user=CODE_BITS),
        "passed": Signal(bool(0)),
        "halt": Signal(bool(0)),
        "halted": Signal(bool(0)),
        "close": Signal(bool(0)),
        "fault": Signal(intbv(0)[CODE_BITS:]),
    }


@block
def chunk_check(
    clk, rst, s_axis, s_check, m_axis, passed, halt, halted, close, fault, fmt, width=1, runs=False
):
    """Pass values on and judge them.

    s_axis   in   groups of values; tuser = {the chunk has a check, its last group, values less 1},
                  with runs {the chunk's zeros are at fault} above these; tlast = frame's last
    s_check  in   of each chunk that has one {a ChunkError that its codes showed, the CRC-32}, there
                  before the chunk's last value is; taken when that has been counted
    m_axis   out  the same values; tkeep marks them by the byte; tuser = the frame's first
                  ChunkError, in its last word
    passed   out  a chunk's last group moves
    halt     in   what comes next is of a chunk at fault: offer nothing more
    halted   out  and nothing is being offered
    close    in   when halted: end the frame with a word that means nothing, forget its chunk
    fault    in   with close: why, if nothing was found before
    rst      in   synchronous, active high
    """
    last_flag, check_flag = user_bits(width) - 2, user_bits(width) - 1

    take = Signal(bool(0))  # the group counts
    moves = Signal(bool(0))
    leaves = Signal(bool(0))  # the frame's last word does
    offer = Signal(bool(0))
    free = Signal(bool(0))  # what comes next may be offered
    waiting = Signal(bool(0))  # what is offered was so in the cycle before
    counted = Signal(bool(0))  # the frame's last group is at hand, and has been counted
    judged = Signal(bool(0))  # and the verdict has been found
    fresh = Signal(bool(1))  # the next group is a chunk's first
    found = Signal(intbv(0)[32:])
    verdict = Signal(intbv(0)[CODE_BITS:])
    end_starts = Signal(bool(0))  # the frame's last group counts
    end_here = Signal(bool(0))  # and has been counted
    due_starts = Signal(bool(0))  # that of a chunk with a check does
    due_here = Signal(bool(0))
    spoilt_starts = Signal(bool(0))  # its zeros are at fault
    spoilt_here = Signal(bool(0)) if runs else False

    if width == 1:
        lacks = False
        remainder = crc32(clk, rst, take, fresh, s_axis.tdata, found)
    else:
        lacks = Signal(bool(0))  # zeros are to be taken off the check
        settling = settle(clk, s_axis, m_axis, take, end_here, lacks, fmt, width)
        remainder = crc32(clk, rst, take, fresh, s_axis.tdata, found, lacks)
    followed = [(end_starts, end_here), (due_starts, due_here)]
    if runs:
        followed.append((spoilt_starts, spoilt_here))
    ways = [go_on(clk, rst, starts, lacks, leaves, here) for starts, here in followed]

    @always_comb
    def allow():
        free.next = (not s_axis.tlast or judged) and (not halt or waiting)
        offer.next = (
            s_axis.tvalid and (not s_axis.tlast or judged) and (not halt or waiting)
        ) or close
        halted.next = halt and not waiting

    @always_comb
    def pass_on():
        m_axis.tvalid.next = offer
        m_axis.tdata.next = s_axis.tdata
        m_axis.tlast.next = s_axis.tlast or close
        s_axis.tready.next = m_axis.tready and free
        moves.next = offer and m_axis.tready
        leaves.next = offer and m_axis.tready and (s_axis.tlast or close)

    @always_comb
    def count():
        counted.next = judged or end_here
        passed.next = moves and s_axis.tuser[last_flag] and not close
        take.next = s_axis.tvalid and (
            (m_axis.tready and not s_axis.tlast and (not halt or waiting))
            or (s_axis.tlast and not counted and not halt)
        )

    @always_comb
    def look():
        end_starts.next = take and s_axis.tlast
        due_starts.next = take and s_axis.tuser[last_flag] and s_axis.tuser[check_flag]

    if runs:

        @always_comb
        def look_at_zeros():
            spoilt_starts.next = s_axis.tuser[check_flag + 1]

    @always_comb
    def tell():
        m_axis.tuser.next = NONE
        if close and verdict == NONE:
            m_axis.tuser.next = fault
        elif close or judged:
            m_axis.tuser.next = verdict

    @always_comb
    def fetch():
        s_check.tready.next = due_here and not lacks

    @always_seq(clk.posedge, reset=rst)
    def follow():
        waiting.next = offer and not m_axis.tready
        judged.next = ((end_here and not lacks) or judged) and not leaves
        if close:
            fresh.next = True
        elif take:
            fresh.next = s_axis.tuser[last_flag]

        if leaves:
            verdict.next = NONE
        elif due_here and not lacks and verdict == NONE:
            if s_check.tdata[:32] != NONE:
                verdict.next = s_check.tdata[:32]
            elif spoilt_here:
                verdict.next = ZEROS
            elif found != s_check.tdata[32:] or not s_check.tvalid:
                verdict.next = CHECK

    return instances()


@block
def go_on(clk, rst, before, stays, clear, flag):
    @always_seq(clk.posedge, reset=rst)
    def move():
        flag.next = (before or (flag and stays)) and not clear

    return move


@block
def settle(clk, s_axis, m_axis, take, end_here, lacks, fmt, width):
    """Say which bytes there are, and take one for each that lacks off the check."""
    number_bits, value_bytes = item_bits(width), fmt.width // 8
    byte_bits = (value_bytes - 1).bit_length()
    keeps = tuple((1 << value_bytes * count) - 1 for count in range(1, width + 1))
    items, lacking = (Signal(intbv(0)[number_bits:]) for _ in range(2))
    left = Signal(modbv(0)[number_bits + byte_bits :])

    @always_comb
    def look():
        items.next = s_axis.tuser[number_bits:]
        lacking.next = ~s_axis.tuser[number_bits:]
        lacks.next = end_here and left != 0

    @always_comb
    def mark():
        m_axis.tkeep.next = keeps[int(items)]

    @always(clk.posedge)
    def count():
        if take:
            left.next = concat(lacking, intbv(0)[byte_bits:])
        elif end_here and left != 0:
            left.next = left - 1

    return instances()
