# SPDX-License-Identifier: Apache-2.0
"""`entrolith info`: what a stream is, and where its bytes went."""

from __future__ import annotations

import dataclasses
import json
import sys
from argparse import Namespace

import entrolith
from entrolith.cli.arrays import opened
from entrolith.cli.failure import Failure

PARTS = {
    "header": "of the stream",
    "chunk_heads": "mode, size, count",
    "zeros": "where the zeros are",
    "runs": "where the zeros are",
    "lanes": "initial states",
    "tables": "chunks' own",
    "blocks": "greatest exponent, table",
    "scales": "widths, offsets, tables",
    "codes": "exponents",
    "raw": "signs and mantissas",
    "stored": "chunks that are no smaller coded",
    "footer": "sizes of chunks, check of the stream",
}


MOST_TENSORS = 20
"""Arrays of a mapping that are listed as text; --json has them all."""


def info(arguments: Namespace) -> int:
    """Print it as text, or with `--json` as one object."""
    with opened(arguments.file) as file:
        stream = file.read()
    try:
        found = entrolith.info(stream)
    except entrolith.EntrolithError as error:
        raise Failure(f"{arguments.file}: {error}") from None
    sys.stdout.write(_json(found) if arguments.json else _text(found))
    return 0


def _json(found: entrolith.Info) -> str:
    fields = dataclasses.asdict(found)
    fields["original_bytes"] = found.original_bytes
    fields["stream_bytes"] = found.stream_bytes
    return json.dumps(fields, indent=2) + "\n"


def _contents(found: entrolith.Info) -> dict[str, str]:
    """The array, or how many there are and the largest of them."""
    total = f"{found.values} values, {found.original_bytes} bytes"
    if not found.mapping:
        return {"array": f"{_described(found.tensors[0])}, {total}"}
    largest = sorted(found.tensors, key=lambda tensor: -tensor.original_bytes)[:MOST_TENSORS]
    rows = {"arrays": f"{len(found.tensors)}, {total}"}
    return rows | {f"  {tensor.name}": _described(tensor) for tensor in largest}


def _described(tensor: entrolith.Tensor) -> str:
    shape = " x ".join(map(str, tensor.shape)) or "0-d"
    predictor = f", predictor {tensor.predictor}" if tensor.predictor else ""
    return f"{tensor.dtype}, {shape}{predictor}"


def _text(found: entrolith.Info) -> str:
    p = found.parameters
    chunks = ", ".join(f"{count} {form}" for form, count in found.chunks.items() if count)
    blocks = ", ".join(f"{table}: {count}" for table, count in found.blocks.items())
    default = entrolith.TableSet.default()
    tables = f" ({default.name})" if found.table_set == default.id else ""
    profile = f", profile {found.profile}" if found.profile else ""
    facts = {
        **_contents(found),
        "format": f"version {found.version}{profile}: chunks of "
        f"{1 << p.log2_chunk}, blocks of {1 << p.log2_block}, {1 << p.log2_lanes} lanes, "
        f"{'CRC-32' if p.check else 'no check'}",
        "tables": found.table_set + tables,
        "chunks": chunks or "none",
        "blocks": f"by table: {blocks}" if blocks else "none",
    }
    sizes = dataclasses.asdict(found.sizes)
    total = found.stream_bytes
    width = len(str(total))
    rows = [f"{name:11} {text}\n" for name, text in facts.items()]
    rows.append(f"{'bytes':12}{total}")
    rows.append(f", ratio {found.ratio:.4f}\n" if found.values else "\n")
    rows += [
        f"  {name.replace('_', ' '):12}{size:{width}} {size / total:7.2%}  {PARTS[name]}\n"
        for name, size in sizes.items()
        if size
    ]
    return "".join(rows)
