# SPDX-License-Identifier: Apache-2.0
"""The inputs of fuzz/corpus, found by searching, through their targets under the sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fuzz.programs import TARGETS, build, environment, kept, unpack

MOST_BYTES = 300_000


@pytest.fixture(scope="session")
def programs() -> dict[str, Path]:
    """The stand-alone programs, which need no fuzzing engine."""
    return build("standalone")


@pytest.mark.parametrize("target", TARGETS)
def test_corpus_keeps_its_promises(target: str, programs: dict[str, Path], tmp_path: Path) -> None:
    inputs = unpack(target, tmp_path)
    replay = subprocess.run(
        [str(programs[target]), str(tmp_path)],
        env=environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    assert replay.returncode == 0, replay.stderr
    assert inputs
    assert replay.stdout == f"{len(inputs)} runs\n"


def test_corpus_is_of_the_targets_and_small() -> None:
    folder = kept(TARGETS[0]).parent
    assert {path.stem for path in folder.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= MOST_BYTES
