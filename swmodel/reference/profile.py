# SPDX-License-Identifier: Apache-2.0
"""What an encoder does with its freedom: the tables of FORMAT.md section 8."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.header import FOOTER


@dataclass(frozen=True)
class Profile:
    """A row of the tables of section 8."""

    version: int
    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: int
    stored: bool
    trailing: int
    """What t of rule 3 is a multiple of; 0: always 0; above 1: all blocks of a chunk have one t."""
    runs: bool = False
    """With tables that are made (rule 5)."""
    known_pairs: int = 0
    """In place of these: with known tables, up to so many pairs (rule 1)."""
    step: int = 1
    """Rule 2: a table's cost is taken over every so many values of a block."""
    mode: str = "static"
    scaled: bool = False
    signed: bool = False
    matrix: str = "never"  # "quick" and "exact": rule 10

    @property
    def flags(self) -> int:
        """Of a stream of one array."""
        return FOOTER if self.version == 2 and self.check else 0


PROFILES = {
    "sw-n64-c32768": Profile(1, 15, 9, 6, 1, stored=True, trailing=1),
    "hw-n8-c4096": Profile(1, 12, 9, 3, 1, stored=False, trailing=0),
    "hw2-n8-c4096": Profile(2, 12, 9, 3, 1, stored=False, trailing=8, known_pairs=1024, step=4),
}


def level(number: int, mode: str | None = None, check: bool = True) -> Profile:
    """What a level writes: 1..9; `mode` is static, dynamic, hybrid or None for the level's."""
    effort = (number - 1) // 3
    return replace(
        PROFILES["sw-n64-c32768"],
        version=2,
        log2_chunk=16 if effort == 2 else 15,
        check=int(check),
        runs=effort > 0,
        mode=mode or ("hybrid" if effort else "static"),
        scaled=effort > 0 and mode is None,
        signed=number >= 6 and mode is None,
        matrix=("never", "quick", "exact")[effort if mode is None else 0],
    )
