# SPDX-License-Identifier: Apache-2.0
"""Sections 1 and 2 of FORMAT.md: header, directory, footer."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from reference.matrix import Matrix, read_matrix
from reference.reader import CORRUPT, DTYPES, MODE, TABLE, VERSION, Dtype, Reader, Refused
from reference.tables import Lengths, identity

MAGIC = b"\x8fELZ"
FOOTER, MAPPING = 1, 2


@dataclass(frozen=True)
class Tensor:
    """One tensor of a segment; `rank` is its position in the mapping."""

    name: str
    shape: tuple[int, ...]
    rank: int = 0

    @property
    def values(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Segment:
    """Tensors whose values are cut into chunks together."""

    dtype: Dtype
    predictor: int
    matrix: Matrix | None  # of predictor 3
    tensors: tuple[Tensor, ...]

    def chunks(self, full: int) -> Iterator[int]:
        """The values of each chunk. `full` is 2^log2_chunk."""
        if self.matrix is not None:
            yield from (count for count, _ in self.matrix.chunks(full))
            return
        values = sum(tensor.values for tensor in self.tensors)
        yield from (min(full, values - first) for first in range(0, values, full))


@dataclass(frozen=True)
class Header:
    """All that comes before the chunks."""

    version: int
    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: int
    flags: int
    segments: tuple[Segment, ...]

    @property
    def tail(self) -> int:
        """T of section 5.1: raw bytes that travel in the lanes."""
        return (1 << self.log2_lanes) - (4 if self.check else 0)


def read_header(r: Reader, tables: Sequence[Lengths]) -> Header:
    """Section 1."""

    def ranged(field: str, low: int, high: int) -> int:
        value = r.integer(1, field)
        if not low <= value <= high:
            raise Refused(CORRUPT, field, r.at - 1, f"{value} is outside {low}..{high}")
        return value

    def only(field: str, allowed: Sequence[int]) -> int:
        value = r.integer(1, field)
        if value not in allowed:
            raise Refused(MODE, field, r.at - 1, f"{value} is reserved")
        return value

    if r.take(4, "magic") != MAGIC:
        raise Refused(CORRUPT, "magic", 0, "not an Entrolith stream")
    version = r.integer(1, "version")
    if version not in (1, 2):
        raise Refused(VERSION, "version", 4, f"version {version}; this decoder reads 1 and 2")
    probe = Reader(r.data, 20)
    end = 24 + probe.integer(4, "directory_bytes")
    probe = Reader(r.data, 24)
    probe.take(end - 24, "directory")
    if probe.integer(4, "header_check") != zlib.crc32(r.data[:end]):
        raise Refused(CORRUPT, "header_check", end, "does not match the header")
    only("kind", (1,))
    log2_chunk = ranged("log2_chunk", 9, 15 if version == 1 else 16)
    log2_block = ranged("log2_block", 5, log2_chunk)
    log2_lanes = ranged("log2_lanes", 3, 6)
    check = only("check", (0, 1))
    flags = only("flags", (0,) if version == 1 else range((FOOTER | MAPPING) + 1))
    only("flags2", (0,))
    if r.take(8, "table_set") != identity(tables):
        raise Refused(TABLE, "table_set", 12, "names a table set that is not at hand")
    r.take(4, "directory_bytes")
    full = 1 << log2_chunk
    directory = Reader(r.data, r.at, end, CORRUPT)
    segments = read_directory(directory, version, bool(flags & MAPPING), full)
    r.at = end + 4
    return Header(version, log2_chunk, log2_block, log2_lanes, check, flags, segments)


def read_directory(r: Reader, version: int, mapping: bool, full: int) -> tuple[Segment, ...]:
    """Section 2."""
    segment_count = r.varint("segment_count")
    if not mapping and segment_count != 1:
        cause = MODE if version == 1 else CORRUPT
        raise Refused(cause, "segment_count", r.at, "more or less than one segment")
    segments: list[Segment] = []
    names: set[str] = set()
    total = 0
    for _ in range(segment_count):
        segments.append(read_segment(r, version, mapping, names, full))
        total += sum(tensor.values for tensor in segments[-1].tensors)
        if total > 1 << 48:
            raise Refused(CORRUPT, "dimension", r.at, "more than 2^48 values")
    if mapping:
        segments = read_ranks(r, segments)
    if r.at != r.end:
        raise Refused(CORRUPT, "directory_bytes", r.at, "the directory ends early")
    return tuple(segments)


def read_segment(r: Reader, version: int, mapping: bool, names: set[str], full: int) -> Segment:
    """A segment's fields; `names` are those already used."""
    code = r.integer(1, "dtype")
    if not 1 <= code <= 6:
        raise Refused(CORRUPT, "dtype", r.at - 1, f"{code} is no type")
    if version == 1 and code > 3:
        raise Refused(MODE, "dtype", r.at - 1, f"{code} is reserved")
    predictor = r.integer(1, "predictor")
    if predictor > 4:
        raise Refused(CORRUPT, "predictor", r.at - 1, f"{predictor} is no predictor")
    if predictor not in (0, 3) or (version == 1 and predictor):
        raise Refused(MODE, "predictor", r.at - 1, f"{predictor} is reserved")
    parameter_bytes = r.varint("parameter_bytes")
    if predictor == 0 and parameter_bytes:
        raise Refused(CORRUPT, "parameter_bytes", r.at, "predictor 0 has no parameters")
    start = r.at
    r.take(parameter_bytes, "parameters")
    parameters = Reader(r.data, start, r.at, CORRUPT)
    tensor_count = r.varint("tensor_count")
    if tensor_count != 1 and (predictor or not mapping):
        cause = MODE if version == 1 else CORRUPT
        raise Refused(cause, "tensor_count", r.at, "more or less than one tensor")
    tensors: list[Tensor] = []
    total = 0
    for _ in range(tensor_count):
        tensors.append(read_tensor(r, version, mapping, names))
        total += tensors[-1].values
        if total > 1 << 48:
            raise Refused(CORRUPT, "dimension", r.at, "more than 2^48 values")
    matrix = read_matrix(parameters, tensors[0].shape, full) if predictor else None
    return Segment(DTYPES[code], predictor, matrix, tuple(tensors))


def read_tensor(r: Reader, version: int, mapping: bool, names: set[str]) -> Tensor:
    """A tensor's fields."""
    text = r.take(r.varint("name_bytes"), "name")
    try:
        name = text.decode()
    except UnicodeDecodeError:
        raise Refused(CORRUPT, "name", r.at, "not UTF-8") from None
    if name and not mapping:
        raise Refused(MODE if version == 1 else CORRUPT, "name", r.at, "named tensors")
    if name in names:
        raise Refused(CORRUPT, "name", r.at, f"{name!r} occurs twice")
    names.add(name)
    ndim = r.varint("ndim")
    if ndim > 32:
        raise Refused(CORRUPT, "ndim", r.at, f"{ndim} is above 32")
    shape = tuple(r.varint("dimension") for _ in range(ndim))
    count = 1
    for dimension in sorted(shape):  # a zero first: a product of huge dimensions may still be 0
        count *= dimension
        if count > 1 << 48:
            raise Refused(CORRUPT, "dimension", r.at, "more than 2^48 values")
    return Tensor(name, shape)


def read_ranks(r: Reader, segments: Sequence[Segment]) -> list[Segment]:
    """The tensors of all segments with their positions in the mapping."""
    total = sum(len(segment.tensors) for segment in segments)
    seen: set[int] = set()
    ranked = []
    for segment in segments:
        tensors = []
        for tensor in segment.tensors:
            rank = r.varint("rank")
            if rank >= total or rank in seen:
                raise Refused(CORRUPT, "rank", r.at, "the ranks are not a permutation")
            seen.add(rank)
            tensors.append(Tensor(tensor.name, tensor.shape, rank))
        ranked.append(Segment(segment.dtype, segment.predictor, segment.matrix, tuple(tensors)))
    return ranked


def read_footer(r: Reader, sizes: Sequence[int], chunks: bytes) -> None:
    """Section 1.1: `sizes` of the chunks, which are `chunks` together."""
    start = r.at
    index = [r.integer(3, "index") for _ in sizes]
    stream_check = r.integer(4, "stream_check")
    end = r.at
    if r.integer(4, "footer_check") != zlib.crc32(r.data[start:end]):
        raise Refused(CORRUPT, "footer_check", end, "does not match the footer")
    for k, (size, found) in enumerate(zip(sizes, index, strict=True)):
        if size != found:
            raise Refused(CORRUPT, "index", start + 3 * k, f"chunk {k} has {size} bytes")
    if stream_check != zlib.crc32(chunks):
        raise Refused(CORRUPT, "stream_check", end - 4, "does not match the chunks")
