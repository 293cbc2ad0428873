# SPDX-License-Identifier: Apache-2.0
"""expand: put zeros between the items of a group; the inverse of compact.

Role         raw_join puts the zeros between the non-zero values
Not done     no registers: where each value comes from is found a cycle before, by `find_sources`
"""

from __future__ import annotations

from myhdl import Signal, always_comb, block, intbv

from hls.choose import pick
from hls.side_by_side import side_by_side
from hls.stream import Contract

CONTRACT = Contract(latency=0, interval=1)


@block
def expand(items, sources, group):
    """Make a group.

    items    in   list of words
    sources  in   list, for each value of the group a bit for each item that it may be
    group    out  the values, 0 where no bit is set
    """
    values = [Signal(intbv(0)[len(items[0]) :]) for _ in items]
    picks = [pick(source, items, value) for source, value in zip(sources, values, strict=True)]
    return picks, side_by_side(values, group)


@block
def find_sources(zeros, sources):
    """Value j, if its flag is not set, is the item behind those of the values before it.

    zeros    in   a flag for each value
    sources  out  list, for value j bits for the items 0 to j
    """
    return [find_source(zeros, j, source) for j, source in enumerate(sources)]


@block
def find_source(zeros, j, source):
    flags = zeros(j + 1, 0)
    ranks = tuple(
        0 if flags_set >> j else 1 << (j - flags_set.bit_count())
        for flags_set in range(1 << (j + 1))
    )

    @always_comb
    def find():
        source.next = ranks[int(flags)]

    return find
