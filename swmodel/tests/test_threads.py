# SPDX-License-Identifier: Apache-2.0
"""Threads: the same bytes, the same values, the first error, and none where none are needed."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus import mappings
from corpus.values import KINDS, make
from numpy.typing import NDArray

CHUNK = 1 << 15
COUNTS = (1, 2, 3, 8, 0, 1000)


@pytest.fixture(scope="module")
def values() -> NDArray[Any]:
    """A chunk of every kind: some are coded quickly, some slowly, some hardly at all."""
    return np.concatenate([make(kind, "fp32", CHUNK) for kind in KINDS])[:-99]


@pytest.mark.parametrize("how", [{"level": 1}, {"level": 5}, {"profile": "hw-n8-c4096"}], ids=str)
def test_the_same_for_any_number(values: NDArray[Any], how: dict[str, Any]) -> None:
    data = entrolith.compress(values, dtype="fp32", **how)
    for threads in COUNTS:
        assert entrolith.compress(values, dtype="fp32", threads=threads, **how) == data
        back = entrolith.decompress(data, as_bits=True, threads=threads)
        assert np.array_equal(back, values)


def test_mappings_and_matrices() -> None:
    given = {f"{i}": mappings.with_dead("bf16", (300 + i, 400), 1, seed=i) for i in range(5)}
    given |= {f"small {i}": make("dense", "bf16", 5000 + i) for i in range(50)}
    data = entrolith.compress(given, dtype="bf16")
    for threads in COUNTS:
        assert entrolith.compress(given, dtype="bf16", threads=threads) == data
        back = entrolith.decompress(data, as_bits=True, threads=threads)
        assert all(np.array_equal(back[name], array) for name, array in given.items())


def test_the_first_error_is_raised(values: NDArray[Any]) -> None:
    """Whichever thread finds another first; and afterwards all is as before."""
    data = entrolith.compress(values, dtype="fp32", level=1)
    rng = np.random.default_rng(0)
    for _ in range(30):
        damaged = bytearray(data)
        for at in rng.integers(100, len(data), 6).tolist():
            damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(entrolith.EntrolithError) as alone:
            entrolith.decompress(damaged)
        for threads in (2, 5):
            with pytest.raises(entrolith.EntrolithError) as together:
                entrolith.decompress(damaged, threads=threads)
            assert str(together.value) == str(alone.value)
            assert type(together.value) is type(alone.value)
    assert np.array_equal(entrolith.decompress(data, as_bits=True, threads=2), values)


@pytest.mark.parametrize("threads", [-1, 1.5, "2", None, True])
def test_numbers_that_will_not_do(threads: Any) -> None:
    array = np.ones(3, np.float32)
    data = entrolith.compress(array)
    for call in (
        lambda: entrolith.compress(array, threads=threads),
        lambda: entrolith.decompress(data, threads=threads),
        lambda: entrolith.Reader(data, threads=threads),
    ):
        with pytest.raises(entrolith.ArgumentError, match="not a whole number") as caught:
            call()
        assert caught.value.field == "threads"
        assert isinstance(caught.value, ValueError)


TASKS = Path("/proc/self/task")


@pytest.mark.skipif(not TASKS.is_dir(), reason="needs /proc to count threads")
def test_the_interpreter_is_free_and_small_work_takes_no_thread(values: NDArray[Any]) -> None:
    """Threads as the system counts them, seen by another thread while the work goes on."""
    most = {"small": 0, "large": 0}
    kind, stop = "small", threading.Event()

    def count() -> None:
        while not stop.is_set():
            most[kind] = max(most[kind], sum(1 for _ in TASKS.iterdir()))

    watcher = threading.Thread(target=count)
    large = np.tile(values, 20)
    small = values[: 7 * CHUNK]
    watcher.start()
    alone = sum(1 for _ in TASKS.iterdir())
    try:
        for _ in range(200):
            entrolith.compress(small, dtype="fp32", level=1, threads=4)
        kind = "large"
        for _ in range(3):
            entrolith.compress(large, dtype="fp32", level=1, threads=4)
    finally:
        stop.set()
        watcher.join()
    assert most["small"] == alone
    assert most["large"] == alone + 3
    patience = time.monotonic() + 5  # the system takes a moment to forget a thread
    while sum(1 for _ in TASKS.iterdir()) >= alone:
        assert time.monotonic() < patience
