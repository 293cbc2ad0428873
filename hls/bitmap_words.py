# SPDX-License-Identifier: Apache-2.0
"""bitmap_words: the words of a chunk's bitmap and of its summary, as the flags enter.

Role         front of zero_bitmap and of zero_part, which keep the words
Format       swmodel/FORMAT.md section 4.1
Parameters   width: W, flags of a group
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, instances, intbv, modbv

from hls.point import POINT
from hls.side_by_side import side_by_side

WORD = 32
WORDS = POINT.chunk // WORD  # of a chunk's bitmap
SUMMARIES = WORDS // WORD  # of its summary
WORDS_LOG2 = (WORDS - 1).bit_length()
SUMMARIES_LOG2 = (SUMMARIES - 1).bit_length()
SUMMARY_PAUSE = 1  # cycles without a group taken after those that complete a word of the summary


@block
def bitmap_words(
    clk, rst, s_axis, hold, close, write, word, write_summary, summary, number, complete, width
):
    """Make a word of 32 flags, and one of 32 words.

    s_axis         in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the
                        chunk's last
    hold           in   no flag may enter
    write, word    out  a word that is to be stored: one of the bitmap that is not 0
    write_summary, summary, number
                   out  a word of the summary, and its number
    complete       out  the chunk has been written, `number` is that of its last word of the
                        summary; no flag enters
    close          in   it may be forgotten
    rst            in   synchronous, active high
    """
    turns = WORD // width  # groups of flags in a word
    last = turns - 1

    take = Signal(bool(0))
    position = Signal(modbv(0)[last.bit_length() :])
    filled = [Signal(intbv(0)[width:]) for _ in range(turns)]
    word_done = Signal(bool(0))
    some = Signal(bool(0))  # it is not 0
    word_number = Signal(modbv(0)[WORDS_LOG2:])  # in the chunk
    summary_due = Signal(bool(0))
    ended = Signal(bool(0))  # the chunk's last flag has entered
    closing = Signal(bool(0))  # and its last word is written

    places = [collect(clk, take, position, t, s_axis.tdata, filled[t]) for t in range(turns)]
    whole_word = side_by_side(filled, word)

    @always_comb
    def due():
        # no flag enters now, so that no word is done while the summary is written
        summary_due.next = word_done and (ended or word_number[5:] == WORD - 1)

    @always_comb
    def accept():
        s_axis.tready.next = not (ended or closing or hold or summary_due)
        take.next = s_axis.tvalid and not (ended or closing or hold or summary_due)

    @always_comb
    def store():
        write.next = word_done and some
        complete.next = closing and not write_summary

    @always_seq(clk.posedge, reset=rst)
    def fill():
        word_done.next = False
        if take:
            position.next = position + 1
            word_done.next = s_axis.tlast or position == last
            if s_axis.tlast:
                position.next = 0
                ended.next = True
        if word_done:
            closing.next = ended
            word_number.next = word_number + 1
            if ended:
                ended.next = False
                word_number.next = 0
        write_summary.next = summary_due
        if close:
            closing.next = False

    @always(clk.posedge)
    def look():
        if take:
            some.next = s_axis.tdata != 0 or (some and position != 0)

    @always(clk.posedge)
    def summarize():
        if word_done:
            if word_number[5:] == 0:
                summary.next = 0
            summary.next[word_number[5:]] = some
            number.next = word_number[:5]

    return instances()


@block
def collect(clk, take, position, number, flags, kept):
    """The place of one group of flags in the word; empty when the first group enters."""

    @always(clk.posedge)
    def put():
        if take:
            if position == number:
                kept.next = flags
            elif position == 0:
                kept.next = 0

    return put
