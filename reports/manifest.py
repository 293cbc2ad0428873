# SPDX-License-Identifier: Apache-2.0
"""Read rtl/MANIFEST.json: which configurations there are, and what each one promises."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPAIR = "regenerate it with: ./nox -s rtl"


class ManifestError(Exception):
    """The manifest, or a file it lists, is missing, malformed or out of date."""


@dataclass(frozen=True)
class Configuration:
    """One emitted design.

    Attributes:
        name: Configuration, also the stem of the file.
        block: The hardware block it configures.
        top: Whether it is a whole encoder or decoder, not a part of one.
        width: Values a cycle that its data path is built for.
        dtype: `fp32`, `bf16`, or None for a block that does not depend on it.
        path: The Verilog file.
        module: Its only module.
        sha256: Digest of the file.
        clock: Name of the clock port.
        memory_bits: Bits of memory that the design is meant to hold outside its logic.
        values_per_cycle: Sustained throughput by the block's contract, or None.
        bits_per_value: Size of an uncompressed value, or None.
    """

    name: str
    block: str
    top: bool
    width: int
    dtype: str | None
    path: Path
    module: str
    sha256: str
    clock: str
    memory_bits: int
    values_per_cycle: float | None
    bits_per_value: int | None


def configuration(name: str, fields: dict[str, Any], folder: Path) -> Configuration:
    """Build a configuration from its object in the manifest.

    Raises:
        ManifestError: A field is missing.
    """
    try:
        contract = fields["contract"]
        return Configuration(
            name=name,
            block=fields["block"],
            top=fields["top"],
            width=fields["width"],
            dtype=fields["dtype"],
            path=folder / fields["file"],
            module=fields["module"],
            sha256=fields["sha256"],
            clock=fields["clock"],
            memory_bits=fields["memory_bits"],
            values_per_cycle=contract["values_per_cycle"],
            bits_per_value=contract["bits_per_value"],
        )
    except KeyError as missing:
        message = f"{folder / 'MANIFEST.json'}: {name} has no field {missing}; {REPAIR}"
        raise ManifestError(message) from missing


def read(folder: Path) -> list[Configuration]:
    """Read the manifest of `folder` and check every file against its digest.

    Returns:
        The configurations, by name.

    Raises:
        ManifestError: See above; the message says how to repair it.
    """
    path = folder / "MANIFEST.json"
    try:
        listed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["configs"]
    except (OSError, ValueError, KeyError, TypeError) as unreadable:
        message = f"{path} cannot be read ({unreadable!r}); {REPAIR}"
        raise ManifestError(message) from unreadable
    configurations = [configuration(name, listed[name], folder) for name in sorted(listed)]
    for config in configurations:
        if digest(config.path) != config.sha256:
            message = f"{config.path} is not the file the manifest lists; {REPAIR}"
            raise ManifestError(message)
    return configurations


def digest(path: Path) -> str | None:
    """SHA-256 of a file in hexadecimal, or None when it is missing."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
