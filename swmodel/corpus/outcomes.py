# SPDX-License-Identifier: Apache-2.0
"""What becomes of a stream, in the package and in the reference: they must agree."""

from __future__ import annotations

from collections.abc import Iterable

import entrolith
from reference.decode import decode
from reference.reader import CORRUPT, MODE, TABLE, TRUNCATED, VERSION, Refused

from corpus import streams

TABLES = entrolith.TableSet(streams.TABLES)

CAUSES: dict[type[entrolith.EntrolithError], str] = {
    entrolith.CorruptStreamError: CORRUPT,
    entrolith.TruncatedStreamError: TRUNCATED,
    entrolith.UnsupportedVersionError: VERSION,
    entrolith.UnsupportedModeError: MODE,
    entrolith.TableMismatchError: TABLE,
}

Outcome = tuple[object, object, object]
"""Cause, field and offset of a refusal, or dtype, shape and values; of a mapping, its names."""


def outcome(data: bytes) -> Outcome:
    try:
        values = entrolith.decompress(data, tables=TABLES, as_bits=True)
    except entrolith.EntrolithError as error:
        return refusal(error)
    tensors = entrolith.info(data).tensors
    if not isinstance(values, dict):
        return tensors[0].dtype, values.shape, values.ravel().tolist()
    return (
        [tensor.dtype for tensor in tensors],
        {name: array.shape for name, array in values.items()},
        [array.ravel().tolist() for array in values.values()],
    )


def refusal(error: entrolith.EntrolithError) -> Outcome:
    if not str(error).startswith(f"{error.field} at byte {error.offset}: "):
        raise AssertionError(str(error))
    return CAUSES[type(error)], error.field, error.offset


def expected(data: bytes) -> Outcome:
    try:
        found = decode(data, streams.TABLES)
        if isinstance(found, tuple):
            return found
        dtypes, shapes, values = zip(*found.values(), strict=True) if found else ((), (), ())
        return list(dtypes), dict(zip(found, shapes, strict=True)), list(values)
    except Refused as refused:
        return refused.cause, refused.field, refused.offset


def compare(damaged: Iterable[bytes]) -> list[Outcome]:
    """The outcomes of these streams, after making sure that they are the reference's."""
    found = []
    for data in damaged:
        found.append(expected(data))
        if outcome(data) != found[-1]:
            raise AssertionError(f"{outcome(data)} for {data.hex()}, not {found[-1]}")
    return found
