# SPDX-License-Identifier: Apache-2.0
"""The bench of every block: a clock, a reset, streams. It knows ports, never what is inside."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout

from cosim.bench.stalls import Stall, free
from cosim.bench.streams import Port, ProtocolError, Sink, Source

PERIOD_NS = 10

T = TypeVar("T")
F = TypeVar("F")


def test_where(condition: bool, **how: Any) -> Callable[[F], F]:
    """cocotb.test for what not every configuration can do: elsewhere there is no such test.

    cocotb's own `skip` does not count where a filter names the test.
    """

    def decorate(function: F) -> F:
        return cast("F", cocotb.test(**how)(cast("Any", function)) if condition else None)

    return decorate


class Bench:
    """A DUT with `clk` and `rst`. Make its streams, then `await reset()`."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.cycle = 0
        self._edge = RisingEdge(dut.clk)
        self._streams: list[Source | Sink] = []
        self._outputs: list[Port] = []
        self._held = True  # in reset
        dut.rst.value = 1
        Clock(dut.clk, PERIOD_NS, unit="ns").start()
        cocotb.start_soon(self._run())

    def source(self, name: str, stall: Stall = free) -> Source:
        """Drive an input stream."""
        source = Source(Port(self.dut, name), stall)
        self._streams.append(source)
        return source

    def sink(
        self, name: str, stall: Stall = free, *, shy: bool = False, partial: bool = False
    ) -> Sink:
        """Take the words of an output stream."""
        port = Port(self.dut, name)
        sink = Sink(port, stall, shy=shy, partial=partial)
        self._streams.append(sink)
        self._outputs.append(port)
        return sink

    async def reset(self) -> None:
        """Hold `rst` for two cycles and start the streams anew; outputs must fall silent at once.

        Raises:
            ProtocolError: an output still offers a word after the first edge that saw `rst`.
        """
        self._held = True
        self.dut.rst.value = 1
        for stream in self._streams:
            stream.reset()
        await self._edge
        await self._edge
        for port in self._outputs:
            if port.tvalid.value != 0:
                raise ProtocolError(f"{port.name}: tvalid in reset")
        self.dut.rst.value = 0
        self._held = False

    async def cycles(self, count: int) -> None:
        """Wait."""
        for _ in range(count):
            await self._edge

    async def within(self, cycles: int, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine, but not longer.

        Raises:
            cocotb.triggers.SimTimeoutError: a word is lost, or the DUT hangs.
        """
        return await with_timeout(cocotb.start_soon(coroutine), cycles * PERIOD_NS, "ns")

    async def _run(self) -> None:
        while True:
            await self._edge
            self.cycle += 1
            if self._held:
                continue
            for stream in self._streams:
                stream.step(self.cycle)
