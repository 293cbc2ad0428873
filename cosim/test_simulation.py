# SPDX-License-Identifier: Apache-2.0
"""A simulation passes only if tests ran and passed; what hides that would hide everything."""

import pytest

from cosim.bench.simulation import BUILD, BuildError, Simulator, simulate
from cosim.bench.verilated import VerilatorError
from hls.configuration import find

FOLDER = BUILD / "simulation"
BOTH = pytest.mark.parametrize("simulator", Simulator, ids=lambda simulator: simulator.value)


@BOTH
def test_no_test_is_no_success(simulator: Simulator) -> None:
    folder = FOLDER / f"none_{simulator.value}"
    outcome = simulate(find("fifo"), folder, simulator=simulator, only="no test of this name")
    with pytest.raises(AssertionError, match="no test ran"):
        outcome.check()


@BOTH
def test_a_module_that_does_not_compile_is_no_mutant(simulator: Simulator) -> None:
    def broken(text: str) -> str:
        return text.replace("endmodule", "")

    folder = FOLDER / f"broken_{simulator.value}"
    with pytest.raises((BuildError, VerilatorError), match=r"fifo\.v"):
        simulate(find("fifo"), folder, simulator=simulator, edit=broken)


@BOTH
def test_a_failure_is_told_with_its_cause(simulator: Simulator) -> None:
    """Of a model that was kept as well: that of the sound module is another."""

    def dumb(text: str) -> str:
        sound, mute = "m_axis_tvalid <= ram_queue0_fetched_valid;", "m_axis_tvalid <= 0;"
        assert text.count(sound) == 1, "the fault needs another place"
        return text.replace(sound, mute)

    folder, tests = FOLDER / f"dumb_{simulator.value}", "keeps_its_contract"
    simulate(find("fifo"), folder, simulator=simulator, only=tests).check()
    for _ in range(2):
        outcome = simulate(find("fifo"), folder, simulator=simulator, edit=dumb, only=tests)
        assert outcome.failed == ["keeps_its_contract"]
        with pytest.raises(AssertionError, match="SimTimeoutError"):
            outcome.check()
