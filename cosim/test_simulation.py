# SPDX-License-Identifier: Apache-2.0
"""A simulation passes only if tests ran and passed; what hides that would hide everything."""

import pytest

from cosim.bench.simulation import BUILD, BuildError, simulate
from hls.configuration import find

FOLDER = BUILD / "simulation"


def test_no_test_is_no_success() -> None:
    outcome = simulate(find("fifo"), FOLDER / "none", only="no test of this name")
    with pytest.raises(AssertionError, match="no test ran"):
        outcome.check()


def test_a_module_that_does_not_compile_is_no_mutant() -> None:
    with pytest.raises(BuildError, match=r"fifo\.v"):
        simulate(find("fifo"), FOLDER / "broken", edit=lambda text: text.replace("endmodule", ""))


def test_a_failure_is_told_with_its_cause() -> None:
    def dumb(text: str) -> str:
        return text.replace("assign m_axis_tvalid =", "assign m_axis_tvalid = 1'b0 &")

    outcome = simulate(find("fifo"), FOLDER / "dumb", edit=dumb, only="keeps_its_contract")
    assert outcome.failed == ["keeps_its_contract"]
    with pytest.raises(AssertionError, match="SimTimeoutError"):
        outcome.check()
