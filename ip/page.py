# SPDX-License-Identifier: Apache-2.0
"""The parts of docs/ that follow from the hardware: ports, contracts, error codes, constraints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence

from hls import chunk_error
from hls.chunk_error import ChunkError
from hls.configuration import Configuration
from hls.core_file import point_name
from hls.emit import memory_bits
from hls.stream import FIELDS, AxiStream
from reports import sta
from reports.table import number, table

PORT = re.compile(r"^(\w+) +(in|out) +(.*(?:\n +.*)*)", re.MULTILINE)
COMMENT = re.compile(r"^    (\w+) = \d+  # (.*)$", re.MULTILINE)


def replaced(page: str, name: str, body: str) -> str:
    """`page` with what stands between the markers of `name` replaced.

    Raises:
        ValueError: the page has no such markers.
    """
    begin, end = f"<!-- begin {name}: ./nox -s docs -->\n", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"no markers for {name}")
    return f"{before}{begin}\n{body}\n{end}{after}"


def wires(configuration: Configuration) -> Iterator[tuple[str, str, int]]:
    """Name, direction and bits of each wire of a module's ports, in order."""
    for name, port in configuration.ports().items():
        if isinstance(port, AxiStream):
            for field in ("tvalid", "tready", *FIELDS):
                if hasattr(port, field):
                    inward = (name[0] == "s") != (field == "tready")
                    yield f"{name}_{field}", "in" if inward else "out", len(getattr(port, field))
        else:
            way = documented(configuration)[name][0] if name != "clk" else "in"
            yield name, way, len(port)


def documented(configuration: Configuration) -> dict[str, tuple[str, str]]:
    """Direction and meaning of each port that the block's docstring explains."""
    text = inspect.getdoc(configuration.function) or ""
    return {name: (way, " ".join(said.split())) for name, way, said in PORT.findall(text)}


def ports(tops: Sequence[Configuration]) -> str:
    """A table of the wires of a block's configurations, and what its ports mean."""
    columns = [("wire", "---"), ("", "---"), *((f"`{point_name(top)}`", "--:") for top in tops)]
    listed = [{name: (way, bits) for name, way, bits in wires(top)} for top in tops]
    order = list(dict.fromkeys(name for wires_of in listed for name in wires_of))
    rows = []
    for name in order:
        way = next(wires_of[name][0] for wires_of in listed if name in wires_of)
        bits = [str(wires_of[name][1]) if name in wires_of else "-" for wires_of in listed]
        rows.append((f"`{name}`", way, *bits))
    meanings = "".join(
        f"- `{name}`: {said}\n" for name, (_, said) in documented(tops[0]).items() if said
    )
    return f"{table(columns, rows)}\n{meanings}"


def contracts(configurations: Sequence[Configuration], texts: Sequence[str]) -> str:
    """What each configuration promises, and the memory it holds, from its Verilog."""
    columns = (
        ("configuration", "---"),
        ("latency", "--:"),
        ("interval", "--:"),
        ("values a cycle", "--:"),
        ("memory, bits", "--:"),
    )
    rows = []
    for configuration, text in zip(configurations, texts, strict=True):
        contract = configuration.contract
        row = (
            f"`{configuration.name}`",
            number(contract.latency),
            number(contract.interval),
            number(contract.values_per_cycle, 4),
            number(memory_bits(text)),
        )
        rows.append(row)
    return table(columns, rows)


def error_codes() -> str:
    """What tuser says in the last word of a frame at fault."""
    said = dict(COMMENT.findall(inspect.getsource(chunk_error)))
    columns = (("code", "--:"), ("name", "---"), ("FORMAT.md", "---"))
    rows = [
        (str(int(error)), f"`{error.name}`", said[error.name])
        for error in ChunkError
        if error is not ChunkError.NONE
    ]
    return table(columns, rows)


def constraints() -> str:
    """The ports' constraints of the reports, as SDC."""
    return (
        "```tcl\n"
        "create_clock -name clk -period $period [get_ports clk]\n"
        f"set_input_delay {sta.INPUT_NS} -clock clk [all_inputs]\n"
        f"set_output_delay {sta.OUTPUT_NS} -clock clk [all_outputs]\n"
        "```\n"
    )
