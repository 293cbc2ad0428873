# SPDX-License-Identifier: Apache-2.0
"""A tool that fails must be seen to fail, whatever it claims."""

import sys
from pathlib import Path

import pytest

from reports import toolrun
from reports.toolrun import ToolError


def python(folder: Path, code: str) -> str:
    """Run a line of Python as the tool."""
    return toolrun.run([sys.executable, "-c", code], folder, folder / "tool.log")


def test_output_is_returned_and_logged(tmp_path: Path) -> None:
    assert python(tmp_path, "print('fine, 0 errors')") == "fine, 0 errors\n"
    assert (tmp_path / "tool.log").read_text() == "fine, 0 errors\n"


@pytest.mark.parametrize(
    "line",
    [
        "Error: design.tcl, 12 invalid command name foo",  # OpenSTA, which goes on with status 0
        "ERROR: Command syntax error",  # Yosys and nextpnr
        "design.v:3: ERROR: syntax error, unexpected ';'",  # Yosys, of a source line
        "Fatal: no licence",
    ],
)
def test_error_line_fails_despite_status_0(tmp_path: Path, line: str) -> None:
    with pytest.raises(ToolError, match="status 0") as caught:
        python(tmp_path, f"print('before'); print({line!r}); print('after')")
    assert line in str(caught.value)
    assert "after" in (tmp_path / "tool.log").read_text()


@pytest.mark.parametrize("line", ["1 warning, 0 errors", "Errors: none", "the error budget"])
def test_the_word_alone_is_no_error(line: str) -> None:
    assert toolrun.error_in(f"start\n{line}\n") is None


def test_status_fails_without_a_message(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"status 3.*last words"):
        python(tmp_path, "print('last words'); raise SystemExit(3)")


def test_missing_tool_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no-such-tool does not start"):
        toolrun.run(["no-such-tool"], tmp_path, tmp_path / "log")
    with pytest.raises(ToolError, match="no-such-tool does not answer"):
        toolrun.output(["no-such-tool", "-version"])
    with pytest.raises(ToolError, match="no-such-package is not installed"):
        toolrun.installed("no-such-package")
