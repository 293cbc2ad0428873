# SPDX-License-Identifier: Apache-2.0
"""Take the memories out of a coarse netlist: their ports become ports of what is left.

A chip takes a large memory from a compiler, not from gates. Mapped to flip-flops it would drown
the logic that a report is about; dropped, it would take its timing paths along. So its data
outputs become inputs of the netlist and its other pins outputs, under names that say so, and the
timing constraints give them a memory's clock-to-output and set-up times.

A memory is an array with a write port, clocked reads only, and more than THRESHOLD_BITS. Anything
else stays logic and counts as such: ROMs, small arrays, arrays read in the cycle of the address.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict

from reports.toolrun import ToolError

THRESHOLD_BITS = 1024
PREFIX = "memory__"
CLOCK_PINS = ("RD_CLK", "WR_CLK")


class Memory(TypedDict):
    """One memory of a design: `depth` words of `width` bits, ports that read and that write."""

    name: str
    depth: int
    width: int
    reads: int
    writes: int


def bits_of(memory: Memory) -> int:
    """Capacity in bits."""
    return memory["depth"] * memory["width"]


def number(parameter: str) -> int:
    """Value of a parameter as Yosys writes it: binary digits, most significant first."""
    return int(parameter, 2)


def is_memory(cell: dict[str, Any]) -> bool:
    """Tell whether a cell of the netlist is a memory by the rule above."""
    if cell["type"] != "$mem_v2":
        return False
    parameter = cell["parameters"]
    reads = number(parameter["RD_PORTS"])
    clocked = number(parameter["RD_CLK_ENABLE"]) == (1 << reads) - 1
    large = number(parameter["SIZE"]) * number(parameter["WIDTH"]) > THRESHOLD_BITS
    return large and clocked and number(parameter["WR_PORTS"]) > 0


def take_out(module: dict[str, Any], clock: str) -> list[Memory]:
    """Remove every memory from `module`, a netlist in Yosys' JSON form, in place.

    Constant pins disappear, and pins of one memory that share a net share a port: a word's write
    enable is one wire, not one per bit.

    Args:
        module: One module, changed in place: cells lose the memories, ports gain their pins.
        clock: Name of the clock port, which must clock every memory.

    Returns:
        The memories, by name.

    Raises:
        ToolError: A port already has the prefix of memory pins, or another clock drives a memory.
    """
    taken = [port for port in module["ports"] if port.startswith(PREFIX)]
    if taken:
        message = f"port {taken[0]} begins with {PREFIX}, which names memory pins here"
        raise ToolError(message)
    clock_nets = set(module["ports"][clock]["bits"])
    memories: list[Memory] = []
    found = {name: cell for name, cell in module["cells"].items() if is_memory(cell)}
    for name, cell in sorted(found.items()):
        parameter, pins = cell["parameters"], cell["connections"]
        other_clocks = {net for pin in CLOCK_PINS for net in pins[pin]} - clock_nets
        if other_clocks or not clocked_by_rise(parameter):
            message = f"memory {name} is not clocked by the rising edge of {clock}"
            raise ToolError(message)
        for pin, nets in pins.items():
            wires = list(dict.fromkeys(net for net in nets if isinstance(net, int)))
            if wires and pin not in CLOCK_PINS:
                direction = "input" if pin == "RD_DATA" else "output"
                port = {"direction": direction, "bits": wires}
                module["ports"][pin_name(name, pin)] = port
        memories.append(
            Memory(
                name=name,
                depth=number(parameter["SIZE"]),
                width=number(parameter["WIDTH"]),
                reads=number(parameter["RD_PORTS"]),
                writes=number(parameter["WR_PORTS"]),
            )
        )
        del module["cells"][name]
    return memories


def pin_name(memory: str, pin: str) -> str:
    """Name of the port that stands for a pin of a memory."""
    return f"{PREFIX}{re.sub(r'[^A-Za-z0-9_]', '_', memory)}__{pin.lower()}"


def clocked_by_rise(parameter: dict[str, str]) -> bool:
    """Tell whether all ports of a memory are clocked, and by the rising edge."""
    reads, writes = number(parameter["RD_PORTS"]), number(parameter["WR_PORTS"])
    return (
        number(parameter["RD_CLK_POLARITY"]) == (1 << reads) - 1
        and number(parameter["WR_CLK_ENABLE"]) == (1 << writes) - 1
        and number(parameter["WR_CLK_POLARITY"]) == (1 << writes) - 1
    )
