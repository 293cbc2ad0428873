# SPDX-License-Identifier: Apache-2.0
"""No block reads the word of a RAM that it is writing (hls/ram.py)."""

import json

import pytest

from cosim.bench.poison import poisoned
from cosim.bench.simulation import Simulate
from hls.configuration import ROOT

MANIFEST = json.loads((ROOT / "rtl" / "MANIFEST.json").read_text())["configs"]
TESTS = {  # a short run in which every memory is filled more than once
    "gradient_enc": "idle=coin/stall=coin|on_chunks",
    "gradient_dec": "idle=coin/stall=coin|on_chunks",
}


@pytest.mark.parametrize("name", [name for name, c in MANIFEST.items() if c["memory_bits"]])
def test_outputs_are_known(simulate: Simulate, name: str) -> None:
    simulate(name, only=TESTS.get(MANIFEST[name]["block"]), edit=poisoned)
