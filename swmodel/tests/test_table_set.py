# SPDX-License-Identifier: Apache-2.0
"""Table sets: what is one, its identity, its file, and the set that is compiled in."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import entrolith
import numpy as np
import pytest
from reference.tables import identity

FLAT = (4,) * 16
STEEP = (1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 8)
BUILT = Path(__file__).parents[2] / "tables" / "built" / "gradient_k16.json"


def test_default_is_the_built_one() -> None:
    shipped = entrolith.TableSet.default()
    assert shipped == entrolith.TableSet.load(BUILT)
    assert shipped.name == "gradient_k16"
    assert shipped is entrolith.TableSet.default()


def test_identity_is_that_of_the_format() -> None:
    for tables in ((FLAT,), (STEEP, FLAT), (FLAT,) * 128, entrolith.TableSet.default().tables):
        assert entrolith.TableSet(tables).id == identity(tables).hex()


def test_value_semantics() -> None:
    tables = entrolith.TableSet([list(FLAT), list(STEEP)], "mine")  # type: ignore[arg-type]
    assert tables.tables == (FLAT, STEEP)
    assert tables == entrolith.TableSet((FLAT, STEEP), "other name")
    assert hash(tables) == hash(entrolith.TableSet((FLAT, STEEP)))
    assert tables != entrolith.TableSet((STEEP, FLAT))
    assert pickle.loads(pickle.dumps(tables)) == tables  # noqa: S301
    with pytest.raises(dataclasses.FrozenInstanceError):
        tables.name = "x"  # type: ignore[misc]


def test_files(tmp_path: Path) -> None:
    tables = entrolith.TableSet((FLAT, STEEP), "mine")
    path = tmp_path / "mine.json"
    path.write_text(tables.to_json())
    again = entrolith.TableSet.load(path)
    assert (again, again.name) == (tables, "mine")
    array = np.linspace(-1, 1, 1000, dtype=np.float32)
    data = entrolith.compress(array, tables=path)
    assert data == entrolith.compress(array, tables=tables)
    assert data != entrolith.compress(array)
    assert np.array_equal(entrolith.decompress(data, tables=str(path)), array)
    assert entrolith.info(data).table_set == tables.id


WRONG: dict[str, tuple[Any, str]] = {
    "no tables": ((), "tables"),
    "129 tables": ((FLAT,) * 129, "tables"),
    "15 lengths": ((FLAT, FLAT[1:]), "tables[1]"),
    "not a list": (("4" * 16,), "tables[0][0]"),
    "a number": ((FLAT, 4), "tables[1]"),
    "9 bits": (((9, *FLAT[1:]),), "tables[0][0]"),
    "negative": (((-1, *FLAT[1:]),), "tables[0][0]"),
    "not whole": (((4.0, *FLAT[1:]),), "tables[0][0]"),
    "no escape": (((*STEEP[:8], 8, *STEEP[9:15], 0),), "tables[0][15]"),
    "incomplete": (((5, *FLAT[1:]),), "tables[0]"),
    "overfull": (((3, *FLAT[1:]),), "tables[0]"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refused(case: str) -> None:
    tables, field = WRONG[case]
    with pytest.raises(entrolith.TableSetError) as caught:
        entrolith.TableSet(tables)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", None),
        ("{", None),
        ("[" * 100_000, None),
        ("\xff", None),
        ("[]", "tables"),
        ("{}", "tables"),
        ('{"tables": 3}', "tables"),
        (json.dumps({"tables": [FLAT], "name": 3}), "name"),
        (json.dumps({"tables": [FLAT]}), "identity"),
        (json.dumps({"tables": [FLAT], "identity": "00" * 8}), "identity"),
        (json.dumps({"tables": [FLAT[1:]], "identity": "00" * 8}), "tables[0]"),
    ],
)
def test_files_refused(text: str, field: str | None) -> None:
    with pytest.raises(entrolith.TableSetError) as caught:
        entrolith.TableSet.from_json(text.encode("latin-1"))
    assert caught.value.field == field


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        entrolith.compress(np.ones(1, np.float32), tables=tmp_path / "none.json")
