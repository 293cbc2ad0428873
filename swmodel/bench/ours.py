# SPDX-License-Identifier: Apache-2.0
"""Entrolith's settings that are measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import entrolith
import numpy as np
from entrolith import _core

from bench.codec import Codec, Skipped
from bench.data import Data, Patterns

PRODUCT = "entrolith"


@dataclass(frozen=True)
class Entry:
    """Arguments of `entrolith.compress`, and the kernel to run; None: the best of this CPU."""

    options: Mapping[str, Any] = field(default_factory=dict)
    kernel: str | None = None

    @property
    def name(self) -> str:
        """The product and the settings that are not the default."""
        settings = [f"{key}={value}" for key, value in self.options.items()]
        return " ".join([PRODUCT, *settings, *([self.kernel] if self.kernel else [])])

    @property
    def sized(self) -> bool:
        """Whether its sizes are of interest.

        Threads and kernels change no byte, and streams without checks are not what is compared.
        """
        return self.kernel is None and not {"threads", "check"} & self.options.keys()


DEFAULT = Entry()
FAST = Entry({"level": 1})
SMALLEST = Entry({"level": 9})
UNCHECKED = Entry({"level": 1, "check": False})
FAST_PORTABLE = Entry({"level": 1}, kernel="portable")
TWO_THREADS = Entry({"threads": 2})
ENTRIES = (
    DEFAULT,
    FAST,
    Entry({"level": 6}),
    SMALLEST,
    Entry({"mode": "dynamic"}),
    Entry({"mode": "static"}),
    Entry({"mode": "hybrid"}),
    Entry({"profile": "hw-n8-c4096"}),
    UNCHECKED,
    TWO_THREADS,
    Entry({"level": 1, "threads": 2}),
    FAST_PORTABLE,
    Entry({"level": 1}, kernel="avx2"),
    Entry(kernel="portable"),
)


def load(dtype: str) -> list[Codec | Skipped]:
    """Every entry for arrays of `dtype`, or why it cannot be measured."""
    return [
        Skipped(entry.name, reason) if (reason := obstacle(entry)) else codec(entry, dtype)
        for entry in ENTRIES
    ]


def obstacle(entry: Entry) -> str | None:
    """Why this CPU cannot do what `entry` asks for."""
    if entry.kernel is not None and entry.kernel not in _core.kernels():
        return f"there is no {entry.kernel} kernel for this CPU"
    return None


@contextmanager
def running(kernel: str) -> Iterator[None]:
    """Force a kernel for a while."""
    before = _core.kernel()
    _core.set_kernel(kernel)
    try:
        yield
    finally:
        _core.set_kernel(before)


def codec(entry: Entry, dtype: str) -> Codec:
    """The codec of an entry."""
    threads = {key: value for key, value in entry.options.items() if key == "threads"}
    return Codec(
        name=entry.name,
        product=PRODUCT,
        compress=partial(entrolith.compress, dtype=dtype, **entry.options),
        decompress=partial(entrolith.decompress, as_bits=True, **threads),
        prepare=values if "profile" in entry.options else tensors,
        restore=joined,
        threads=threads.get("threads", 1),
        setting=partial(running, entry.kernel) if entry.kernel else nullcontext,
    )


def tensors(data: Data) -> Any:
    """The tensors in their shapes; just an array if there is one."""
    return data.tensors if len(data.tensors) > 1 else next(iter(data.tensors.values()))


def values(data: Data) -> Patterns:
    """All values in one row: profiles are for one array."""
    return data.joined


def joined(restored: Mapping[str, Patterns] | Patterns) -> Patterns:
    """What was decompressed as one array."""
    if isinstance(restored, Mapping):
        return np.concatenate([tensor.ravel() for tensor in restored.values()])
    return restored
