# SPDX-License-Identifier: Apache-2.0
"""zero_pairs: the distance and the run of every run of zeros in a chunk.

Role         between zero_split and what codes zeros as runs, whose tokens these are
Golden       find_runs of swmodel/reference/zeros.py
Format       swmodel/FORMAT.md section 4.2: numbers of tokens, less one
Parameters   width: W, flags of a group
Not done     the choice against the bitmap: a chunk may have up to 2048 pairs

A group ends up to W / 2 runs. Small tables, of the group's flags and of whether a run is open, say
what to add to the distance and the run that are being counted, and what to begin with behind the
first that ends. A group that ends two goes through them again, without the flags of the first.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.point import POINT
from hls.stream import AxiStream, Contract

NUMBER = (POINT.chunk - 1).bit_length()  # bits of a token's number, less one
NONE = (1 << NUMBER) - 1  # counts as -1: the run of which no zero has come

CONTRACT = Contract(latency=2, interval=1)  # from the group in which a run ends to its pair
# Cycles without a group taken after a chunk's last; 1 more if it ends two runs and opens a third
CHUNK_PAUSE = 3  # cycles without a group taken after a chunk's last that ends no two runs


def scan(index, width):
    """What a group does: `index` = {a run is open, flags}.

    Returns the distance and the run that it adds to what is being counted, or to the pair that ends
    first; those that are counted behind that, and whether a run is open; the flags that are still
    to be looked at if another pair ends; whether any does.
    """
    flags, running = index % (1 << width), bool(index >> width)
    distance = run = 0
    for j in range(width):
        if flags >> j & 1:
            run, running = run + 1, True
        elif running:
            rest = flags >> j << j  # what is left out, and the value here, count as distance
            _, behind, open_after, _, again = scan(rest, width)
            if again:
                return (distance, run), (-j - 1, 0), False, rest, True
            return (distance, run), (behind[0] - j - 1, behind[1]), open_after, 0, True
        else:
            distance += 1
    return (distance, run), (distance, run), running, 0, False


def ports(width=1):
    return {"s_axis": AxiStream(width), "m_axis": AxiStream(2 * NUMBER)}


@block
def zero_pairs(clk, rst, s_axis, m_axis, width=1):
    """Take W flags a cycle; one cycle more if a group ends two runs.

    s_axis  in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the chunk's
                 last
    m_axis  out  a packet a chunk: its pairs, tdata = {run, distance}, the tokens' numbers less one;
                 then, with tlast, a word with the number of pairs
    rst     in   synchronous, active high; drops everything in flight
    """
    scans = [scan(index, width) for index in range(2 << width)]
    distances = tuple(added for (added, _), *_ in scans)
    runs = tuple(added for (_, added), *_ in scans)
    next_distances = tuple(distance % (NONE + 1) for _, (distance, _), *_ in scans)
    next_runs = tuple((run - 1) % (NONE + 1) for _, (_, run), *_ in scans)
    opens = tuple(int(running) for _, _, running, *_ in scans)
    rests = tuple(rest for *_, rest, _ in scans)
    ends = tuple(int(one) for *_, one in scans)
    small = width.bit_length()

    # the group that has entered; behind a chunk's last, one without zeros, which ends an open run
    flags = Signal(intbv(0)[width:])
    filled = Signal(bool(0))
    last = Signal(bool(0))
    behind = Signal(bool(0))
    closing = Signal(bool(0))  # only the number of pairs has not left
    index = Signal(intbv(0)[width + 1 :])

    # what is being counted
    distance = Signal(modbv(0)[NUMBER:])
    run = Signal(modbv(NONE)[NUMBER:])
    running = Signal(bool(0))
    pairs = Signal(modbv(0)[NUMBER:])

    # what the group does to it
    more_distance = Signal(intbv(0)[small:])
    more_run = Signal(intbv(0)[small:])
    distance_sum = Signal(modbv(0)[NUMBER:])
    run_sum = Signal(modbv(0)[NUMBER:])
    ends_one = Signal(bool(0))  # a run ends; then this is being counted
    after_distance = Signal(intbv(0)[NUMBER:])
    after_run = Signal(intbv(0)[NUMBER:])
    after_running = Signal(bool(0))
    rest = Signal(intbv(0)[width:])
    again = Signal(bool(0))  # another ends

    free = Signal(bool(0))
    step = Signal(bool(0))
    close = Signal(bool(0))

    @always_comb
    def look_up():
        index.next = concat(running, flags)

    @always_comb
    def scan_distance():
        more_distance.next = distances[int(index)]

    @always_comb
    def scan_run():
        more_run.next = runs[int(index)]

    @always_comb
    def scan_end():
        ends_one.next = ends[int(index)]

    @always_comb
    def scan_after_distance():
        after_distance.next = next_distances[int(index)]

    @always_comb
    def scan_after_run():
        after_run.next = next_runs[int(index)]

    @always_comb
    def scan_after():
        after_running.next = opens[int(index)]

    @always_comb
    def scan_rest():
        rest.next = rests[int(index)]

    @always_comb
    def add():
        distance_sum.next = distance + concat(intbv(0)[NUMBER - small :], more_distance)
        run_sum.next = run + concat(intbv(0)[NUMBER - small :], more_run)

    @always_comb
    def flow():
        free.next = not m_axis.tvalid or m_axis.tready
        step.next = filled and (not m_axis.tvalid or m_axis.tready)
        close.next = closing and (not m_axis.tvalid or m_axis.tready)
        again.next = rest != 0

    @always_comb
    def accept():
        s_axis.tready.next = not closing and (
            not filled or (step and not (again or last or behind))
        )

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if s_axis.tready:
            filled.next = s_axis.tvalid
        if step and last and not again:
            behind.next = True
        elif step and behind:
            behind.next = False
            filled.next = False
        if step:
            closing.next = behind
        elif close:
            closing.next = False

    @always(clk.posedge)
    def load():
        if s_axis.tready:
            flags.next = s_axis.tdata
            last.next = s_axis.tlast
        elif step:
            flags.next = rest
            last.next = last and again

    @always_seq(clk.posedge, reset=rst)
    def go_on():
        if close:
            distance.next = 0
        elif step:
            distance.next = distance_sum
            run.next = run_sum
            running.next = after_running
            if ends_one:
                distance.next = after_distance
                run.next = after_run

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if free:
            m_axis.tvalid.next = (step and ends_one) or close
        if close:
            pairs.next = 0
        elif step and ends_one:
            pairs.next = pairs + 1

    @always(clk.posedge)
    def move():
        if free:
            m_axis.tlast.next = close
            m_axis.tdata.next = concat(run_sum, distance_sum)
            if close:
                m_axis.tdata.next = concat(intbv(0)[NUMBER:], pairs)

    return instances()
