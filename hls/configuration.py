# SPDX-License-Identifier: Apache-2.0
"""The configurations of configs.toml: which block, built how, under which name.

A block is one file, hls/<block>.py, which exports
    <block>   the MyHDL block, called as <block>(clk, rst, <its ports in order>, <its parameters>)
    ports     a function that makes those ports afresh: a dict of name to Signal or AxiStream;
              streams are called s_... where words enter and m_... where they leave
    CONTRACT  what it promises (hls/stream.py); instead, if that depends on parameters, `contract`,
              a function of them
Block, `ports` and `contract` take by name what they need of `fmt` (a NumberFormat), `tables` (a
table set) and the other parameters that the configuration gives. The block's docstring, which
becomes the header of the Verilog module, has a line "name  in|out  meaning" for each port but clk;
in the Verilog only the ports of the configuration are left.
"""

from __future__ import annotations

import importlib
import inspect
import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from myhdl import ResetSignal, Signal

from hls.point import NUMBER_FORMATS, NumberFormat, Tables
from hls.stream import Contract

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATIONS = Path(__file__).with_name("configs.toml")
BUILT = ROOT / "tables" / "built"


@dataclass(frozen=True)
class TableSet:
    """A set of tables/built: name, identity (FORMAT.md section 3.3) in hex, and the tables."""

    name: str
    identity: str
    tables: Tables

    @classmethod
    def load(cls, name: str) -> TableSet:
        """Read tables/built/<name>.json."""
        built = json.loads((BUILT / f"{name}.json").read_text())
        tables = tuple(tuple(lengths) for lengths in built["tables"])
        return cls(name, built["identity"], tables)


@dataclass(frozen=True)
class Configuration:
    """One emitted module. top: whether a user would place it, as against a block of a top."""

    name: str
    block: str
    top: bool = False
    fmt: NumberFormat | None = None
    tables: TableSet | None = None
    parameters: dict[str, int] = field(default_factory=dict)

    @property
    def module(self) -> ModuleType:
        """The Python module of the block."""
        return importlib.import_module(f"hls.{self.block}")

    @property
    def codec(self) -> tuple[NumberFormat, TableSet]:
        """The number format and the table set. Raises TypeError if it lacks one."""
        if not self.fmt or not self.tables:
            raise TypeError(f"{self.name} has no number format or no table set")
        return self.fmt, self.tables

    @property
    def built_in(self) -> TableSet | None:
        """The table set that is part of it; there is none where tables are loaded."""
        return None if self.parameters.get("loadable") else self.tables

    @property
    def contract(self) -> Contract:
        """What the block promises."""
        module = self.module
        if hasattr(module, "contract"):
            contract = module.contract(**self.chosen(module.contract))
        else:
            contract = module.CONTRACT
        if not isinstance(contract, Contract):
            raise TypeError(f"hls/{self.block}.py promises no Contract")
        return contract

    @property
    def function(self) -> Callable[..., Any]:
        """The MyHDL block."""
        function: Callable[..., Any] = getattr(self.module, self.block)
        return function

    def ports(self) -> dict[str, Any]:
        """Fresh ports in the order of the module, by name: Signals and AxiStreams."""
        ports: dict[str, Any] = {
            "clk": Signal(bool(0)),
            "rst": ResetSignal(0, active=1, isasync=False),
        }
        ports.update(self.module.ports(**self.chosen(self.module.ports)))
        return ports

    def instance(self, ports: dict[str, Any]) -> Any:
        """The block at these ports, to simulate or to convert."""
        used = self.chosen(self.module.ports).keys() | self.chosen(self.function).keys()
        if unused := self.parameters.keys() - used:
            raise TypeError(f"{self.name}: {self.block} has no parameter {', '.join(unused)}")
        return self.function(**ports, **self.chosen(self.function))

    def chosen(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Those of the parameters that a function takes."""
        given: dict[str, Any] = dict(self.parameters)
        if self.fmt:
            given["fmt"] = self.fmt
        if self.tables:
            given["tables"] = self.tables.tables
        wanted = inspect.signature(function).parameters
        return {name: value for name, value in given.items() if name in wanted}


def load() -> list[Configuration]:
    """The configurations, in the order of the file."""
    with CONFIGURATIONS.open("rb") as file:
        described = tomllib.load(file)
    configurations = []
    for name, fields in described.items():
        block, top = fields.pop("block", name), fields.pop("top", False)
        fmt, tables = fields.pop("format", None), fields.pop("tables", None)
        configurations.append(
            Configuration(
                name=name,
                block=block,
                top=top,
                fmt=NUMBER_FORMATS[fmt] if fmt else None,
                tables=TableSet.load(tables) if tables else None,
                parameters=fields,
            )
        )
    return configurations


def find(name: str) -> Configuration:
    """The configuration of this name. Raises KeyError if there is none."""
    for configuration in load():
        if configuration.name == name:
            return configuration
    raise KeyError(name)
