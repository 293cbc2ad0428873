# SPDX-License-Identifier: Apache-2.0
"""Streams and contracts: the two notions that every block shares (docs/streams.md)."""

from __future__ import annotations

from dataclasses import dataclass

from myhdl import Signal, intbv

FIELDS = ("tdata", "tkeep", "tuser", "tlast")  # what a word may consist of


def item_bits(width):
    """Bits of an item's place in its group, and of a group's number of items less one."""
    return (width - 1).bit_length()


def word_bytes(width: int) -> int:
    """Bytes of a word of a chunk, and of those of its parts that come in whole words."""
    return 4 * width


@dataclass(frozen=True)
class Contract:
    """What a block promises without stalls; asserted exactly by its co-simulation test.

    latency: cycles from the first word taken to the first word offered that depends on it; of a
        codec, for a frame of one value. None if it depends on the data otherwise.
    interval: cycles between words taken.
    values_per_cycle: sustained by a codec on full chunks without zeros, what a chunk's turn costs
        included; None for any other block.
    """

    latency: int | None
    interval: int
    values_per_cycle: float | None = None


class AxiStream:
    """A valid/ready stream with AXI4-Stream names: argument `s_axis` gives ports `s_axis_tdata`...

    width: bits of tdata. keep: tkeep marks the valid bytes, all but a packet's last word are full.
    user: bits of tuser, 0 for none. last: whether there is a tlast.
    """

    def __init__(self, width: int, *, keep: bool = False, user: int = 0, last: bool = True) -> None:
        self.tdata = Signal(intbv(0)[width:])
        self.tvalid = Signal(bool(0))
        self.tready = Signal(bool(0))
        if last:
            self.tlast = Signal(bool(0))
        if keep:
            self.tkeep = Signal(intbv(0)[width // 8 :])
        if user:
            self.tuser = Signal(intbv(0)[user:])
