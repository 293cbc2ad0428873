# SPDX-License-Identifier: Apache-2.0
"""One frame through a top, in Icarus, and what its ports did."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hls.configuration import ROOT, Configuration
from hls.core_file import ROLES
from hls.stream import FIELDS, AxiStream
from ip.waveform import Trace, read

BENCH = ROOT / "ip" / "known_answer.sv"


def run(configuration: Configuration, send: str, expect: str, folder: Path) -> list[Trace]:
    """Send words, require those that are expected, and return the ports cycle by cycle.

    Args:
        configuration: the top.
        send: words of s_axis, as ip/known_answer.py writes them.
        expect: words of m_axis.
        folder: takes the simulation.

    Raises:
        subprocess.CalledProcessError: it does not compile, or another word came.
    """
    role, ports = ROLES[configuration.block], configuration.ports()
    values, chunks = ("s_axis", "m_axis") if role == "ENCODER" else ("m_axis", "s_axis")
    (folder / "send.hex").write_text(send)
    (folder / "expect.hex").write_text(expect)
    settings = (
        f"-DTOP={configuration.name}",
        f"-D{role}",
        *(["-DVALUE_KEEP"] if hasattr(ports[values], "tkeep") else []),
        f"-Pknown_answer.VALUE_BITS={len(ports[values].tdata)}",
        f"-Pknown_answer.CHUNK_BITS={len(ports[chunks].tdata)}",
    )
    sources = (BENCH, ROOT / "rtl" / f"{configuration.name}.v")
    for command in (
        ("iverilog", "-g2012", "-sknown_answer", "-osim", *settings, *map(str, sources)),
        ("vvp", "-n", "sim", "+send=send.hex", "+expect=expect.hex", "+vcd=ports.vcd"),
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return meaningful(read((folder / "ports.vcd").read_text(), names(ports)))


def names(ports: dict[str, object]) -> list[str]:
    """The ports to show: all but the clock, a stream's handshake before its fields."""
    listed = []
    for name, port in ports.items():
        if isinstance(port, AxiStream):
            fields = [field for field in FIELDS if hasattr(port, field)]
            listed += [f"{name}_{field}" for field in ("tvalid", "tready", *fields)]
        elif name != "clk":
            listed.append(name)
    return listed


def meaningful(traces: list[Trace]) -> list[Trace]:
    """The traces with a stream's fields unknown in the cycles in which no word is offered."""
    by_name = {trace.name: trace for trace in traces}
    masked = []
    for trace in traces:
        stream, _, field = trace.name.rpartition("_")
        if field in FIELDS:
            offered, taken = (by_name[f"{stream}_{way}"].values for way in ("tvalid", "tready"))
            pairs = zip(trace.values, offered, strict=True)
            values = tuple(value if valid else None for value, valid in pairs)
            moves = [bool(a and b) for a, b in zip(offered, taken, strict=True)]
            begins = frozenset(i + 1 for i, moved in enumerate(moves) if moved)
            trace = Trace(trace.name, trace.bits, values, begins)
        masked.append(trace)
    return masked
