# SPDX-License-Identifier: Apache-2.0
"""Every fault of mutants.toml, put into the Verilog, makes a test of its bench fail."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cosim.bench.simulation import BUILD, simulate
from hls.configuration import ROOT, find


@dataclass(frozen=True)
class Mutant:
    fault: str
    config: str
    find: str
    put: str
    tests: str

    def __str__(self) -> str:
        return f"{self.config} {self.fault}"

    def edit(self, sound: str) -> str:
        """Put the fault into the text of a module."""
        places = len(re.findall(self.find, sound, re.MULTILINE))
        assert places == 1, f"{self.find!r} matches {places} times: the mutant needs care"
        faulty = re.sub(self.find, self.put, sound, flags=re.MULTILINE)
        assert faulty != sound, "the mutant changes nothing"
        return faulty


def load_mutants() -> list[Mutant]:
    with Path(__file__).with_name("mutants.toml").open("rb") as file:
        return [Mutant(**described) for described in tomllib.load(file)["mutant"]]


MUTANTS = load_mutants()
SUBJECTS = {mutant.config: find(mutant.config) for mutant in MUTANTS}
TOPS_FIRST = [  # the others', too, in a full run
    pytest.param(mutant, marks=[] if SUBJECTS[mutant.config].top else pytest.mark.full)
    for mutant in MUTANTS
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_fits_its_file(mutant: Mutant) -> None:
    """Its expression matches one place of the Verilog that there is."""
    mutant.edit((ROOT / "rtl" / f"{mutant.config}.v").read_text())


@pytest.mark.parametrize("mutant", TOPS_FIRST, ids=str)
def test_is_killed(mutant: Mutant, record_property: Callable[[str, Any], None]) -> None:
    folder = BUILD / "mutants" / re.sub(r"\W+", "_", str(mutant))
    outcome = simulate(SUBJECTS[mutant.config], folder, edit=mutant.edit, only=mutant.tests)
    record_property("mutant", {"name": str(mutant), "killed": bool(outcome.failed)})
    assert outcome.failed, f"it lives: {', '.join(outcome.passed) or 'no test ran'}"


@pytest.mark.full
@pytest.mark.parametrize("config", sorted(SUBJECTS))
def test_the_sound_file_lives(config: str) -> None:
    """Or killing its mutants would mean nothing; a quick run takes its own bench's word for it."""
    tests = "|".join(sorted({m.tests for m in MUTANTS if m.config == config}))
    simulate(SUBJECTS[config], BUILD / "mutants" / f"{config}_sound", only=tests).check()
