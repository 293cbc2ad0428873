# SPDX-License-Identifier: Apache-2.0
"""ram: simple dual-port memory; every array above 1 kbit is one of these.

Role         buffers and deep FIFOs; the form that Yosys maps to block RAM
Parameters   depth: words; the width is that of the data signals
Not done     no reset: contents and output are undefined until written and read
"""

from __future__ import annotations

from myhdl import Signal, always, block, instances, intbv

from hls.stream import Contract

CONTRACT = Contract(latency=1, interval=1)


@block
def ram(clk, write, write_address, write_data, read, read_address, read_data, depth):
    """One write and one read a cycle.

    write  in   write_data goes to write_address at the clock edge
    read   in   read_data shows the word at read_address from the next cycle on, else it holds
    Writing and reading the same address in the same cycle is not allowed: memories differ in what
    they then return.
    """
    memory = [Signal(intbv(0)[len(write_data) :]) for _ in range(depth)]

    @always(clk.posedge)
    def write_port():
        if write:
            memory[write_address].next = write_data

    @always(clk.posedge)
    def read_port():
        if read:
            read_data.next = memory[read_address]

    return instances()
