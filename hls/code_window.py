# SPDX-License-Identifier: Apache-2.0
"""code_window: the next bytes of a chunk's codes, dealt to those slots that take one.

The bytes lie in `held`, the next one lowest, at least as many as there are slots. A grain, as many
bytes again, is joined to them as soon as so many have been taken that it fits; a word is a few
grains. A chunk whose codes begin within a grain drops the bytes before as if they had been taken.

Role         the reader of lane_dec: what the values of a group need leaves in one cycle
Golden       Reader.take in read_exponents of swmodel/reference/decode.py
Format       swmodel/FORMAT.md section 6
Parameters   width: values of a group; a slot for each, but two for one
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

from hls.choose import choose, pick
from hls.fifo import cut
from hls.stream import AxiStream, Contract

CONTRACT = Contract(latency=4, interval=1)  # from start to the first bytes taken


def slots_of(width: int) -> int:
    """How many bytes can be taken at once."""
    return max(2, width)


def place_bits(width: int) -> int:
    """Bits of a byte's number in a word."""
    return (4 * width - 1).bit_length()


def ports(width=1):
    slots = slots_of(width)
    names = ("start", "coded", "cleared", "needed", "go", "able", "missing", "unread")
    return {
        "s_axis": AxiStream(32 * width, user=2 * place_bits(width)),
        **{name: Signal(bool(0)) for name in names},
        "want": Signal(intbv(0)[slots - 1 :]),
        "take": Signal(intbv(0)[slots:]),
        "dealt": Signal(intbv(0)[8 * slots :]),
    }


@block
def code_window(
    clk, rst, s_axis, start, coded, cleared, needed, go, able, missing, unread, want, take, dealt,
    width=1,
):  # fmt: skip
    """Deal bytes.

    s_axis   in   words with codes; tuser = {number of the first byte that is one, which counts in
                  a chunk's first word; of the last, which counts in its last}; tlast = that word
    start    in   a chunk begins: forget what is unread, drop what is left of the one before
    coded    in   with start: the chunk has codes
    cleared  out  nothing is being dropped: a chunk may begin
    needed   in   bytes may be taken; if low, none is
    go       in   take bytes at this clock edge, if able
    able     out  they are here, or missing, or not needed
    missing  out  the chunk has no such bytes
    unread   out  the chunk has bytes that have not been taken
    want     in   of all slots but the last, the first lowest: it wants a byte
    take     in   of all slots: it takes one, which those before it that want one do as well
    dealt    out  the byte of each slot that takes one
    rst      in   synchronous, active high; forgets everything
    """
    slots = len(take)
    depth = 2 * slots - 1  # bytes that can be held
    grains = 4 * width // slots  # of a word
    low, bits = (slots - 1).bit_length(), place_bits(width)

    step_of = enum("SEEK", "FILL", "SKIP", "DEAL", encoding="one_hot")
    state = Signal(step_of.DEAL)
    held = Signal(intbv(0)[8 * depth :])
    count = Signal(modbv(0)[low + 1 :])  # bytes of them that are the chunk's
    more = Signal(bool(0))  # the chunk has a grain that is not held
    place = Signal(modbv(0)[bits - low :])  # of the next grain in its word
    skip = Signal(intbv(0)[low:])  # bytes of the first grain to drop

    here = Signal(bool(0))  # that grain is here, or there is none
    grain = Signal(intbv(0)[8 * slots :])
    closing = Signal(bool(0))  # it is the chunk's last
    size = Signal(intbv(0)[low + 1 :])  # its bytes
    number = Signal(intbv(0)[low + 1 :])  # of slots that take a byte
    number_flags = Signal(intbv(0)[slots + 1 :])  # the same, one-hot
    drop = Signal(intbv(0)[low + 1 :])  # bytes to be dropped, if the grain is here
    shift = Signal(intbv(0)[slots + 1 :])  # the same, one-hot, if anything moves
    grown = Signal(modbv(0)[low + 1 :])  # bytes held, the grain's included
    left, joined_left = (Signal(modbv(0)[low + 1 :]) for _ in range(2))  # without, and with it
    offset = Signal(intbv(0)[slots:])  # bytes held above a grain's, one-hot
    moves = Signal(bool(0))  # bytes are dropped
    wanted = Signal(bool(0))  # the grain, if there is one
    load = Signal(bool(0))
    stale = Signal(bool(0))  # the words are of a chunk that is over

    ones = tuple(i.bit_count() for i in range(1 << slots))
    count_low = count(low, 0)
    parts = [Signal(intbv(0)[8 * slots :]) for _ in range(grains)]
    cuts = [cut(s_axis.tdata, part, 8 * slots * (i + 1)) for i, part in enumerate(parts)]
    picked = choose(parts, place, grain)

    # What is held, with the grain joined to it.
    joined, picks = [], []
    for i in range(3 * slots - 1):
        if i < slots:
            joined.append(held(8 * i + 8, 8 * i))
            continue
        candidates = []
        for above in range(slots):
            at = i - slots - above
            if at < 0 and i < depth:
                candidates.append(held(8 * i + 8, 8 * i))
            elif 0 <= at < slots:
                candidates.append(grain(8 * at + 8, 8 * at))
            else:
                candidates.append(0)
        joined.append(Signal(intbv(0)[8:]))
        picks.append(pick(offset, candidates, joined[-1]))

    # That, less the bytes that leave.
    kept = [Signal(intbv(0)[8:]) for _ in range(depth)]
    for i, byte in enumerate(kept):
        picks.append(pick(shift, joined[i : i + slots + 1], byte))
    remains = ConcatSignal(*reversed(kept))

    # Slot i takes the byte behind those that the slots before it want.
    deals = [held(8, 0)]
    for i in range(1, slots):
        rank = Signal(intbv(0)[i + 1 :])
        picks.append(count_set(want(i, 0), rank))
        deals.append(Signal(intbv(0)[8:]))
        picks.append(pick(rank, [held(8 * j + 8, 8 * j) for j in range(i + 1)], deals[-1]))
    dealt_word = ConcatSignal(*reversed(deals))
    counting = count_set(take, number_flags)

    @always_comb
    def look():
        here.next = s_axis.tvalid or not more
        unread.next = more or count != 0
        cleared.next = not stale
        able.next = not needed or (state == step_of.DEAL and (s_axis.tvalid or not more))
        missing.next = state == step_of.DEAL and not more and number > count
        dealt.next = dealt_word

    @always_comb
    def measure():
        closing.next = s_axis.tlast and place == s_axis.tuser[bits:low]
        offset.next = 1 << count_low

    @always_comb
    def weigh():
        size.next = slots
        if closing:
            size.next = s_axis.tuser[low:] + 1

    @always_comb
    def tally():
        number.next = ones[int(take)]

    @always_comb
    def choose_drop():
        drop.next = number
        if state == step_of.SKIP:
            drop.next = concat(intbv(0)[1:], skip)
        elif state == step_of.FILL:
            drop.next = slots
        else:
            drop.next = number

    @always_comb
    def grow():
        grown.next = count + size

    @always_comb
    def subtract():
        left.next = count - drop
        joined_left.next = grown - drop

    @always_comb
    def choose_shift():
        shift.next = 1
        if here:
            if state == step_of.DEAL:
                if go:
                    shift.next = number_flags
            elif state == step_of.SKIP:
                shift.next = 1 << skip
            elif state == step_of.FILL:
                shift.next = 1 << slots
            else:
                shift.next = 1

    # While there are more grains, `count` is that of the slots at least, and count_low what is
    # above it.

    @always_comb
    def fit():
        moves.next = here and state != step_of.SEEK and (go or state != step_of.DEAL)
        wanted.next = more and (
            state == step_of.FILL
            or (state == step_of.SKIP and skip > count_low)
            or (state == step_of.DEAL and go and number > concat(intbv(0)[1:], count_low))
        )

    @always_comb
    def fetch():
        s_axis.tready.next = stale or (wanted and (place == grains - 1 or closing))
        load.next = wanted and s_axis.tvalid

    @always_seq(clk.posedge, reset=rst)
    def control():
        if load:
            more.next = not closing
            count.next = joined_left
            place.next = place + 1
        elif moves:
            count.next = left
        if state == step_of.SEEK:
            place.next = s_axis.tuser[2 * bits : bits + low]
            if s_axis.tvalid and not stale:
                state.next = step_of.FILL
        elif here:
            if state == step_of.FILL:
                state.next = step_of.SKIP
            else:
                state.next = step_of.DEAL
        if stale:
            stale.next = not (s_axis.tvalid and s_axis.tlast)
        if start:
            stale.next = more and not (load and closing)
            more.next = coded
            count.next = 0
            state.next = step_of.DEAL
            if coded:
                count.next = slots  # of what is to be dropped
                state.next = step_of.SEEK

    @always(clk.posedge)
    def advance():
        held.next = remains
        if state == step_of.SEEK:
            skip.next = s_axis.tuser[bits + low : bits]

    return instances()


@block
def count_set(flags, rank):
    """How many flags are set, one-hot."""
    ranks = tuple(1 << i.bit_count() for i in range(1 << len(flags)))

    @always_comb
    def find():
        rank.next = ranks[int(flags)]

    return find
