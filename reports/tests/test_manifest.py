# SPDX-License-Identifier: Apache-2.0
"""The manifest: read whole, or refused with the command that repairs it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from reports import manifest
from reports.manifest import ManifestError

VERILOG = b"module demo (input clk);\nendmodule\n"
FIELDS: dict[str, Any] = {
    "block": "demo",
    "top": True,
    "width": 1,
    "dtype": "fp32",
    "file": "demo_w1.v",
    "module": "demo",
    "sha256": hashlib.sha256(VERILOG).hexdigest(),
    "contract": {"latency": 3, "interval": 1, "values_per_cycle": 0.5, "bits_per_value": 32},
    "memory_bits": 2048,
    "clock": "clk",
}


def folder_with(path: Path, fields: dict[str, Any]) -> Path:
    """An rtl folder of one configuration."""
    (path / "demo_w1.v").write_bytes(VERILOG)
    (path / "MANIFEST.json").write_text(json.dumps({"configs": {"demo_w1": fields}}))
    return path


def test_configuration_is_read(tmp_path: Path) -> None:
    (config,) = manifest.read(folder_with(tmp_path, FIELDS))
    assert (config.name, config.module, config.path) == ("demo_w1", "demo", tmp_path / "demo_w1.v")
    assert (config.values_per_cycle, config.bits_per_value) == (0.5, 32)


def test_edited_verilog_is_refused(tmp_path: Path) -> None:
    folder_with(tmp_path, FIELDS)
    with (tmp_path / "demo_w1.v").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(ManifestError, match=r"demo_w1\.v is not .*\./nox -s rtl"):
        manifest.read(tmp_path)
    (tmp_path / "demo_w1.v").unlink()
    with pytest.raises(ManifestError, match=r"demo_w1\.v is not"):
        manifest.read(tmp_path)


def test_missing_field_is_named(tmp_path: Path) -> None:
    for name in FIELDS:
        fields = {key: value for key, value in FIELDS.items() if key != name}
        with pytest.raises(ManifestError, match=f"demo_w1 has no field '{name}'"):
            manifest.read(folder_with(tmp_path, fields))


@pytest.mark.parametrize("text", [None, "{", "[]", "{}"])
def test_unreadable_manifest_says_how_to_make_it(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "MANIFEST.json").write_text(text)
    with pytest.raises(ManifestError, match=r"\./nox -s rtl"):
        manifest.read(tmp_path)
