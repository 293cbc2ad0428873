# SPDX-License-Identifier: Apache-2.0
"""OpenZL, which compresses by a graph of transforms that its user chooses."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.codec import Codec
from bench.data import Patterns

LEVEL = 19  # of the generic graph; levels above it make nothing smaller


def openzl(dtype: str) -> list[Codec]:
    """The generic graph for numbers, by default and smallest; graphs for floats, too.

    The float graphs take values apart into exponents and the rest. The fast one has Huffman codes
    for exponents and stores the rest; the smallest tries what it can for every byte plane.
    """
    zl = import_module("openzl.ext")
    graphs, nodes = zl.graphs, zl.nodes
    apart = nodes.BFloat16Deconstruct() if dtype == "bf16" else nodes.Float32Deconstruct()

    def generic(compressor: Any) -> Any:
        return graphs.Compress()(compressor)

    def fast(compressor: Any) -> Any:
        store, huffman = graphs.Store()(compressor), graphs.Huffman()(compressor)
        return apart(compressor, sign_frac=store, exponent=huffman)

    def smallest(compressor: Any) -> Any:
        store, fse, zstd, any_way = (
            graph()(compressor)
            for graph in (graphs.Store, graphs.Fse, graphs.Zstd, graphs.Compress)
        )
        plane = graphs.BruteForce([store, fse, zstd])(compressor)
        if dtype == "bf16":
            rest = graphs.BruteForce([store, any_way])(compressor)
        else:
            planes = nodes.TransposeSplit()(compressor, plane)
            rest = graphs.BruteForce([store, any_way, planes])(compressor)
        return apart(compressor, sign_frac=rest, exponent=plane)

    return [
        Codec("openzl generic", "openzl", *by(zl, generic, None)),
        Codec(f"openzl generic {LEVEL}", "openzl", *by(zl, generic, LEVEL)),
        Codec("openzl float, fast", "openzl", *by(zl, fast, None)),
        Codec("openzl float, smallest", "openzl", *by(zl, smallest, None)),
    ]


def by(
    zl: Any, graph: Callable[[Any], Any], level: int | None
) -> tuple[Callable[[Patterns], bytes], Callable[[bytes], Patterns]]:
    """The pair of functions that a graph makes."""
    compressor = zl.Compressor()
    compressor.set_parameter(zl.CParam.FormatVersion, zl.MAX_FORMAT_VERSION)
    if level is not None:
        compressor.set_parameter(zl.CParam.CompressionLevel, level)
    compressor.select_starting_graph(graph(compressor))
    there, back = zl.CCtx(), zl.DCtx()

    def compress(array: Patterns) -> bytes:
        there.ref_compressor(compressor)
        stream: bytes = there.compress([zl.Input(zl.Type.Numeric, array)])
        return stream

    def decompress(stream: bytes) -> Patterns:
        array: Patterns = back.decompress(stream)[0].content.as_nparray()
        return array

    return compress, decompress
