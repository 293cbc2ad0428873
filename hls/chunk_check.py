# SPDX-License-Identifier: Apache-2.0
"""chunk_check: say of each frame whether its values are those that were encoded.

Role         last stage of gradient_dec
Golden       zlib.crc32
Format       swmodel/FORMAT.md section 7
Parameters   fmt: the number format
Throughput   a value a cycle; 2 cycles more a frame, in which its last value waits for the verdict
"""

from __future__ import annotations

from myhdl import Signal, always_comb, always_seq, block, instances, intbv

from hls.chunk_error import CODE_BITS, ChunkError
from hls.crc32 import crc32
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=0, interval=1)  # of a value that is not its frame's last, else 2

WAIT = 2  # cycles of a frame's last value

NONE, CHECK = int(ChunkError.NONE), int(ChunkError.CHECK)


def ports(fmt):
    return {
        "s_axis": AxiStream(fmt.width, user=2),
        "s_check": AxiStream(32 + CODE_BITS, last=False),
        "m_axis": AxiStream(fmt.width, user=CODE_BITS),
        "passed": Signal(bool(0)),
        "halt": Signal(bool(0)),
        "halted": Signal(bool(0)),
        "close": Signal(bool(0)),
        "fault": Signal(intbv(0)[CODE_BITS:]),
    }


@block
def chunk_check(clk, rst, s_axis, s_check, m_axis, passed, halt, halted, close, fault):
    """Pass values on and judge them.

    s_axis   in   values; tuser = {the chunk has a check, its last value}; tlast = frame's last
    s_check  in   of each chunk that has one {a ChunkError that its codes showed, the CRC-32}, there
                  before the chunk's last value is; taken in the cycle after it
    m_axis   out  the same values; tuser = the frame's first ChunkError, in its last word
    passed   out  a chunk's last value moves
    halt     in   what comes next is of a chunk at fault: offer nothing more
    halted   out  and nothing is being offered
    close    in   when halted: end the frame with a word 0, forget its chunk
    fault    in   with close: why, if nothing was found before
    rst      in   synchronous, active high
    """
    take = Signal(bool(0))  # the value counts
    moves = Signal(bool(0))
    offer = Signal(bool(0))
    waiting = Signal(bool(0))  # what is offered was so in the cycle before
    counted = Signal(bool(0))  # the frame's last value is at hand, and has been counted
    judged = Signal(bool(0))  # and the verdict has been found
    fresh = Signal(bool(1))  # the next value is a chunk's first
    due = Signal(bool(0))
    found = Signal(intbv(0)[32:])
    verdict = Signal(intbv(0)[CODE_BITS:])

    remainder = crc32(clk, rst, take, fresh, s_axis.tdata, found)

    @always_comb
    def allow():
        offer.next = (
            s_axis.tvalid and (not s_axis.tlast or judged) and (not halt or waiting)
        ) or close
        halted.next = halt and not waiting

    @always_comb
    def pass_on():
        m_axis.tvalid.next = offer
        m_axis.tdata.next = s_axis.tdata
        if close:
            m_axis.tdata.next = 0
        m_axis.tlast.next = s_axis.tlast or close
        s_axis.tready.next = (
            m_axis.tready and (not s_axis.tlast or judged) and (not halt or waiting)
        )
        moves.next = offer and m_axis.tready

    @always_comb
    def count():
        passed.next = moves and s_axis.tuser[0] and not close
        take.next = s_axis.tvalid and (
            (m_axis.tready and not s_axis.tlast and (not halt or waiting))
            or (s_axis.tlast and not counted and not halt)
        )

    @always_comb
    def tell():
        m_axis.tuser.next = NONE
        if close and verdict == NONE:
            m_axis.tuser.next = fault
        elif close or judged:
            m_axis.tuser.next = verdict

    @always_comb
    def fetch():
        s_check.tready.next = due

    @always_seq(clk.posedge, reset=rst)
    def follow():
        waiting.next = offer and not m_axis.tready
        counted.next = (counted or (take and s_axis.tlast)) and not moves
        judged.next = counted and not moves
        due.next = take and s_axis.tuser == 3
        if close:
            fresh.next = True
        elif take:
            fresh.next = s_axis.tuser[0]

        if moves and (s_axis.tlast or close):
            verdict.next = NONE
        elif due and verdict == NONE:
            if s_check.tdata[:32] != NONE:
                verdict.next = s_check.tdata[:32]
            elif found != s_check.tdata[32:] or not s_check.tvalid:
                verdict.next = CHECK

    return instances()
