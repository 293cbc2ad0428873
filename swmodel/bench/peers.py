# SPDX-License-Identifier: Apache-2.0
"""Other compressors, one thread each, with the settings that serve them best on gradients.

Each product has a function that imports it and gives its codecs for arrays of a dtype: what is
fast, and what is smallest. Products are skipped, by name, if they are not installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from typing import Any

import numpy as np

from bench.codec import Codec, Skipped, as_bytes
from bench.data import Data, Patterns
from bench.openzl_graphs import openzl

ITEM_BYTES = {"fp32": 4, "bf16": 2}

Load = Callable[[str], list[Codec]]


def memcpy(_dtype: str) -> list[Codec]:
    """No compressor: a copy into memory that has been written before, and back."""
    there, back = Copy(), Copy()
    return [Codec("memcpy", "memcpy", there, back)]


class Copy:
    """Copies arrays, always to the same place."""

    def __init__(self) -> None:
        self.to: Patterns = np.zeros(0, np.uint8)

    def __call__(self, array: Patterns) -> Patterns:
        """Copy one array."""
        if self.to.nbytes != array.nbytes:
            self.to = np.zeros_like(array)
        np.copyto(self.to, array)
        return self.to


def zstd(_dtype: str) -> list[Codec]:
    """Zstandard, levels 3 (its default) and 19."""
    module = import_module("zstandard")
    unzstd = module.ZstdDecompressor()
    return [
        Codec(
            f"zstd {level}", "zstd", module.ZstdCompressor(level=level).compress, unzstd.decompress
        )
        for level in (3, 19)
    ]


def lz4(_dtype: str) -> list[Codec]:
    """LZ4's block format, fast and at its highest level."""
    block = import_module("lz4.block")
    best = partial(block.compress, mode="high_compression", compression=12)
    return [
        Codec("lz4", "lz4", block.compress, block.decompress, octets),
        Codec("lz4 hc 12", "lz4", best, block.decompress, octets),
    ]


def octets(data: Data) -> memoryview:
    """The joined patterns as a buffer of bytes."""
    return data.joined.data.cast("B")


def blosc2(dtype: str) -> list[Codec]:
    """Blosc2: bytes or bits of the values apart, then Zstandard or LZ4.

    Blocks of a mebibyte and one stream for each byte plane make its highest level smallest.
    """
    module = import_module("blosc2")
    shuffle, bitshuffle = module.Filter.SHUFFLE, module.Filter.BITSHUFFLE
    zstandard, lz4 = module.Codec.ZSTD, module.Codec.LZ4
    large = {"blocksize": 1 << 20, "splitmode": module.SplitMode.ALWAYS_SPLIT}
    settings: list[tuple[str, Any, Any, int, dict[str, Any]]] = [
        ("shuffle + zstd 1", shuffle, zstandard, 1, {}),
        ("shuffle + zstd 9", shuffle, zstandard, 9, large),
        ("bitshuffle + lz4 5", bitshuffle, lz4, 5, {}),
        ("bitshuffle + zstd 1", bitshuffle, zstandard, 1, {}),
        ("bitshuffle + zstd 9", bitshuffle, zstandard, 9, large),
    ]
    return [
        Codec(
            f"blosc2 {name}",
            "blosc2",
            partial(
                module.compress2,
                typesize=ITEM_BYTES[dtype],
                filters=[by],
                filters_meta=[0],
                codec=codec,
                clevel=level,
                nthreads=1,
                **more,
            ),
            partial(module.decompress2, nthreads=1),
        )
        for name, by, codec, level, more in settings
    ]


def pcodec(dtype: str) -> list[Codec]:
    """Pcodec, levels 8 (its default) and 12, as float32 or, for bf16, as uint16."""
    module, standalone = import_module("pcodec"), import_module("pcodec.standalone")
    configs = {level: module.ChunkConfig(compression_level=level) for level in (8, 12)}
    return [
        Codec(
            f"pcodec {level}",
            "pcodec",
            partial(standalone.simple_compress, config=config),
            standalone.simple_decompress,
            (lambda data: data.values) if dtype == "fp32" else (lambda data: data.joined),
        )
        for level, config in configs.items()
    ]


def zipnn(dtype: str) -> list[Codec]:
    """ZipNN with its default chunks, and with smaller ones, which give smaller streams.

    It overwrites what it compresses, so it is given a new copy each time.
    """
    module = import_module("zipnn")
    found = []
    for kibibytes in (256, 128):
        settings = {
            "input_format": "byte",
            "bytearray_dtype": {"fp32": "float32", "bf16": "bfloat16"}[dtype],
            "threads": 1,
            "compression_chunk": kibibytes << 10,
        }
        there, back = module.ZipNN(**settings), module.ZipNN(**settings)
        name = f"zipnn {kibibytes}k"
        found.append(Codec(name, "zipnn", there.compress, back.decompress, copied))
    return found


def copied(data: Data) -> bytearray:
    """The joined patterns in memory of their own."""
    return bytearray(data.joined.tobytes())


def fpzip(dtype: str) -> list[Codec]:
    """FPZIP without loss, 1-D; two bf16 as one float32, which is smaller than widening them."""
    module = import_module("fpzip")
    if dtype == "fp32":
        compress = partial(module.compress, precision=0)
        return [Codec("fpzip", "fpzip", compress, module.decompress, widened)]

    def compress_pairs(array: Patterns) -> bytes:
        paired = array.size // 2 * 2
        pairs: bytes = module.compress(array[:paired].view(np.float32), precision=0)
        rest = array[paired:].tobytes()
        return pairs + rest + bytes([len(rest)])

    def decompress_pairs(stream: bytes) -> bytes:
        end = len(stream) - 1 - stream[-1]
        return bytes(module.decompress(stream[:end]).tobytes() + stream[end:-1])

    return [Codec("fpzip", "fpzip", compress_pairs, decompress_pairs)]


def zfp(dtype: str) -> list[Codec]:
    """ZFP's reversible mode, 1-D; bf16 widened to fp32."""
    module = import_module("zfpy")
    found = module.compress_numpy, module.decompress_numpy
    return [
        Codec("zfp reversible", "zfp", *found, widened, narrowed if dtype == "bf16" else as_bytes)
    ]


def widened(data: Data) -> Any:
    """The values as float32."""
    return data.values


def narrowed(restored: Any) -> Patterns:
    """From float32 back to bf16."""
    narrow: Patterns = (restored.view(np.uint32) >> 16).astype(np.uint16)
    return narrow


PEERS: dict[str, tuple[str, Load]] = {
    "zstd": ("zstandard", zstd),
    "lz4": ("lz4", lz4),
    "blosc2": ("blosc2", blosc2),
    "pcodec": ("pcodec", pcodec),
    "zipnn": ("zipnn", zipnn),
    "openzl": ("openzl", openzl),
    "fpzip": ("fpzip", fpzip),
    "zfp": ("zfpy", zfp),
}
"""By product: the distribution on PyPI, and the function that loads it."""

GROUPS = {"zipnn": "bench-torch"}  # a product's dependency group; `bench` for the others


def load(product: str, dtype: str) -> list[Codec | Skipped]:
    """The codecs of a product for arrays of `dtype`, or why there are none."""
    distribution, found = PEERS[product]
    try:
        return [*found(dtype)]
    except ImportError as error:
        group = GROUPS.get(product, "bench")
        return [
            Skipped(
                product,
                f"{distribution} is not installed ({error}): uv pip install --group={group}",
            )
        ]


def version(product: str) -> str:
    """The version of an installed product."""
    return metadata.version(PEERS[product][0])
