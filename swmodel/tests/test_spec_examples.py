# SPDX-License-Identifier: Apache-2.0
"""FORMAT.md is executed: each `example` is what both encoders write and both decoders read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import entrolith
import numpy as np
import pytest
from reference.decode import decode
from reference.encode import PROFILES, encode
from reference.tables import identity

FORMAT = Path(__file__).parents[1] / "FORMAT.md"
FENCE = re.compile(r"^```example (?P<attributes>.*?)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BITS = {"fp32": "<u4", "bf16": "<u2", "fp16": "<u2"}


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


def lengths(attribute: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(n) for n in table.split(",")) for table in attribute.split(";"))


TABLES = lengths(SETS[0].attributes["tables"])


def name(example: Example) -> str:
    return example.attributes["id"]


def values_of(example: Example) -> list[int]:
    return [int(v, 16) for v in example.attributes["values"].split(",") if v]


def shape_of(example: Example) -> list[int]:
    return [int(d) for d in example.attributes["shape"].split(",")]


def test_every_fence_was_found() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    assert len(SETS) + len(STREAMS) == text.count("\n```example ") > 0
    assert len({name(e) for e in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("example", SETS, ids=name)
def test_identity_of_a_table_set(example: Example) -> None:
    tables = lengths(example.attributes["tables"])
    assert identity(tables) == example.data
    assert entrolith.TableSet(tables).id == example.data.hex()


@pytest.mark.parametrize("example", STREAMS, ids=name)
def test_reference(example: Example) -> None:
    a, values = example.attributes, values_of(example)
    shape = shape_of(example)
    assert encode(values, a["dtype"], shape, TABLES, PROFILES[a["profile"]]) == example.data
    assert decode(example.data, TABLES) == (a["dtype"], tuple(shape), values)


@pytest.mark.parametrize("example", STREAMS, ids=name)
def test_package(example: Example) -> None:
    a = example.attributes
    bits = np.array(values_of(example), BITS[a["dtype"]]).reshape(shape_of(example))
    array = bits if a["dtype"] == "bf16" else bits.view(f"<f{bits.itemsize}")
    tables = entrolith.TableSet(TABLES)
    data = entrolith.compress(array, dtype=a["dtype"], profile=a["profile"], tables=tables)
    assert data == example.data
    back = entrolith.decompress(data, tables=tables)
    assert back.shape == bits.shape
    assert back.view(bits.dtype).tolist() == bits.tolist()


def test_profiles_are_those_of_the_document() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d) \| (yes|no) \| (yes|no) \|$",
        FORMAT.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {row[0] for row in rows} == set(PROFILES)
    for profile, *numbers, stored, trailing in rows:
        p = PROFILES[profile]
        assert [p.version, p.log2_chunk, p.log2_block, p.log2_lanes, p.check] == [
            int(n) for n in numbers
        ]
        assert (p.stored, p.trailing) == (stored == "yes", trailing == "yes")
