# SPDX-License-Identifier: Apache-2.0
"""The committed samples and table sets: what their manifest says, and what build.py writes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference.tables import ESCAPE, codewords, identity, reverse

TABLES = Path(__file__).parents[1]
DATA = TABLES.parents[1] / "shared" / "data" / "gradients"
MANIFEST = tomllib.loads((TABLES / "samples" / "MANIFEST.toml").read_text())
RECIPES = sorted(path.stem for path in (TABLES / "recipes").glob("*.toml"))


def run(script: Path, *arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def built(name: str) -> Any:
    return json.loads((TABLES / "built" / f"{name}.json").read_text())


@pytest.mark.parametrize("entry", MANIFEST["sample"], ids=lambda entry: entry["file"])
def test_sample_is_what_the_manifest_says(entry: dict[str, Any]) -> None:
    path = TABLES / "samples" / entry["file"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]
    values = np.load(path)
    assert values.dtype == ("<u2" if entry["dtype"] == "bf16" else "<f4")
    assert values.shape == (entry["runs"], 4096)
    assert values.size == entry["count"]
    assert np.count_nonzero(values.view(f"u{values.itemsize}") == 0) == entry["zeros"]


def test_every_sample_is_in_the_manifest_and_they_stay_small() -> None:
    files = sorted((TABLES / "samples").glob("*.npy"))
    assert [path.name for path in files] == sorted(entry["file"] for entry in MANIFEST["sample"])
    assert sum(path.stat().st_size for path in files) < 6 << 20


def test_samples_are_cut_from_the_whole_files(tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip("the whole gradient files, ../shared/data/gradients, are not here")
    assert run(TABLES / "samples" / "cut.py", "--out", str(tmp_path)).returncode == 0
    kept = contents(TABLES / "samples")
    assert contents(tmp_path) == {name: kept[name] for name in kept if name != "cut.py"}


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_build_writes_the_committed_files(tmp_path: Path, hash_seed: str) -> None:
    done = run(TABLES / "build.py", "--out", str(tmp_path), hash_seed=hash_seed)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path) == contents(TABLES / "built")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return shutil.copytree(TABLES, tmp_path / "tables")


def test_build_refuses_seeds_of_another_recipe(copy: Path) -> None:
    recipe = copy / "recipes" / "gradient_k16.toml"
    recipe.write_text(recipe.read_text().replace("block = 512", "block = 256"))
    refused = run(copy / "build.py")
    assert refused.returncode != 0
    assert "./nox -s tables -- --reseed" in refused.stderr
    assert run(copy / "build.py", "--reseed").returncode == 0
    assert run(copy / "build.py").returncode == 0


def test_build_refuses_a_changed_sample(copy: Path) -> None:
    sample = copy / "samples" / "bert.mid.fp32.npy"
    sample.write_bytes(sample.read_bytes()[:-1] + b"\1")
    refused = run(copy / "build.py")
    assert refused.returncode != 0
    assert "bert.mid.fp32.npy: its SHA-256 is not the one in MANIFEST.toml" in refused.stderr


@pytest.mark.parametrize("name", RECIPES)
def test_table_set(name: str) -> None:
    fields = built(name)
    recipe = TABLES / "recipes" / f"{name}.toml"
    assert len(fields["tables"]) == tomllib.loads(recipe.read_text())["k"]
    assert fields["name"] == name
    assert fields["identity"] == identity(fields["tables"]).hex()  # checks section 3.2 as well
    assert fields["provenance"]["recipe_sha256"] == hashlib.sha256(recipe.read_bytes()).hexdigest()
    digests = {entry["file"]: entry["sha256"] for entry in MANIFEST["sample"]}
    for sample, digest in fields["provenance"]["samples_sha256"].items():
        assert digests[sample] == digest


@pytest.mark.parametrize("name", RECIPES)
def test_encoder_rom_is_the_table_set(name: str) -> None:
    words = (TABLES / "built" / f"{name}.enc.hex").read_text().split()
    expected = []
    for lengths in built(name)["tables"]:
        codes = codewords(lengths)
        for symbol in range(16):
            length, code = codes.get(symbol, codes[ESCAPE])
            escape = symbol == ESCAPE or symbol not in codes
            expected.append(f"{escape << 12 | length << 8 | reverse(code, length):04x}")
    assert words == expected


@pytest.mark.parametrize("name", RECIPES)
def test_decoder_rom_is_the_table_set(name: str) -> None:
    """Read every codeword with the steps of tables/README.md."""
    words = (TABLES / "built" / f"{name}.dec.hex").read_text().split()
    tables = built(name)["tables"]
    assert len(words) == len(tables)
    for word, lengths in zip((int(w, 16) for w in words), tables, strict=True):
        for symbol, (length, code) in codewords(lengths).items():
            for rest in range(1 << (8 - length)):
                window = code << (8 - length) | rest
                decoded = 1 + sum(window >= (word >> 9 * i & 511) for i in range(7))
                bias = word >> (63 + 4 * (decoded - 1)) & 15
                rank = (window >> (8 - decoded)) + bias & 15
                assert (decoded, word >> (95 + 4 * rank) & 15) == (length, symbol)
