# SPDX-License-Identifier: Apache-2.0
"""Write the vectors that are missing: `./nox -s vectors`. Those that exist never change."""

from __future__ import annotations

import sys
from pathlib import Path

import entrolith

if not __package__:  # started as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectors.vectors import INVALID, VALID


def main() -> int:
    """Write what is missing; 1 if what exists is not what would be written."""
    streams = {
        vector.path: entrolith.compress(vector.array(), **vector.options)
        if vector.written
        else vector.path.read_bytes()
        for vector in VALID
    }
    bases = {path.stem: data for path, data in streams.items()}
    streams |= {invalid.path: invalid.edit(bases[invalid.base]) for invalid in INVALID}
    changed = [
        path for path, data in streams.items() if path.exists() and path.read_bytes() != data
    ]
    for path in changed:
        print(f"{path.name}: the encoder writes other bytes now; add a vector, never change one")
    for path, data in streams.items():
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            print(f"wrote {path.name}, {len(data)} bytes")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
