# SPDX-License-Identifier: Apache-2.0
"""zero_runs: from a chunk's flags to its part `zeros`, and to the tokens that the lanes code.

Role         between zero_split, code_schedule and chunk_assemble, as zero_bitmap where there are no
             known runs
Golden       choose_zeros of swmodel/reference/choose.py
Format       swmodel/FORMAT.md sections 4.1, 4.2 (known runs) and 8, rules 1 and 5
Parameters   width: W, flags of a group

  flags -+-> zero_pairs -> zero_tokens -+- classes -> token_reverse -> tokens
         |                              +- extra bits      ^ choice
         +-----------------------------------+-> zero_part +---------> part
"""

from __future__ import annotations

from myhdl import always_comb, block

from hls import token_reverse, zero_pairs, zero_part, zero_tokens
from hls.stream import Contract

CONTRACT = Contract(latency=14, interval=1)  # from a chunk's last group to its part
CHUNK_PAUSE = 9  # cycles without a group taken after a chunk's last, if no extra bits wait


def ports(width=1):
    part = zero_part.ports(width)
    return {
        "s_axis": part["s_axis"],
        "s_chunk": part["s_chunk"],
        "m_token": token_reverse.ports(width)["m_axis"],
        "m_axis": part["m_axis"],
    }


@block
def zero_runs(clk, rst, s_axis, s_chunk, m_token, m_axis, width=1):
    """Take W flags a cycle; pause after a chunk's last, and where pairs come close (zero_tokens).

    s_axis   in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the chunk's
                  last
    s_chunk  in   tdata = the chunk's nnz
    m_token  out  token_reverse's packet for the chunk
    m_axis   out  zero_part's packet for the chunk
    rst      in   synchronous, active high; drops everything in flight
    """
    flags, runs, _, choice, _ = zero_part.ports(width).values()
    flags_again, pairs = zero_pairs.ports(width).values()
    _, classes, _ = zero_tokens.ports().values()

    return (
        share(s_axis, flags, flags_again),
        zero_pairs.zero_pairs(clk, rst, flags_again, pairs, width),
        zero_tokens.zero_tokens(clk, rst, pairs, classes, runs),
        zero_part.zero_part(clk, rst, flags, runs, s_chunk, choice, m_axis, width),
        token_reverse.token_reverse(clk, rst, classes, choice, m_token, width),
    )


@block
def share(source, first, second):
    """Two sinks take each word in the same cycle."""

    @always_comb
    def move():
        source.tready.next = first.tready and second.tready
        first.tvalid.next = source.tvalid and second.tready
        second.tvalid.next = source.tvalid and first.tready
        first.tlast.next = source.tlast
        second.tlast.next = source.tlast
        first.tdata.next = source.tdata
        second.tdata.next = source.tdata

    return move
