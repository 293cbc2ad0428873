# SPDX-License-Identifier: Apache-2.0
"""What is measured: a compressor with its settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.data import Data


class RoundTripError(Exception):
    """A codec did not give back what it was given."""


@dataclass(frozen=True)
class Skipped:
    """A codec or a product that is not measured, and why."""

    name: str
    reason: str


def as_bytes(restored: Any) -> NDArray[np.uint8]:
    """The bytes of any contiguous buffer."""
    return np.frombuffer(restored, np.uint8)


@dataclass(frozen=True)
class Codec:
    """A product with settings, for arrays of one dtype.

    Attributes:
        name: of the codec, the product first.
        product: what it belongs to; the product's best codec is what counts for ratios.
        compress: makes a stream (any buffer) of what `prepare` gives.
        decompress: takes a stream; gives what `restore` takes.
        prepare: the input in the form that suits the codec best. Called before every compress and
            not timed: conversions, and copies for codecs that overwrite their input, are free.
        restore: the joined bit patterns as bytes; not timed.
        threads: that the codec was told to use.
        setting: entered around compress and decompress; not timed.
    """

    name: str
    product: str
    compress: Callable[[Any], Any]
    decompress: Callable[[Any], Any]
    prepare: Callable[[Data], Any] = lambda data: data.joined
    restore: Callable[[Any], NDArray[Any]] = as_bytes
    threads: int = 1
    setting: Callable[[], AbstractContextManager[object]] = nullcontext


def verify(codec: Codec, data: Data, decompressed: Any) -> None:
    """Compare what came back with what went in.

    Raises:
        RoundTripError: they differ in any bit.
    """
    restored = as_bytes(np.ascontiguousarray(codec.restore(decompressed)))
    if not np.array_equal(restored, as_bytes(data.joined)):
        raise RoundTripError(f"{codec.name} on {data.name}: the values do not come back")


def stream_bytes(stream: Any) -> int:
    """Size of a stream."""
    return memoryview(stream).nbytes
