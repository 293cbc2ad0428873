# SPDX-License-Identifier: Apache-2.0
"""zero_pairs: the distance and the run of every run of zeros in a chunk.

Role         between zero_split and what codes zeros as runs, whose tokens these are
Golden       find_runs of swmodel/reference/zeros.py
Format       swmodel/FORMAT.md section 4.2: numbers of tokens, less one
Parameters   width: W, flags of a group
Not done     the choice against the bitmap: a chunk may have up to 2048 pairs

A group ends up to W / 2 runs. The first continues the distance and the run that are being counted,
any other lies in the group: small tables, of the group's flags and of whether a run is open, say
what to add and what to begin with.
"""

from __future__ import annotations

from myhdl import Signal, always, always_comb, always_seq, block, concat, instances, intbv, modbv

from hls.point import POINT
from hls.stream import AxiStream, Contract

NUMBER = (POINT.chunk - 1).bit_length()  # bits of a token's number, less one
NONE = (1 << NUMBER) - 1  # counts as -1: the run of which no zero has come

CONTRACT = Contract(latency=2, interval=1)  # from the group in which a run ends to its pair
# Cycles without a group taken after a chunk's last and one more; 1 more if that ends two runs and
# opens a third
CHUNK_PAUSE = 3


def scan(index, width):
    """What a group does: `index` = {a run is open, flags}.

    Returns the pairs that end in it and what is being counted after it, each (distance, run); of
    the first that is there, how much the group adds.
    """
    flags, running = index % (1 << width), bool(index >> width)
    pairs, distance, run = [], 0, 0
    for j in range(width):
        if flags >> j & 1:
            run, running = run + 1, True
        elif running:
            pairs.append((distance, run))
            distance, run, running = 0, 0, False
        else:
            distance += 1
    return pairs, (distance, run), running


def ports(width=1):
    return {"s_axis": AxiStream(width), "m_axis": AxiStream(2 * NUMBER)}


@block
def zero_pairs(clk, rst, s_axis, m_axis, width=1):
    """Take W flags a cycle; one cycle more while a group ends two runs and a pair still waits.

    s_axis  in   tdata = value j is zero, in bit j, 0 for one that is absent; tlast = the chunk's
                 last
    m_axis  out  a packet a chunk: its pairs, tdata = {run, distance}, the tokens' numbers less one;
                 then, with tlast, a word with the number of pairs
    rst     in   synchronous, active high; drops everything in flight
    """
    scans = [scan(index, width) for index in range(2 << width)]
    firsts = [(pairs or [count])[0] for pairs, count, _ in scans]
    seconds = [(pairs[1:] or [(0, 1)])[0] for pairs, _, _ in scans]
    first_distances = tuple(distance for distance, _ in firsts)
    first_runs = tuple(run for _, run in firsts)
    second_distances = tuple(distance for distance, _ in seconds)
    second_runs = tuple(run - 1 for _, run in seconds)
    ends = tuple(int(bool(pairs)) for pairs, _, _ in scans)
    end_twice = tuple(int(len(pairs) > 1) for pairs, _, _ in scans)
    next_distances = tuple(distance for _, (distance, _), _ in scans)
    next_runs = tuple((run - 1) % (NONE + 1) for _, (_, run), _ in scans)
    opens = tuple(int(running) for _, _, running in scans)
    small = width.bit_length()

    # the group that has entered; behind a chunk's last, one without zeros, which ends an open run
    flags = Signal(intbv(0)[width:])
    filled = Signal(bool(0))
    last = Signal(bool(0))
    later_flags = Signal(intbv(0)[width:])  # of the group that waits behind it
    later = Signal(bool(0))  # there is one
    later_last = Signal(bool(0))
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
    other_distance = Signal(intbv(0)[small:])
    other_run = Signal(intbv(0)[small:])
    one = Signal(bool(0))  # a run ends
    two = Signal(bool(0))  # another does
    after_distance = Signal(intbv(0)[small:])
    after_run = Signal(intbv(0)[NUMBER:])
    after_running = Signal(bool(0))
    distance_sum = Signal(modbv(0)[NUMBER:])
    run_sum = Signal(modbv(0)[NUMBER:])

    # a pair that waits for those before it
    waiting = Signal(bool(0))
    waiting_pair = Signal(intbv(0)[2 * NUMBER :])
    free = Signal(bool(0))
    step = Signal(bool(0))
    room = Signal(bool(0))  # for another group
    close = Signal(bool(0))

    @always_comb
    def look_up():
        index.next = concat(running, flags)

    @always_comb
    def scan_first():
        more_distance.next = first_distances[int(index)]

    @always_comb
    def scan_first_run():
        more_run.next = first_runs[int(index)]

    @always_comb
    def scan_ends():
        one.next = ends[int(index)]

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
    def scan_second():
        other_distance.next = second_distances[int(index)]

    @always_comb
    def scan_second_run():
        other_run.next = second_runs[int(index)]

    @always_comb
    def scan_twice():
        two.next = end_twice[int(index)]

    @always_comb
    def add():
        distance_sum.next = distance + concat(intbv(0)[NUMBER - small :], more_distance)
        run_sum.next = run + concat(intbv(0)[NUMBER - small :], more_run)

    @always_comb
    def flow():
        free.next = not m_axis.tvalid or m_axis.tready
        step.next = filled and (
            not one or ((not m_axis.tvalid or m_axis.tready) and not (waiting and two))
        )
        close.next = closing and (not m_axis.tvalid or m_axis.tready) and not waiting

    @always_comb
    def accept():
        s_axis.tready.next = not later
        room.next = not closing and (not filled or (step and not last and not behind))

    @always_seq(clk.posedge, reset=rst)
    def enter():
        if room:
            filled.next = later or s_axis.tvalid
            later.next = False
        elif s_axis.tvalid:
            later.next = True
        if step and last:
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
        if not later:
            later_flags.next = s_axis.tdata
            later_last.next = s_axis.tlast
        if room:
            flags.next = s_axis.tdata
            last.next = s_axis.tlast
            if later:
                flags.next = later_flags
                last.next = later_last
        elif step:
            flags.next = 0
            last.next = False

    @always_seq(clk.posedge, reset=rst)
    def go_on():
        if close:
            distance.next = 0
        elif step:
            distance.next = distance_sum
            run.next = run_sum
            running.next = after_running
            if one:
                distance.next = concat(intbv(0)[NUMBER - small :], after_distance)
                run.next = after_run

    @always_seq(clk.posedge, reset=rst)
    def offer():
        if free:
            m_axis.tvalid.next = waiting or (step and one) or close
            waiting.next = step and (two or (waiting and one))
        if close:
            pairs.next = 0
        elif free and (waiting or (step and one)):
            pairs.next = pairs + 1

    @always(clk.posedge)
    def move():
        if free:
            m_axis.tlast.next = close
            m_axis.tdata.next = concat(run_sum, distance_sum)
            if close:
                m_axis.tdata.next = concat(intbv(0)[NUMBER:], pairs)
            elif waiting:
                m_axis.tdata.next = waiting_pair
            waiting_pair.next = concat(
                intbv(0)[NUMBER - small :], other_run, intbv(0)[NUMBER - small :], other_distance
            )
            if waiting:
                waiting_pair.next = concat(run_sum, distance_sum)

    return instances()
