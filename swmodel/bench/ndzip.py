# SPDX-License-Identifier: Apache-2.0
"""ndzip, which nobody packages: a library that the user has built.

ndzip is C++ and its interface is templates, so what is loaded is a shared library around it with
three functions (`size_t` counts values in `n` and bytes elsewhere):

    size_t ndzip_bound(size_t n);
    size_t ndzip_compress(const float *values, size_t n, void *stream);
    size_t ndzip_decompress(const void *stream, size_t bytes, float *values, size_t n);

for one thread and one dimension; compress returns the bytes written. ndzip leaves out what does
not fill a block of 4096 values, so the last values are kept as they are, here.
"""

from __future__ import annotations

import ctypes
from ctypes import c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from bench.codec import Codec, Skipped
from bench.data import Patterns

BLOCK = 4096
COUNT = 8  # bytes that say how many values the stream holds


class Ndzip:
    """The three functions on arrays."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        self.bound = function(library.ndzip_bound, c_size_t)
        self.encode = function(library.ndzip_compress, c_void_p, c_size_t, c_void_p)
        self.decode = function(library.ndzip_decompress, c_void_p, c_size_t, c_void_p, c_size_t)

    def compress(self, array: Patterns) -> Patterns:
        """A stream: the number of values, whole blocks by ndzip, the values left over."""
        whole = array.size // BLOCK * BLOCK
        stream = np.empty(COUNT + self.bound(whole) + array[whole:].nbytes, np.uint8)
        stream[:COUNT] = np.frombuffer(array.size.to_bytes(COUNT, "little"), np.uint8)
        end = COUNT + self.encode(array.ctypes.data, whole, stream[COUNT:].ctypes.data)
        rest = array[whole:].view(np.uint8)
        stream[end : end + rest.size] = rest
        return stream[: end + rest.size]

    def decompress(self, stream: Patterns) -> Patterns:
        """The array of a stream."""
        array = np.empty(int.from_bytes(stream[:COUNT].tobytes(), "little"), np.uint32)
        whole = array.size // BLOCK * BLOCK
        rest = array[whole:].view(np.uint8)
        blocks = stream[COUNT : stream.size - rest.size]
        self.decode(blocks.ctypes.data, blocks.size, array.ctypes.data, whole)
        rest[:] = stream[stream.size - rest.size :]
        return array


def function(found: Any, *arguments: Any) -> Any:
    """A C function from `arguments` to size_t."""
    found.argtypes, found.restype = arguments, c_size_t
    return found


def load(path: Path | None, dtype: str) -> list[Codec | Skipped]:
    """The codec for arrays of `dtype`, or why there is none."""
    if path is None:
        return [
            Skipped("ndzip", "not packaged; pass a built library as --ndzip or ENTROLITH_NDZIP")
        ]
    if dtype != "fp32":
        return [Skipped(f"ndzip on {dtype}", "ndzip has no such type")]
    library = Ndzip(path)
    return [Codec("ndzip", "ndzip", library.compress, library.decompress)]
