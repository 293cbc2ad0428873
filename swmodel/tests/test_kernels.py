# SPDX-License-Identifier: Apache-2.0
"""Every kernel writes the same bytes, reads what the others wrote, and refuses for the same reason.

One of them is compared with the reference elsewhere; here all of them are compared with each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

import entrolith
import numpy as np
import pytest
from corpus import streams
from corpus.values import KINDS, LAYOUTS, Patterns, make
from entrolith import _core
from reference.profile import Profile

KERNELS = ("portable", "avx2", "avx512")

LENGTHS = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 447, 511, 512, 513, 575, 1000]
"""Around registers, groups of lanes, blocks, and what is left of them."""

LONG = [32703, 32767, 32768, 32769, 65537]
"""Around chunks."""

T = TypeVar("T")

SMALL = entrolith.TableSet(streams.TABLES)


@pytest.fixture(params=[name for name in KERNELS if name != "portable"])
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    """A kernel that this processor runs; it is not yet in use."""
    before = _core.kernel()
    if request.param not in _core.kernels():
        pytest.skip(f"this processor does not run the kernel {request.param}")
    yield request.param
    _core.set_kernel(before)


def with_each(name: str, function: Callable[[], T]) -> tuple[T, T]:
    """What a function returns with the portable kernel and with the named one."""
    found = []
    for kernel in ("portable", name):
        _core.set_kernel(kernel)
        found.append(function())
    return found[0], found[1]


def check(
    name: str, values: Patterns, dtype: str, profile: str, tables: entrolith.TableSet
) -> None:
    """Same bytes, hence either kernel reads either's stream if both read this one."""

    def compress() -> bytes:
        return entrolith.compress(values, dtype=dtype, profile=profile, tables=tables)

    one, other = with_each(name, compress)
    assert one == other
    check_reading(name, one, values, tables)


def check_reading(
    name: str, stream: bytes, values: Patterns, tables: entrolith.TableSet = SMALL
) -> None:
    for back in with_each(name, lambda: entrolith.decompress(stream, tables=tables, as_bits=True)):
        assert np.array_equal(back, values)


def outcome(stream: bytes) -> tuple[object, ...]:
    """The values of a stream, or all that there is to say of its fault."""
    try:
        return ("values", entrolith.decompress(stream, tables=SMALL, as_bits=True).tobytes())
    except entrolith.EntrolithError as error:
        return (type(error), error.field, error.offset, str(error))


def check_damaged(name: str, damaged: Iterable[bytes]) -> None:
    kept = list(damaged)
    one, other = with_each(name, lambda: [outcome(stream) for stream in kept])
    assert one == other


def run(code: str, kernel: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    env = {**os.environ, "ENTROLITH_KERNEL": kernel}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_fastest_kernel_is_first() -> None:
    assert _core.kernels() == [name for name in reversed(KERNELS) if name in _core.kernels()]
    assert "portable" in _core.kernels()


@pytest.mark.parametrize("kernel", ["", *KERNELS])
def test_environment_names_the_kernel(kernel: str) -> None:
    if kernel and kernel not in _core.kernels():
        pytest.skip(f"this processor does not run the kernel {kernel}")
    done = run("from entrolith import _core; print(_core.kernel())", kernel)
    assert done.stdout.split() == [kernel or _core.kernels()[0]], done.stderr


USE = """
import numpy as np
import entrolith
try:
    entrolith.compress(np.ones(3, np.float32))
except entrolith.KernelError as error:
    print(error.field, error)
"""


def test_environment_names_no_kernel() -> None:
    """Importing is not using: the error comes where it can be caught."""
    done = run(USE, "mmx")
    assert done.stdout.startswith("ENTROLITH_KERNEL no kernel 'mmx' here"), done.stderr
    assert all(name in done.stdout for name in _core.kernels())


def test_unknown_kernel_is_refused() -> None:
    before = _core.kernel()
    with pytest.raises(entrolith.KernelError, match="no kernel 'mmx' here"):
        _core.set_kernel("mmx")
    assert _core.kernel() == before


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_lengths(name: str, kind: str, dtype: str, profile: str) -> None:
    for n in LENGTHS:
        check(name, make(kind, dtype, n), dtype, profile, entrolith.TableSet.default())


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_chunks(name: str, kind: str, dtype: str) -> None:
    for n in LONG:
        check(name, make(kind, dtype, n), dtype, "sw-n64-c32768", entrolith.TableSet.default())


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_every_width_of_raw_parts(name: str, dtype: str) -> None:
    mantissa = LAYOUTS[dtype].mantissa
    for trailing in range(mantissa + 1):
        for n in (600, 1300):
            values = make("dense", dtype, n, seed=trailing)
            values = (values >> trailing << trailing).astype(values.dtype)
            check(name, values, dtype, "sw-n64-c32768", entrolith.TableSet.default())


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("share", [0.002, 0.05, 0.5, 1])
def test_escapes(name: str, dtype: str, share: float) -> None:
    """Few enough that most groups of lanes have none, up to one in every lane."""
    steep = entrolith.TableSet(((1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 8),))
    few = entrolith.TableSet(((2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3),))
    layout = LAYOUTS[dtype]
    rng = np.random.default_rng(0)
    for n in (64, 500, 4000):
        below = np.where(
            rng.random(n) < share, rng.integers(4, layout.top, n), rng.integers(0, 4, n)
        )
        values = layout.join(rng.integers(0, 2, n), layout.top - below, 1)
        for tables in (steep, few):
            check(name, values, dtype, "sw-n64-c32768", tables)


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 33, 127, 128])
def test_table_sets(name: str, count: int) -> None:
    """Ties and the last table of sets that fill registers and that do not."""
    rng = np.random.default_rng(count)
    shuffled = [tuple(rng.permutation([1, 2, 3, 4, 5, 6, 7, 8, 8]).tolist()) for _ in range(count)]
    tables = entrolith.TableSet(
        tuple((*lengths[:-1], *(0,) * 7, lengths[-1]) for lengths in shuffled)
    )
    for dtype in LAYOUTS:
        check(name, make("mixed", dtype, 5000), dtype, "sw-n64-c32768", tables)


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("log2_lanes", [3, 4, 5, 6])
def test_streams_of_any_parameters(name: str, log2_lanes: int, dtype: str) -> None:
    """Blocks that begin in the middle of the lanes, and blocks of a whole chunk."""
    for i, kind in enumerate(KINDS):
        log2_block = 5 + i % 5
        profile = Profile(
            1, 9 + i % 3, log2_block, log2_lanes, i % 2, stored=False, trailing=i % 3 > 0
        )
        for n in (1, 33, 97, 1500):
            values = make(kind, dtype, n, seed=log2_lanes)
            check_reading(name, streams.write(values, dtype, profile), values)
    largest = Profile(1, 15, 15, log2_lanes, 1, stored=False, trailing=True)
    values = make("dense", dtype, 17000)
    check_reading(name, streams.write(values, dtype, largest), values)


def test_values_at_any_address(name: str) -> None:
    for dtype in LAYOUTS:
        values = make("sparse", dtype, 3000)
        for first in range(1, 33, 3):
            check(name, values[first:], dtype, "sw-n64-c32768", entrolith.TableSet.default())


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_damage(name: str, dtype: str) -> None:
    for number, (_, stream) in enumerate(streams.small(dtype, 200)):
        check_damaged(name, islice(streams.flips(stream), number % 7, None, 7))
        check_damaged(name, streams.garbage(stream, 100, number))


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("kind", ["dense", "escapes", "sparse", "subnormals", "mixed"])
def test_damage_of_64_lanes(name: str, kind: str, dtype: str) -> None:
    """Without a check value the fault is left to the codes: what they find wrong, and where."""
    profile = Profile(1, 10, 9, 6, 0, stored=False, trailing=True)
    stream = streams.write(make(kind, dtype, 1300), dtype, profile)
    check_damaged(name, islice(streams.flips(stream), 0, None, 11))
    check_damaged(name, streams.garbage(stream, 300, 1))
