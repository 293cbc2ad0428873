# SPDX-License-Identifier: Apache-2.0
"""The bench of a block whose output words follow from its input words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference.profile import Profile

from cosim.bench import setting
from cosim.bench.bench import Bench
from cosim.bench.corners import Corners, Frame
from cosim.bench.stages import Stages, cut
from cosim.bench.stalls import Stall, free
from cosim.bench.streams import Word
from hls.configuration import load
from hls.point import FP32, NumberFormat, Tables

Fields = tuple[int, int, int, int]
View = Callable[[str, Word], Fields]  # of a word of a stream, what is compared
SLACK = 25  # cycles that a word may take under stalls, on average
REST = 1200


@dataclass(frozen=True)
class Case:
    """Words to send and words that must come, by stream."""

    name: str
    inputs: Mapping[str, Sequence[Word]]
    outputs: Mapping[str, Sequence[Word]]
    values: int = 0


def kept(stream: str, word: Word) -> Fields:
    """All fields, and of tdata the bytes that tkeep marks, where there is one."""
    data = word.tdata
    if word.tkeep:
        data &= (1 << 8 * word.tkeep.bit_length()) - 1
    return data, word.tkeep, word.tuser, word.tlast


def present(bits: int) -> View:
    """As `kept`, and of m_axis, which has groups of items of so many bits, those that are there."""

    def view(stream: str, word: Word) -> Fields:
        data, keep, user, last = kept(stream, word)
        if stream == "m_axis":
            items = user % setting.width() + 1
            data &= (1 << bits * items) - 1
        return data, keep, user, last

    return view


class Block(Bench):
    """A DUT between a source for each of its inputs and a sink for each of its outputs."""

    def __init__(
        self,
        dut: Any,
        inputs: Sequence[str] = ("s_axis",),
        outputs: Sequence[str] = ("m_axis",),
        idle: Stall = free,
        stall: Stall = free,
        *,
        partial: Sequence[str] = (),
    ) -> None:
        super().__init__(dut)
        self.sources = {name: self.source(name, idle) for name in inputs}
        self.sinks = {name: self.sink(name, stall, partial=name in partial) for name in outputs}

    def send(self, case: Case) -> None:
        """Put the case's words behind those that wait."""
        for name, words in case.inputs.items():
            self.sources[name].send(words)

    async def check(self, cases: Iterable[Case], view: View = kept) -> None:
        """Send cases back to back, and compare every word that comes."""
        sent, start = list(cases), self.cycle
        for case in sent:
            self.send(case)
        streams = (
            words for case in sent for io in (case.inputs, case.outputs) for words in io.values()
        )
        limit = SLACK * sum(map(len, streams)) + REST
        for case in sent:
            for stream, expected in case.outputs.items():
                words = await self.within(limit, self.sinks[stream].words(len(expected)))
                came = [view(stream, word) for word in words]
                assert_words(came, [view(stream, word) for word in expected], case.name, stream)
        await self.cycles(50)
        for stream, sink in self.sinks.items():
            assert sink.empty, f"{stream}: more came than was expected"
        values = sum(case.values for case in sent)
        setting.report_compared(
            frames=len(sent), values=values, size=values, cycles=self.cycle - start
        )

    async def check_after_reset(
        self, stop: int, lost: Iterable[Case], after: Iterable[Case], view: View = kept
    ) -> None:
        """Reset after so many cycles of some cases; what comes after must be as if new."""
        for case in lost:
            self.send(case)
        await self.cycles(stop)
        await self.reset()
        await self.check(after, view)

    def moved(self, stream: str) -> list[int]:
        """The cycles in which words of a stream moved."""
        return (self.sources | self.sinks)[stream].moved


def lags(later: Sequence[int], earlier: Sequence[int]) -> set[int]:
    """How much later each of some cycles is than its counterpart."""
    return {a - b for a, b in zip(later, earlier, strict=True)}


def assert_words(came: list[Fields], expected: list[Fields], name: str, stream: str) -> None:
    """Equal, or an error that shows the first difference."""
    for i, (a, b) in enumerate(zip(came, expected, strict=True)):
        assert a == b, (
            f"{name}: word {i} of {len(expected)} of {stream} (tdata, tkeep, tuser, tlast): "
            f"came {[f'{x:x}' for x in a]}, expected {[f'{x:x}' for x in b]}"
        )


def codec() -> tuple[NumberFormat, Tables]:
    """The number format and tables of the configuration, or any where the block knows none."""
    chosen = setting.configuration()
    tables = chosen.tables or next(c.tables for c in load() if c.tables)
    return chosen.fmt or FP32, tables.tables


def chunks(
    named: Iterable[tuple[str, Frame]],
    profile: Profile | None = None,
    tables: Tables | None = None,
) -> Iterator[tuple[str, Stages]]:
    """The chunks of frames, in the configuration's number format, tables, width and profile."""
    fmt, own_tables = codec()
    profile = profile or setting.profile()
    for name, frame in named:
        for i, stages in enumerate(cut(frame, fmt, tables or own_tables, setting.width(), profile)):
            yield f"chunk {i} of {name}", stages


def corners() -> Corners:
    """Frames in the configuration's number format and tables."""
    return Corners(*codec())
