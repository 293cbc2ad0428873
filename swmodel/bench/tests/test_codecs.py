# SPDX-License-Identifier: Apache-2.0
"""The codecs that are compared give back every bit, or say why they are not there."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from bench import ndzip, ours, peers
from bench.codec import Codec, Skipped
from bench.data import Data
from bench.measure import size
from entrolith import _core


def awkward(dtype: str, count: int) -> Data:
    """Two tensors with every kind of value."""
    rng = np.random.default_rng(count)
    bits = {"fp32": 32, "bf16": 16}[dtype]
    patterns = rng.integers(0, 1 << bits, count, np.uint64).astype(f"u{bits // 8}")
    patterns[::3] = 0
    patterns[1::7] = 1 << bits - 1
    half = count // 2
    return Data("awkward", dtype, {"a": patterns[:half].reshape(1, -1), "b": patterns[half:]})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, which zipnn imports
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("product", peers.PEERS)
def test_peers_are_lossless(product: str, dtype: str) -> None:
    for codec in peers.load(product, dtype):
        if isinstance(codec, Skipped):
            pytest.skip(f"{codec.name}: {codec.reason}")
        assert codec.product == product
        assert codec.name.startswith(product)
        for count in (8192, 8193, 9999):
            before = awkward(dtype, count)
            size(codec, before)
            assert (before.joined == awkward(dtype, count).joined).all()


def test_a_peer_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_dtype: str) -> list[Codec]:
        import_module("no_such_compressor")
        return []

    monkeypatch.setitem(peers.PEERS, "absent", ("absent-wheel", absent))
    (found,) = peers.load("absent", "fp32")
    assert isinstance(found, Skipped)
    assert found.name == "absent"
    assert "absent-wheel is not installed" in found.reason
    assert "--group=bench" in found.reason


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_our_entries_are_lossless_or_explained(dtype: str) -> None:
    loaded = ours.load(dtype)
    assert [each.name for each in loaded] == [entry.name for entry in ours.ENTRIES]
    assert len({each.name for each in loaded}) == len(loaded)
    codecs = [each for each in loaded if isinstance(each, Codec)]
    assert codecs[0].name == "entrolith"
    for codec in codecs:
        size(codec, awkward(dtype, 9999))
    assert all(each.reason for each in loaded if isinstance(each, Skipped))


def test_a_kernel_that_this_cpu_has_not_is_named() -> None:
    assert "no z80 kernel" in (ours.obstacle(ours.Entry(kernel="z80")) or "")
    assert ours.obstacle(ours.DEFAULT) is None


def test_a_kernel_is_forced_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    forced = ["best"]
    monkeypatch.setattr(_core, "kernel", lambda: forced[-1])
    monkeypatch.setattr(_core, "set_kernel", forced.append)

    def fail() -> None:
        with ours.running("portable"):
            assert forced[-1] == "portable"
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert forced == ["best", "portable", "best"]


STAND_IN = """
#include <cstddef>
#include <cstring>
extern "C" std::size_t ndzip_bound(std::size_t n) { return 4 * n + 64; }
extern "C" std::size_t ndzip_compress(const float *values, std::size_t n, void *stream) {
    if (n % 4096 != 0) return 0;
    std::memset(stream, 7, 3);
    std::memcpy(static_cast<char *>(stream) + 3, values, 4 * n);
    return 4 * n + 3;
}
extern "C" std::size_t ndzip_decompress(const void *stream, std::size_t bytes, float *values,
                                        std::size_t n) {
    if (bytes != 4 * n + 3) return 0;
    std::memcpy(values, static_cast<const char *>(stream) + 3, 4 * n);
    return bytes;
}
"""


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with ndzip's three functions that copies."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("no C++ compiler to build a library with")
    folder = tmp_path_factory.mktemp("ndzip")
    source, library = folder / "stand_in.cpp", folder / "stand_in.so"
    source.write_text(STAND_IN)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


@pytest.mark.parametrize("count", [2, 4095, 4096, 4097, 3 * 4096 + 5])
def test_ndzip_is_given_whole_blocks(stand_in: Path, count: int) -> None:
    (codec,) = ndzip.load(stand_in, "fp32")
    assert isinstance(codec, Codec)
    assert size(codec, awkward("fp32", count)).stream_bytes == ndzip.COUNT + 3 + 4 * count


def test_ndzip_is_skipped_without_a_library_and_for_bf16(stand_in: Path) -> None:
    for path, dtype in ((None, "fp32"), (stand_in, "bf16")):
        (found,) = ndzip.load(path, dtype)
        assert isinstance(found, Skipped)
        assert found.name.startswith("ndzip")
