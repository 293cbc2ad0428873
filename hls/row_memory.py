# SPDX-License-Identifier: Apache-2.0
"""row_memory: a memory of rows that are read whole and written in words over a plain port.

Role         holds tables that can be changed in the field
Parameters   sizes: bits of the words of a row
Not done     no way to read back what was written, and no reset
"""

from __future__ import annotations

from myhdl import ConcatSignal, Signal, always, always_comb, block, instances, intbv

from hls.ram import ram


def word_bits(sizes):
    """Bits of a word's number in its row."""
    return max(1, (len(sizes) - 1).bit_length())


def write_port(row_bits, sizes):
    """The signals of the port by name; rows have numbers of so many bits."""
    return {
        "table_write": Signal(bool(0)),
        "table_address": Signal(intbv(0)[row_bits + word_bits(sizes) :]),
        "table_data": Signal(intbv(0)[max(sizes) :]),
    }


def shared_port(*ports):
    """One port for several memories: a memory's number is above the bits of its addresses."""
    bits = max(len(port["table_address"]) for port in ports)
    numbers = (len(ports) - 1).bit_length()
    return {
        "table_write": Signal(bool(0)),
        "table_address": Signal(intbv(0)[numbers + bits :]),
        "table_data": Signal(intbv(0)[max(len(port["table_data"]) for port in ports) :]),
    }


@block
def write_to(number, write, address, chosen):
    """Of a port that two memories share: whether the one of this number is written."""
    top = len(address) - 1

    @always_comb
    def choose():
        chosen.next = write and address[top] == number

    return choose


@block
def row_memory(clk, write, address, data, read, number, row, sizes):
    """Write and read.

    write    in   data, from its lowest bit, goes to the address {number of the row, of its word},
                  above which it may have more bits; a row changes with the last of its words, which
                  take the others along
    read     in   row shows the row of this number from the next cycle on, else it holds
    """
    low = word_bits(sizes)
    last = len(sizes) - 1
    top = low + len(number)
    gathered = [Signal(intbv(0)[size:]) for size in sizes]  # the last one is data's
    gathers = [gather(clk, write, address, data, gathered[i], i, low) for i in range(last)]
    new_row = ConcatSignal(*reversed(gathered))
    written = Signal(intbv(0)[len(number) :])
    commit = Signal(bool(0))
    memory = ram(clk, commit, written, new_row, read, number, row, 1 << len(number))
    last_word, last_bits = gathered[last], sizes[last]

    @always_comb
    def finish():
        commit.next = write and address[low:] == last
        written.next = address[top:low]

    @always_comb
    def pass_on():
        last_word.next = data[last_bits:]

    return instances()


@block
def gather(clk, write, address, data, word, number, low):
    """Keep the word of this number of the row being written."""
    size = len(word)

    @always(clk.posedge)
    def keep():
        if write and address[low:] == number:
            word.next = data[size:]

    return keep
