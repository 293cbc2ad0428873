# SPDX-License-Identifier: Apache-2.0
"""FORMAT.md is executed: each `example` is what both encoders write and both decoders read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import entrolith
import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from reference.decode import decode
from reference.encode import encode, encode_mapping
from reference.profile import PROFILES, Profile, level
from reference.tables import ESCAPE, codewords, identity
from reference.zeros import KNOWN_TABLES

FORMAT = Path(__file__).parents[1] / "FORMAT.md"
FENCE = re.compile(r"^```example (?P<attributes>.*?)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BITS = {"fp32": "<u4", "bf16": "<u2", "fp16": "<u2", "fp64": "<u8", "fp8e5m2": "u1"}


@dataclass(frozen=True)
class Example:
    """One fenced block: its attributes, and its bytes without the comments."""

    attributes: dict[str, str]
    data: bytes


def examples() -> list[Example]:
    found = []
    for fence in FENCE.finditer(FORMAT.read_text(encoding="utf-8")):
        attributes = dict(item.split("=", 1) for item in fence["attributes"].split())
        lines = (line.split("#")[0] for line in fence["body"].splitlines())
        found.append(Example(attributes, bytes.fromhex(" ".join(lines))))
    return found


EXAMPLES = examples()
SETS = [e for e in EXAMPLES if e.attributes["kind"] == "table_set"]
STREAMS = [e for e in EXAMPLES if e.attributes["kind"] == "stream"]
MAPPINGS = [e for e in EXAMPLES if e.attributes["kind"] == "mapping"]


def lengths(attribute: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(n) for n in table.split(",")) for table in attribute.split(";"))


TABLES = lengths(SETS[0].attributes["tables"])


def name(example: Example) -> str:
    return example.attributes["id"]


def values_of(listed: str) -> list[int]:
    """`v*n` is n times v."""
    items = [item.partition("*") for item in listed.split(",") if item]
    return [int(v, 16) for v, _, times in items for _ in range(int(times or 1))]


def shape_of(listed: str) -> tuple[int, ...]:
    return tuple(int(d) for d in listed.split(",") if d)


def profile_of(attributes: dict[str, str]) -> Profile:
    if "level" in attributes:
        return level(int(attributes["level"]))
    return PROFILES[attributes["profile"]]


def options_of(attributes: dict[str, str]) -> dict[str, Any]:
    """How the package is asked for the same."""
    if "level" in attributes:
        return {"level": int(attributes["level"])}
    return {"profile": attributes["profile"]}


def arrays_of(attributes: dict[str, str]) -> dict[str, tuple[str, tuple[int, ...], list[int]]]:
    """The tensors of a mapping."""
    fields = (
        attributes["names"].split(","),
        attributes["dtypes"].split(","),
        attributes["shapes"].split(";"),
        attributes["values"].split(";"),
    )
    return {
        name: (dtype, shape_of(shape), values_of(values))
        for name, dtype, shape, values in zip(*fields, strict=True)
    }


def array_of(dtype: str, shape: tuple[int, ...], values: list[int]) -> NDArray[Any]:
    """What the package compresses; types that NumPy lacks as bit patterns."""
    bits = np.array(values, BITS[dtype]).reshape(shape)
    return bits if dtype in ("bf16", "fp8e5m2") else bits.view(f"<f{bits.itemsize}")


def test_every_fence_was_found() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    assert len(SETS) + len(STREAMS) + len(MAPPINGS) == text.count("\n```example ") > 0
    assert len({name(e) for e in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("example", SETS, ids=name)
def test_identity_of_a_table_set(example: Example) -> None:
    tables = lengths(example.attributes["tables"])
    assert identity(tables) == example.data
    assert entrolith.TableSet(tables).id == example.data.hex()


@pytest.mark.parametrize("example", STREAMS, ids=name)
def test_reference(example: Example) -> None:
    a = example.attributes
    dtype, shape, values = a["dtype"], shape_of(a["shape"]), values_of(a["values"])
    assert encode(values, dtype, shape, TABLES, profile_of(a)) == example.data
    assert decode(example.data, TABLES) == (dtype, shape, values)


@pytest.mark.parametrize("example", STREAMS, ids=name)
def test_package(example: Example) -> None:
    a = example.attributes
    array = array_of(a["dtype"], shape_of(a["shape"]), values_of(a["values"]))
    tables = entrolith.TableSet(TABLES)
    data = entrolith.compress(array, dtype=a["dtype"], tables=tables, **options_of(a))
    assert data == example.data
    back = entrolith.decompress(data, tables=tables)
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize("example", MAPPINGS, ids=name)
def test_reference_of_a_mapping(example: Example) -> None:
    arrays = arrays_of(example.attributes)
    assert encode_mapping(arrays, TABLES, profile_of(example.attributes)) == example.data
    back = decode(example.data, TABLES)
    assert back == arrays
    assert list(back) == list(arrays)


@pytest.mark.parametrize("example", MAPPINGS, ids=name)
def test_package_of_a_mapping(example: Example) -> None:
    arrays = {name: array_of(*array) for name, array in arrays_of(example.attributes).items()}
    typed = {
        name: array.view(ml_dtypes.bfloat16) if array.dtype == np.uint16 else array
        for name, array in arrays.items()
    }
    tables = entrolith.TableSet(TABLES)
    data = entrolith.compress(typed, tables=tables, **options_of(example.attributes))
    assert data == example.data
    back = entrolith.decompress(data, tables=tables)
    assert list(back) == list(arrays)
    assert all(back[name].tobytes() == array.tobytes() for name, array in arrays.items())


def test_profiles_are_those_of_the_document() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)`(?: \(2\))?"
        + r" \| (\d+)" * 5
        + r" \| (yes|no)"
        + r" \| (\w+)" * 3
        + r" \|$",
        FORMAT.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {row[0] for row in rows} == set(PROFILES)
    for profile, *numbers, stored, trailing, costs, known in rows:
        p = PROFILES[profile]
        assert [p.version, p.log2_chunk, p.log2_block, p.log2_lanes, p.check] == [
            int(n) for n in numbers
        ]
        assert (p.stored, p.known_pairs > 0) == (stored == "yes", known == "yes")
        assert p.trailing == (0 if trailing == "no" else int(trailing))
        assert p.step == int(costs)


def test_known_tables_are_those_of_the_document() -> None:
    rows = re.findall(
        r"^\| (\d) \| `(distance|run)_table`" + r" \| (\d)" * 16 + r" \|$",
        FORMAT.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [row[:2] for row in rows] == [
        (str(known), name) for known in range(len(KNOWN_TABLES)) for name in ("distance", "run")
    ]
    tables = [tuple(int(length) for length in row[2:]) for row in rows]
    assert tables == [lengths for pair in KNOWN_TABLES for lengths in pair]
    for lengths in tables:
        assert set(codewords(lengths)) == {*range(13), ESCAPE}  # no class of 4096 values escapes
