# SPDX-License-Identifier: Apache-2.0
"""Both ends of a stream (docs/streams.md), stepped once a cycle by the bench.

The classes of cocotbext-axi do the same at a fraction of the speed: they start several triggers for
every word, and here a packet is thousands of words of one value each.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import Event

from cosim.bench.stalls import Stall, free
from hls.stream import FIELDS


@dataclass(frozen=True, slots=True)
class Word:
    """What moves in one cycle; a field that the stream lacks is 0. cycle: when it moved."""

    tdata: int
    tkeep: int = 0
    tuser: int = 0
    tlast: int = 0
    cycle: int = -1


class ProtocolError(AssertionError):
    """A stream broke a rule of docs/streams.md."""


class Port:
    """The signals of one stream of a DUT; FIELDS that it lacks are not in `fields`."""

    def __init__(self, dut: Any, name: str) -> None:
        self.name = name
        self.tvalid = getattr(dut, f"{name}_tvalid")
        self.tready = getattr(dut, f"{name}_tready")
        names = [field for field in FIELDS if hasattr(dut, f"{name}_{field}")]
        self.fields = {field: getattr(dut, f"{name}_{field}") for field in names}


class Source:
    """Sends words. Between words the fields are all ones, so that nobody can use them unnoticed."""

    def __init__(self, port: Port, stall: Stall = free) -> None:
        self._port, self._pauses = port, stall()
        self._queue: deque[Word] = deque()
        self._drained = Event()
        ones = {field: 2 ** len(signal) - 1 for field, signal in port.fields.items()}
        self._nothing = Word(**({"tdata": 0} | ones))
        self._shown: Word | None = None
        self._offered = False
        self.moved: list[int] = []  # the cycles in which words moved, since the last reset

    def send(self, words: Iterable[Word]) -> None:
        """Put words behind those that wait."""
        self._queue.extend(words)
        self._drained.clear()

    async def drained(self) -> None:
        """Wait until the last word has moved."""
        if self._queue:
            await self._drained.wait()

    def reset(self) -> None:
        """Drop all words and offer nothing."""
        self._queue.clear()
        self.moved.clear()
        self._offer(None)

    def step(self, cycle: int) -> None:
        """At a rising edge: note whether the word moved, then show what comes next."""
        queue = self._queue
        if self._offered:
            if not self._port.tready.value:
                return
            queue.popleft()
            self.moved.append(cycle)
            if not queue:
                self._drained.set()
        if not queue:
            if self._offered:
                self._offer(None)
        elif not next(self._pauses):
            self._offer(queue[0])
        elif self._offered:
            self._offer(None)

    def _offer(self, word: Word | None) -> None:
        if (word is not None) != self._offered or self._shown is None:
            self._offered = word is not None
            self._port.tvalid.value = self._offered
        shown, show = self._shown, word or self._nothing
        for field, signal in self._port.fields.items():
            value = getattr(show, field)
            if shown is None or value != getattr(shown, field):
                signal.value = value
        self._shown = show


class Sink:
    """Takes words, and checks that a word that is offered stays until it has moved.

    shy: ready only for a word that it has seen offered, so that a source that waits hangs.
    partial: bits may be unknown, such as bytes behind a packet's last; they are taken for 0.
    """

    def __init__(
        self, port: Port, stall: Stall = free, *, shy: bool = False, partial: bool = False
    ) -> None:
        self._port, self._pauses, self._shy, self._partial = port, stall(), shy, partial
        self._words: deque[Word] = deque()
        self._wanted = 0
        self._arrival = Event()
        self._ready: bool | None = None  # what tready shows; a test before may have left it high
        self._waiting: Word | None = None  # offered in the cycle before, and not taken
        self.moved: list[int] = []  # the cycles in which words moved, since the last reset

    async def words(self, count: int) -> list[Word]:
        """Wait for the next words."""
        while len(self._words) < count:  # the end of a packet wakes as well
            self._wanted = count
            self._arrival.clear()
            await self._arrival.wait()
            self._wanted = 0
        return [self._words.popleft() for _ in range(count)]

    async def packet(self) -> list[Word]:
        """Wait for the words up to the next with tlast."""
        packet: list[Word] = []
        while not packet or not packet[-1].tlast:
            if not self._words:
                self._arrival.clear()
                await self._arrival.wait()
            packet.append(self._words.popleft())
        return packet

    @property
    def empty(self) -> bool:
        """Whether every word that came was asked for."""
        return not self._words

    def reset(self) -> None:
        """Forget the words that have come."""
        self._words.clear()
        self.moved.clear()
        self._waiting = None
        self._set_ready(not self._shy and not next(self._pauses))

    def step(self, cycle: int) -> None:
        """At a rising edge: take the word that moved, then decide about the next."""
        if self._port.tvalid.value:
            fields = {field: self._read(signal) for field, signal in self._port.fields.items()}
            word = Word(**({"tdata": 0} | fields), cycle=cycle)
            self._check(word)
            if self._ready:
                self._words.append(word)
                self.moved.append(cycle)
                self._waiting = None
                if word.tlast or (self._wanted and len(self._words) >= self._wanted):
                    self._arrival.set()
            else:
                self._waiting = word
        elif self._waiting:
            raise ProtocolError(f"{self._port.name}: tvalid fell before the word moved")
        self._set_ready(not next(self._pauses) and (self._waiting is not None or not self._shy))

    def _read(self, signal: Any) -> int:
        return int(signal.value.resolve("zeros") if self._partial else signal.value)

    def _check(self, word: Word) -> None:
        if self._waiting:
            for field in self._port.fields:
                if getattr(word, field) != getattr(self._waiting, field):
                    raise ProtocolError(f"{self._port.name}: {field} changed while the word waited")

    def _set_ready(self, ready: bool) -> None:
        if ready is not self._ready:
            self._port.tready.value = self._ready = ready
