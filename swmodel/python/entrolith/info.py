# SPDX-License-Identifier: Apache-2.0
"""What a stream holds and where its bytes went."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entrolith import _core, dtypes
from entrolith.options import contiguous

if TYPE_CHECKING:
    from typing_extensions import Buffer

RAW_TABLE = 255
DYNAMIC_TABLE = 128


@dataclass(frozen=True)
class Parameters:
    """The header's fields that shape every chunk (FORMAT.md section 1)."""

    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: bool


@dataclass(frozen=True)
class Sizes:
    """Bytes of a stream by what they hold; they add up to the stream.

    Attributes:
        header: sections 1 and 2 of FORMAT.md.
        chunk_heads: mode, size and count of every chunk.
        zeros: bitmaps of zeros.
        runs: runs of zeros, apart from what of them is in the codes.
        lanes: initial lane states.
        tables: dynamic tables.
        blocks: headers of blocks.
        scales: widths, offsets and tables of scaled and signed chunks.
        codes: codewords, and exponents that have none.
        raw: signs and mantissas, apart from those in the lanes.
        stored: values of stored chunks, and their checks.
        footer: section 1.1.
    """

    header: int
    chunk_heads: int
    zeros: int
    runs: int
    lanes: int
    tables: int
    blocks: int
    scales: int
    codes: int
    raw: int
    stored: int
    footer: int


@dataclass(frozen=True)
class Tensor:
    """One of a stream's tensors.

    Attributes:
        name: in the mapping; "" in the stream of one array.
        dtype: a name of `entrolith.dtypes.DTYPES`.
        shape: of the array.
        predictor: as FORMAT.md section 2 numbers them.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    predictor: int

    @property
    def values(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def original_bytes(self) -> int:
        """Bytes of the array."""
        return self.values * dtypes.DTYPES[self.dtype].bytes


@dataclass(frozen=True)
class Info:
    """What `info` finds in a stream.

    Attributes:
        version: of the format.
        mapping: whether it holds a mapping of names to arrays.
        tensors: in the mapping's order; that of one array has no name.
        profile: the name of the profile with these parameters, None if there is none.
        parameters: of the stream.
        table_set: identity of the table set that it needs, 16 hexadecimal digits.
        chunks: number of chunks by form: "coded", "scaled", "signed", "stored", "zeros".
        blocks: number of blocks by table of the set; those with a table of their chunk's own are
            under "dynamic", those without one under "raw". Tables that no block uses are left out.
        dynamic_tables: number of tables that chunks have of their own.
        zero_runs: number of runs of zeros, where chunks say so and have no bitmap.
        sizes: where the stream's bytes went.
    """

    version: int
    mapping: bool
    tensors: tuple[Tensor, ...]
    profile: str | None
    parameters: Parameters
    table_set: str
    chunks: Mapping[str, int]
    blocks: Mapping[int | str, int]
    dynamic_tables: int
    zero_runs: int
    sizes: Sizes

    @property
    def values(self) -> int:
        """Number of values."""
        return sum(tensor.values for tensor in self.tensors)

    @property
    def original_bytes(self) -> int:
        """Bytes of the arrays."""
        return sum(tensor.original_bytes for tensor in self.tensors)

    @property
    def stream_bytes(self) -> int:
        """Bytes of the stream."""
        return sum(vars(self.sizes).values())

    @property
    def ratio(self) -> float:
        """Stream over arrays: below 1 is smaller; infinite if there are no values."""
        return self.stream_bytes / self.original_bytes if self.values else math.inf


def info(data: Buffer) -> Info:
    """Look into a stream without decoding it; its table set need not be at hand.

    Args:
        data: a stream, as for `decompress`.

    Raises:
        CorruptStreamError, TruncatedStreamError, UnsupportedVersionError, UnsupportedModeError: as
            `decompress`, where the structure is at fault; damage to the values goes unseen.
    """
    header, parts = _core.take_apart(contiguous(data))
    counts = parts.blocks_by_table
    blocks: dict[int | str, int] = dict(enumerate(counts[:DYNAMIC_TABLE]))
    blocks["dynamic"] = sum(counts[DYNAMIC_TABLE:RAW_TABLE])
    blocks["raw"] = counts[RAW_TABLE]
    return Info(
        version=header.parameters[0],
        mapping=header.mapping,
        tensors=tuple(
            Tensor(name, dtypes.of_code(code).name, shape, predictor)
            for name, code, shape, predictor in header.tensors
        ),
        profile=next((n for n, p in _core.PROFILES.items() if p == header.parameters), None),
        parameters=Parameters(*header.parameters[1:]),
        table_set=header.table_set.hex(),
        chunks={
            "coded": parts.coded_chunks,
            "scaled": parts.scaled_chunks,
            "signed": parts.signed_chunks,
            "stored": parts.stored_chunks,
            "zeros": parts.zero_chunks,
        },
        blocks={table: count for table, count in blocks.items() if count},
        dynamic_tables=parts.dynamic_tables,
        zero_runs=parts.zero_runs,
        sizes=Sizes(
            header=parts.header,
            chunk_heads=parts.chunk_heads,
            zeros=parts.zeros,
            runs=parts.runs,
            lanes=parts.lanes,
            tables=parts.tables,
            blocks=parts.blocks,
            scales=parts.scales,
            codes=parts.codes,
            raw=parts.raw,
            stored=parts.stored,
            footer=parts.footer,
        ),
    )
