# SPDX-License-Identifier: Apache-2.0
"""No block reads the word of a RAM that it is writing (hls/ram.py)."""

import json
import re

import pytest

from cosim.bench import simulation
from cosim.bench.poison import poisoned
from cosim.bench.simulation import BUILD
from hls.configuration import ROOT, find

MANIFEST = json.loads((ROOT / "rtl" / "MANIFEST.json").read_text())["configs"]
QUICK = re.compile("gradient_(enc|dec)_w[14]_fp32")  # others: like these, narrower
FULL = pytest.mark.full
SHORT = "idle=coin/stall=coin|on_chunks"  # fills every memory of a codec more than once


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if QUICK.fullmatch(name) else FULL)
        for name, entry in MANIFEST.items()
        if entry["top"]
    ],
)
def test_outputs_are_known(name: str) -> None:
    folder = BUILD / name / "poisoned"
    simulation.simulate(find(name), folder, only=SHORT, edit=poisoned).check()


def test_a_clash_shows() -> None:
    """Or the test above could not fail."""

    def clashing(text: str) -> str:
        return re.sub(r"\(\w+ && \w+ == \w+\) \?", "(1) ?", poisoned(text))

    folder = BUILD / "mutants" / "fifo_clashing"
    outcome = simulation.simulate(find("fifo"), folder, edit=clashing, only="keeps_the_words")
    assert outcome.failed
