# SPDX-License-Identifier: Apache-2.0
"""Table sets: the code lengths that a stream's exponents are coded with (FORMAT.md section 3)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from entrolith import _core
from entrolith.errors import TableSetError

SYMBOLS = 16
ESCAPE = 15
MAX_LENGTH = 8
MAX_TABLES = 128


@dataclass(frozen=True)
class TableSet:
    """K tables of 16 codeword lengths each; a stream names the set that it needs.

    Attributes:
        tables: for each table the lengths of symbols 0..15, in bits, 0 for no codeword. Any
            sequences of integers are taken and become tuples.
        name: what files call the set. Two sets of equal tables are equal whatever their names.

    Raises:
        TableSetError: the tables break FORMAT.md section 3.2, or are not 1..128.
    """

    tables: tuple[tuple[int, ...], ...]
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.tables) <= MAX_TABLES:
            raise TableSetError(
                f"a set has 1 to {MAX_TABLES} tables, not {len(self.tables)}", "tables"
            )
        checked = tuple(_checked(table, f"tables[{t}]") for t, table in enumerate(self.tables))
        object.__setattr__(self, "tables", checked)

    @cached_property
    def id(self) -> str:
        """The set's identity, 16 hexadecimal digits (FORMAT.md section 3.3)."""
        return hashlib.sha256(bytes([len(self.tables)]) + self._lengths).digest()[:8].hex()

    @property
    def _lengths(self) -> bytes:
        return b"".join(bytes(table) for table in self.tables)

    @staticmethod
    def default() -> TableSet:
        """The set that the package ships and uses when it is told of no other."""
        return _default()

    @classmethod
    def from_json(cls, text: str | bytes) -> TableSet:
        """Read a set from JSON, as `entrolith tables learn` writes it.

        Raises:
            TableSetError: the text is not such an object, or its tables are not those that its
                identity names.
        """
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableSetError(f"not a table set in JSON: {error}") from None
        if not isinstance(content, dict) or not isinstance(content.get("tables"), list):
            raise TableSetError("a table set is a JSON object with a list of tables", "tables")
        name = content.get("name", "")
        if not isinstance(name, str):
            raise TableSetError("the name is not a string", "name")
        tables = cls(content["tables"], name)
        if content.get("identity") != tables.id:
            raise TableSetError(
                f"the identity is {content.get('identity')!r}, that of the tables {tables.id!r}",
                "identity",
            )
        return tables

    def to_json(self) -> str:
        """The set as JSON that `from_json` reads: identity, name and tables, one table a line."""
        rows = ",\n".join(f"    {json.dumps(table)}" for table in self.tables)
        return (
            "{\n"
            f'  "identity": "{self.id}",\n'
            f'  "name": {json.dumps(self.name)},\n'
            f'  "tables": [\n{rows}\n  ]\n'
            "}\n"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TableSet:
        """Read a set from a JSON file.

        Raises:
            OSError: the file cannot be read.
            TableSetError: as `from_json`.
        """
        return cls.from_json(Path(path).read_bytes())


def compiled(tables: TableSet | str | os.PathLike[str] | None) -> _core.TableSet:
    """The decoding and encoding tables of a set, of a file's set, or of the default set."""
    if tables is None:
        tables = TableSet.default()
    elif not isinstance(tables, TableSet):
        tables = TableSet.load(tables)
    return _compiled(tables)


@lru_cache(maxsize=16)
def _compiled(tables: TableSet) -> _core.TableSet:
    lengths = b"".join(bytes(table) for table in tables.tables)
    return _core.TableSet(lengths, bytes.fromhex(tables.id))


@cache
def _default() -> TableSet:
    flat = _core.DEFAULT_TABLES
    rows = tuple(tuple(flat[at : at + SYMBOLS]) for at in range(0, len(flat), SYMBOLS))
    return TableSet(rows, _core.DEFAULT_TABLES_NAME)


def _checked(table: Any, where: str) -> tuple[int, ...]:
    """One table, after section 3.2."""
    if not isinstance(table, Sequence) or len(table) != SYMBOLS:
        raise TableSetError(f"{where} is not {SYMBOLS} lengths", where)
    for symbol, length in enumerate(table):
        if type(length) is not int or not 0 <= length <= MAX_LENGTH:
            at = f"{where}[{symbol}]"
            raise TableSetError(f"{at} is {length!r}, not a whole number 0..{MAX_LENGTH}", at)
    if table[ESCAPE] == 0:
        raise TableSetError(f"{where} has no codeword for the escape", f"{where}[{ESCAPE}]")
    used = sum(1 << (MAX_LENGTH - length) for length in table if length)
    if used != 1 << MAX_LENGTH:
        trouble = "is not complete" if used < 1 << MAX_LENGTH else "has too many codewords"
        raise TableSetError(f"the code of {where} {trouble}", where)
    return tuple(table)
