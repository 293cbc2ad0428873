# SPDX-License-Identifier: Apache-2.0
"""Results on disk, each under a digest of everything it depends on."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def fingerprint(*parts: object) -> str:
    """SHA-256 in hexadecimal of anything JSON can write; equal for equal values only."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Cache:
    """JSON objects by name and fingerprint in a folder that may be deleted at any time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str, key: str) -> Path:
        """File of an entry."""
        return self.folder / f"{name}-{key}.json"

    def get(self, name: str, key: str) -> dict[str, Any] | None:
        """The object kept, or None when there is none that can be read."""
        try:
            kept = json.loads(self.path(name, key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) else None

    def put(self, name: str, key: str, result: Mapping[str, object]) -> None:
        """Keep an object; an interrupted write leaves no half of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(name, key)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(result, sort_keys=True), encoding="utf-8")
        partial.replace(path)
