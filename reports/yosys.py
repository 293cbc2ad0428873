# SPDX-License-Identifier: Apache-2.0
"""Run a Yosys script in a process of its own.

pyosys is a library without a command line, and any Yosys error ends the interpreter that holds
it: the script runs in a child, which reads and writes files of its folder by relative names, so
that neither netlists nor logs hold a path of this machine.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from reports import toolrun

if TYPE_CHECKING:
    from pathlib import Path

CHILD = "import sys; from pyosys import libyosys; libyosys.run_pass('script ' + sys.argv[1])"


def tool_version() -> str:
    """Version of the installed Yosys."""
    return toolrun.installed("pyosys")


def run(script: str, folder: Path, name: str) -> str:
    """Run `script` in `folder`, where it is kept as `name`.ys with its log.

    Returns:
        The log.

    Raises:
        ToolError: Yosys reported an error.
    """
    (folder / f"{name}.ys").write_text(script, encoding="utf-8")
    argv = [sys.executable, "-P", "-c", CHILD, f"{name}.ys"]
    return toolrun.run(argv, folder, folder / f"{name}.log")


def read_json(path: Path, module: str) -> dict[str, Any]:
    """Return `module` of a netlist that Yosys wrote as JSON.

    Raises:
        ToolError: The file does not hold exactly that module.
    """
    modules: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["modules"]
    designs = {name: body for name, body in modules.items() if not is_cell_model(body)}
    if set(designs) != {module}:
        message = f"{path} holds {', '.join(sorted(designs)) or 'no module'}, not just {module}"
        raise toolrun.ToolError(message)
    found: dict[str, Any] = designs[module]
    return found


def cell_counts(path: Path, module: str) -> Counter[str]:
    """Number of cells by type in `module` of a netlist that Yosys wrote as JSON."""
    cells: dict[str, dict[str, str]] = read_json(path, module)["cells"]
    return Counter(cell["type"] for cell in cells.values())


def is_cell_model(body: dict[str, Any]) -> bool:
    """Tell a library cell, which Yosys lists beside the design, from the design itself."""
    attributes: dict[str, Any] = body.get("attributes", {})
    return "blackbox" in attributes or "whitebox" in attributes
