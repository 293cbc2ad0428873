# SPDX-License-Identifier: Apache-2.0
"""Files of a Debian package at a pinned version, without installing it or what it depends on."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from reports import toolrun
from reports.toolrun import ToolError


@dataclass(frozen=True)
class Package:
    """One version of a package; `sha256` is of its .deb file."""

    name: str
    version: str
    sha256: str


def unpacked(package: Package, folder: Path) -> Path:
    """The root of `package` in `folder`, downloaded and unpacked there unless it is already.

    Raises:
        ToolError: It cannot be had here, or what came is another file.
    """
    root = folder / f"{package.name}_{package.version}"
    if root.is_dir():
        return root
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        place = Path(temporary)
        contents = place / "contents"
        toolrun.run(
            ["dpkg", "-x", str(download(package, place)), str(contents)], place, place / "dpkg.log"
        )
        try:
            contents.rename(root)
        except OSError:
            if not root.is_dir():  # else another process was first
                raise
    return root


def download(package: Package, place: Path) -> Path:
    """Download the .deb file of `package` into the empty folder `place`.

    Raises:
        ToolError: It cannot be had here, or what came is another file.
    """
    pinned = f"{package.name}={package.version}"
    try:
        toolrun.run(["apt-get", "download", pinned], place, place / "apt-get.log")
        (file,) = place.glob("*.deb")
    except (ToolError, ValueError) as failed:
        message = (
            f"{pinned} cannot be downloaded (Debian 12 has it, apt-get update lists it): {failed}"
        )
        raise ToolError(message) from failed
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest != package.sha256:
        message = f"{file.name} has SHA-256 {digest}, not {package.sha256}"
        raise ToolError(message)
    return file
