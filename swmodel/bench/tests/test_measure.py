# SPDX-License-Identifier: Apache-2.0
"""What is timed, how often, and that a lossy codec does not pass."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from bench.codec import Codec, RoundTripError
from bench.data import Data
from bench.measure import Calls, Effort, size, speeds

DATA = Data("some file", "fp32", {"t": np.arange(1000, dtype=np.uint32)})


def flip(stream: bytes) -> bytes:
    values = bytearray(zlib.decompress(stream))
    values[-1] ^= 1
    return bytes(values)


GOOD = Codec("zlib 6", "zlib", zlib.compress, zlib.decompress)
LOSSY = Codec("lossy 1", "lossy", zlib.compress, flip)
SHORT = Codec("short 1", "short", zlib.compress, lambda s: zlib.decompress(s)[:-1])


def test_size() -> None:
    found = size(GOOD, DATA)
    compressed = len(zlib.compress(DATA.joined.tobytes()))
    assert (found.original_bytes, found.stream_bytes) == (4000, compressed)
    assert found.ratio == compressed / 4000


@pytest.mark.parametrize("bad", [LOSSY, SHORT])
def test_a_lossy_codec_is_named(bad: Codec) -> None:
    with pytest.raises(RoundTripError, match=f"{bad.name} on some file"):
        size(bad, DATA)
    with pytest.raises(RoundTripError, match=f"{bad.name} on some file"):
        speeds([GOOD, bad], DATA, "cache", Effort(1, 0))


def test_codecs_take_turns() -> None:
    log: list[str] = []

    def codec(name: str) -> Codec:
        @contextmanager
        def setting() -> Iterator[None]:
            log.append(f"{name} in")
            yield
            log.append(f"{name} out")

        def compress(given: list[Any]) -> bytes:
            log.append(f"{name} compress")
            given.append("spoilt")
            return bytes(given[0])

        def prepare(data: Data) -> list[Any]:
            return [data.joined.tobytes()]

        def restore(back: bytes) -> np.ndarray[Any, Any]:
            return np.frombuffer(back, np.uint32)

        return Codec(name, name, compress, bytes, prepare, restore, 2, setting)

    found = speeds([codec("a"), codec("b")], DATA, "memory", Effort(3, 0))
    turn = ["a in", "a compress", "a out", "b in", "b compress", "b out"]
    assert log == 3 * turn
    for speed, name in zip(found, "ab", strict=True):
        assert (speed.codec, speed.threads, speed.where) == (name, 2, "memory")
        assert (speed.compress.calls, speed.decompress.calls) == (3, 3)
        assert (speed.original_bytes, speed.stream_bytes) == (4000, 4000)
        assert speed.gb_s == (speed.compress.wall_gb_s, speed.decompress.wall_gb_s)


def test_a_rate_is_of_the_median() -> None:
    rate = Calls(cpu=[9.0, 1.0, 2.0], wall=[4.0, 9.0, 1.0]).rate(8_000_000_000)
    assert (rate.cpu_gb_s, rate.wall_gb_s, rate.calls) == (4.0, 2.0, 3)
