# SPDX-License-Identifier: Apache-2.0
"""Sizes and speeds. Every round trip is compared, bit for bit.

All codecs take their turn in each round, so that a disturbance of the machine meets all of them. A
turn is one call after the other until it has lasted `turn_s`; every call is timed by itself, and a
figure is the median over the calls of all rounds.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.codec import Codec, stream_bytes, verify
from bench.data import Data
from bench.report import Rate, Size, Speed


@dataclass(frozen=True)
class Effort:
    """How long to measure: the rounds, and the least seconds of a codec's turn in one."""

    rounds: int
    turn_s: float


@dataclass
class Calls:
    """Seconds of every call so far.

    Processor time is that of all threads of this process, because some products hand even one
    thread's work to another thread.
    """

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def turn(
        self,
        work: Callable[[Any], Any],
        prepare: Callable[[Any], Any],
        subject: Any,
        turn_s: float,
    ) -> Any:
        """Time `work` for a while, each time on what `prepare` makes of the subject.

        Returns:
            The last result.
        """
        until = time.perf_counter() + turn_s
        while True:
            given = prepare(subject)
            result = None  # frees the last one before the clock starts
            wall, cpu = time.perf_counter(), time.process_time()
            result = work(given)
            self.cpu.append(time.process_time() - cpu)
            self.wall.append(time.perf_counter() - wall)
            if time.perf_counter() >= until:
                return result

    def rate(self, nbytes: int) -> Rate:
        """The median in GB/s, for `nbytes` a call."""
        return Rate(
            cpu_gb_s=nbytes / 1e9 / max(statistics.median(self.cpu), 1e-9),
            wall_gb_s=nbytes / 1e9 / statistics.median(self.wall),
            calls=len(self.cpu),
        )


def itself(stream: Any) -> Any:
    """A stream needs no preparation."""
    return stream


def size(codec: Codec, data: Data) -> Size:
    """Compress once.

    Raises:
        RoundTripError: the values do not come back.
    """
    with codec.setting():
        stream = codec.compress(codec.prepare(data))
        nbytes = stream_bytes(stream)
        verify(codec, data, codec.decompress(stream))
    return Size(data.name, data.dtype, codec.name, codec.product, data.nbytes, nbytes)


def speeds(codecs: Sequence[Codec], data: Data, where: str, effort: Effort) -> list[Speed]:
    """Time all codecs on the same data.

    Args:
        codecs: to be measured, for arrays of the data's type.
        data: to be compressed.
        where: it lies, "cache" or "memory".
        effort: how long to measure.

    Raises:
        RoundTripError: the values do not come back from one of the codecs.
    """
    there, back = [Calls() for _ in codecs], [Calls() for _ in codecs]
    sizes = [0 for _ in codecs]
    gc.collect()
    gc.disable()
    try:
        for _ in range(effort.rounds):
            for i, codec in enumerate(codecs):
                with codec.setting():
                    stream = there[i].turn(codec.compress, codec.prepare, data, effort.turn_s)
                    values = back[i].turn(codec.decompress, itself, stream, effort.turn_s)
                verify(codec, data, values)
                sizes[i] = stream_bytes(stream)
    finally:
        gc.enable()
    return [
        Speed(
            data=data.name,
            dtype=data.dtype,
            where=where,
            original_bytes=data.nbytes,
            zeros=data.zeros,
            codec=codec.name,
            product=codec.product,
            threads=codec.threads,
            stream_bytes=sizes[i],
            compress=there[i].rate(data.nbytes),
            decompress=back[i].rate(data.nbytes),
        )
        for i, codec in enumerate(codecs)
    ]
