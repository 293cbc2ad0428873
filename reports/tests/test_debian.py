# SPDX-License-Identifier: Apache-2.0
"""Fetching a package: with stand-ins for apt-get and dpkg that lie beside the test."""

import hashlib
import os
from pathlib import Path

import pytest

from reports import debian
from reports.debian import Package
from reports.toolrun import ToolError

DEB = "a package\n"
PACKAGE = Package("cells", "1.2-3", hashlib.sha256(DEB.encode()).hexdigest())


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on PATH: apt-get writes what it was asked for, dpkg unpacks one file."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder / "apt-get", f'echo "$*" >> {tmp_path}/asked; echo a package > cells.deb')
    program(folder / "dpkg", 'mkdir -p "$3/usr" && cp "$2" "$3/usr/cells.lib"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def program(path: Path, lines: str) -> None:
    """Write an executable shell script."""
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


def test_pinned_version_is_fetched_once(tools: Path, tmp_path: Path) -> None:
    root = debian.unpacked(PACKAGE, tmp_path / "kept" / "here")
    assert (root / "usr" / "cells.lib").read_text() == DEB
    assert debian.unpacked(PACKAGE, tmp_path / "kept" / "here") == root
    assert (tmp_path / "asked").read_text() == "download cells=1.2-3\n"
    assert list(root.parent.iterdir()) == [root]


def test_another_file_is_refused_and_not_kept(tools: Path, tmp_path: Path) -> None:
    program(tools / "apt-get", "echo another > cells.deb")
    with pytest.raises(ToolError, match=r"cells\.deb has SHA-256 .*, not "):
        debian.unpacked(PACKAGE, tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


@pytest.mark.parametrize("lines", ["exit 100", "exit 0"])
def test_failure_says_which_package(tools: Path, tmp_path: Path, lines: str) -> None:
    program(tools / "apt-get", lines)
    with pytest.raises(ToolError, match=r"cells=1\.2-3 cannot be downloaded"):
        debian.unpacked(PACKAGE, tmp_path / "kept")


def test_another_process_may_be_first(tools: Path, tmp_path: Path) -> None:
    root = tmp_path / "kept" / "cells_1.2-3"
    program(tools / "dpkg", f'mkdir -p "$3" {root} && touch {root}/theirs')
    assert debian.unpacked(PACKAGE, tmp_path / "kept") == root
    assert [path.name for path in root.iterdir()] == ["theirs"]
