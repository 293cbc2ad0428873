# SPDX-License-Identifier: Apache-2.0
"""Bounds: what a stream may take beyond its values, and what damage may cost."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import threading
import time
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus.streams import TABLES, header_bytes, with_directory
from corpus.values import ALL_LAYOUTS, KINDS, LAYOUTS, make
from reference.encode import varint
from reference.profile import PROFILES


def beyond(dtype: str, profile: str, values: int) -> float:
    """Bytes that a chunk may take beyond its values (FORMAT.md section 8)."""
    if profile == "sw-n64-c32768":
        return 12
    estimated = 8 + values if PROFILES[profile].step > 1 else 0
    return 564 + estimated + (values * 3 / 8 if dtype == "fp16" else 0)


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_expansion(kind: str, dtype: str, profile: str) -> None:
    chunk = 1 << PROFILES[profile].log2_chunk
    for n in (1, 9, 65, 600, chunk - 1, chunk):
        values = make(kind, dtype, n)
        data = entrolith.compress(values, dtype=dtype, profile=profile)
        assert len(data) - header_bytes(data) <= values.nbytes + beyond(dtype, profile, n)


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", LAYOUTS)
def test_expansion_at_its_worst(dtype: str, profile: str) -> None:
    """A zero in every word of the bitmap, and exponents that no table helps."""
    chunk = 1 << PROFILES[profile].log2_chunk
    values = make("uniform_exponents", dtype, chunk)
    values[::32] = 0
    data = entrolith.compress(values, dtype=dtype, profile=profile)
    assert len(data) - header_bytes(data) <= values.nbytes + beyond(dtype, profile, chunk)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_expansion_where_costs_are_estimated(dtype: str) -> None:
    """What is not looked at has no codeword: more than exact costs would allow, within bounds."""
    layout = LAYOUTS[dtype]
    seen = np.arange(4096) % 4 == 0
    exponents = 120 - np.where(seen, 1, 14)
    exponents[::512] = 120
    values = layout.join(0, exponents, (1 << layout.mantissa) - 1)
    size = {
        profile: len(data) - header_bytes(data)
        for profile in ("hw-n8-c4096", "hw2-n8-c4096")
        for data in [entrolith.compress(values, dtype=dtype, profile=profile)]
    }
    assert size["hw-n8-c4096"] <= values.nbytes + beyond(dtype, "hw-n8-c4096", 4096)
    assert size["hw2-n8-c4096"] > values.nbytes + beyond(dtype, "hw-n8-c4096", 4096)
    assert size["hw2-n8-c4096"] <= values.nbytes + beyond(dtype, "hw2-n8-c4096", 4096)


@pytest.mark.parametrize("how", [{"level": n} for n in (1, 5, 9)] + [{"mode": "dynamic"}], ids=str)
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_expansion_of_levels(dtype: str, how: dict[str, Any]) -> None:
    """Twelve bytes a chunk, beside header and footer."""
    for kind in KINDS:
        for shape in ((1,), (65,), (40, 513), (1 << 15,)):
            values = make(kind, dtype, math.prod(shape)).reshape(shape)
            data = entrolith.compress(values, dtype=dtype, **how)
            found = entrolith.info(data)
            chunks = sum(found.chunks.values())
            assert found.sizes.footer == 3 * chunks + 8
            beyond = len(data) - found.sizes.header - found.sizes.footer - values.nbytes
            assert beyond <= 12 * chunks


MEASURE = """
import re, sys, tracemalloc
import numpy as np
import entrolith

def peak():  # not ru_maxrss, which remembers the process that started this one
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1])

tables = entrolith.TableSet(eval(sys.argv[1]))
streams = [bytes.fromhex(line) for line in sys.stdin]
entrolith.compress(np.ones(1 << 16, np.float32))  # what is loaded once and for all
before = peak()
tracemalloc.start()
for stream in streams:
    for function in entrolith.info, lambda s: entrolith.decompress(s, tables=tables):
        try:
            function(stream)
        except entrolith.EntrolithError:
            continue
        if function is not entrolith.info:
            sys.exit("a forged stream was accepted")
print(peak() - before, tracemalloc.get_traced_memory()[1] // 1024)
"""


def forged() -> list[bytes]:
    """Streams that promise up to 2^48 values, and hold next to nothing."""
    stream = entrolith.compress(
        make("dense", "fp32", 100), dtype="fp32", tables=entrolith.TableSet(TABLES)
    )
    chunk = stream[header_bytes(stream) :]
    found = []
    for dimensions in ([1 << 48], [1 << 24, 1 << 24], [1 << 32], [100, 1 << 30]):
        shape = b"".join(varint(d) for d in dimensions)
        directory = b"\x01\x01\x00\x00\x01\x00" + bytes([len(dimensions)]) + shape
        for body in (
            b"",
            chunk,
            b"\x05\x04\x00\x00" * 3,  # all zero: justified, but far too few
            b"\x01\x04\x00\x00" * 5000,  # coded chunks without any room for values
            b"\x01\xff\x0f\x00" + bytes(4091),  # one with room for some
            (b"\x01\x88\x00\x00" + bytes(132)) * 300,
            b"\x00\x04\x00\x00" * 5000,
            b"\x81\x08\x00\x00\xff\x7f\x00\x00" * 5000,
        ):
            found += [with_directory(stream, directory)[: 24 + len(directory) + 4] + body]
    fitting = b"\x01\x01\x00\x00\x01\x00\x01" + varint(5000 << 15)  # as many values as chunks say
    head = with_directory(stream, fitting)[: 24 + len(fitting) + 4]
    found.append(head + b"\x01\x04\x00\x00" * 5000)
    found.append(head + (b"\x01\x88\x00\x00" + bytes(132)) * 5000)
    return found


@pytest.mark.memory
def test_forged_sizes_cost_no_memory() -> None:
    """At most a few chunks' worth, whatever a stream claims: pages touched, or only reserved."""
    command = [sys.executable, "-c", MEASURE, repr(TABLES)]
    lines = "\n".join(stream.hex() for stream in forged())
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    touched, reserved = (int(kib) for kib in done.stdout.split())
    assert touched < 4096
    assert reserved < 1024


GROWTH = """
import re, sys
import numpy as np
import entrolith

def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) * 1024

stream = entrolith.compress(np.ones((9, 9), np.float32).T.astype(">f4"))
entrolith.decompress(stream)
before = peak()
size = 32 << 20
array = np.random.default_rng(0).standard_normal(size // 4, np.float32).reshape(1024, -1)
if sys.argv[1] == "transposed":
    array = array.T
elif sys.argv[1] == "big-endian":
    array.byteswap(inplace=True)
    array = array.view(">f4")
stream = entrolith.compress(array)
compressing = peak() - before
del array
entrolith.decompress(stream)
print(compressing / size, (peak() - before) / size)
"""


@pytest.mark.memory
@pytest.mark.parametrize(
    ("layout", "copies"), [("contiguous", 1), ("transposed", 2), ("big-endian", 2)]
)
def test_memory_that_work_takes(layout: str, copies: int) -> None:
    """The array, its stream, and one copy only of arrays that are not native and contiguous.

    A tenth is for workspaces, and for memory that comes in pieces of 2 MB.
    """
    command = [sys.executable, "-c", GROWTH, layout]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    compressing, at_all = (float(figure) for figure in done.stdout.split())
    assert compressing < copies + 1.1
    assert at_all < 4


def test_shape_that_numpy_cannot_have() -> None:
    """Dimensions of nothing may be huge in a stream, though not in an array."""
    empty = entrolith.compress(np.zeros((0, 1), np.float32))
    directory = b"\x01\x01\x00\x00\x01\x00\x03\x00" + varint((1 << 63) - 1) * 2
    with pytest.raises(entrolith.UnsupportedModeError) as caught:
        entrolith.decompress(with_directory(empty, directory))
    assert caught.value.field == "dimension"


def test_stream_that_changes_while_it_is_read() -> None:
    """Another thread may write into the buffer: any outcome but a crash."""
    values = make("mixed", "fp32", 200_000)
    stream = entrolith.compress(values, dtype="fp32")
    buffer = bytearray(stream)
    stop = threading.Event()

    def scribble() -> None:
        rng = np.random.default_rng(0)
        while not stop.is_set():
            for at in rng.integers(0, len(buffer), 100).tolist():
                buffer[at] ^= 255

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            buffer[:] = stream
            for function in (entrolith.decompress, entrolith.info):
                with contextlib.suppress(entrolith.EntrolithError):
                    function(buffer)
    finally:
        stop.set()
        thread.join()


def test_threads_share_nothing() -> None:
    """The interpreter is free while the codec works, and calls do not meet."""
    inputs = [make(kind, "fp32", 50_000, seed) for seed, kind in enumerate(KINDS)]
    streams = [entrolith.compress(values, dtype="fp32") for values in inputs]
    wrong: list[int] = []

    def work(number: int) -> None:
        for k, (values, stream) in enumerate(zip(inputs, streams, strict=True)):
            good = entrolith.compress(values, dtype="fp32") == stream
            good = good and np.array_equal(entrolith.decompress(stream, as_bits=True), values)
            if not good:
                wrong.append(number * len(inputs) + k)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
