# SPDX-License-Identifier: Apache-2.0
"""The Verilog of rtl/, read back by another parser, against what the blocks declare."""

import hashlib
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from hls.configuration import ROOT, Configuration, load
from hls.stream import FIELDS, AxiStream

CONFIGURATIONS = load()
FORWARD = {"s": "input", "m": "output"}
BACKWARD = {"s": "output", "m": "input"}
PORT_LINE = re.compile(r"^// (\w+) +(in|out) ", re.MULTILINE)


@pytest.fixture(scope="session")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing pyverilog leaves a file open, and more
        from pyverilog.vparser.parser import VerilogParser

        return VerilogParser(outputdir=str(tmp_path_factory.mktemp("pyverilog")), debug=False)


def declared(configuration: Configuration) -> dict[str, tuple[str, int]]:
    """Direction and bits of each port, by the block's `ports` and the module's comment."""
    text = (ROOT / "rtl" / f"{configuration.name}.v").read_text()
    documented = dict(PORT_LINE.findall(text))
    documented["clk"] = "in"
    ports: dict[str, tuple[str, int]] = {}
    for name, port in configuration.ports().items():
        direction = documented.pop(name)
        if isinstance(port, AxiStream):
            assert direction == {"s": "in", "m": "out"}[name[0]], (
                f"{name} is documented as {direction}"
            )
            for field in (*FIELDS, "tvalid", "tready"):
                if hasattr(port, field):
                    way = BACKWARD if field == "tready" else FORWARD
                    ports[f"{name}_{field}"] = way[name[0]], len(getattr(port, field))
        else:
            ports[name] = f"{direction}put", len(port)
    assert not documented, "documented ports that do not exist"
    return ports


def width(port: Any) -> int:
    return 1 if port.width is None else int(port.width.msb.value) - int(port.width.lsb.value) + 1


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda c: c.name)
def test_ports_are_those_of_the_block(configuration: Configuration, parser: Any) -> None:
    text = (ROOT / "rtl" / f"{configuration.name}.v").read_text()
    (module,) = parser.parse(text).description.definitions
    assert module.name == configuration.name
    found = {
        port.name: (kind, width(port))
        for item in module.items
        for port in getattr(item, "list", ())
        if (kind := type(port).__name__.lower()) in ("input", "output", "inout")
    }
    assert [port.name for port in module.portlist.ports] == list(found)
    assert found == declared(configuration)


def test_manifest_describes_the_files() -> None:
    rtl = ROOT / "rtl"
    configs = json.loads((rtl / "MANIFEST.json").read_text())["configs"]
    assert set(configs) == {configuration.name for configuration in CONFIGURATIONS}
    for entry in configs.values():
        digest = hashlib.sha256((rtl / entry["file"]).read_bytes()).hexdigest()
        assert digest == entry["sha256"]
    listed = Path(rtl, "files.f").read_text().split()
    assert listed == [f"{configuration.name}.v" for configuration in CONFIGURATIONS]
