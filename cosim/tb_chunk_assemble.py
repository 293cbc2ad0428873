# SPDX-License-Identifier: Apache-2.0
"""chunk_assemble: the parts of every chunk come in the order of the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cocotb

from cosim.bench import setting
from cosim.bench.block import Block, Case, Fields, chunks, corners
from cosim.bench.corners import Frame
from cosim.bench.stages import Stages, assembly_words
from cosim.bench.stalls import BOTH_SIDES, Stall, free
from cosim.bench.streams import Word
from hls.byte_pack import user_bits
from hls.chunk_assemble import CHUNK_CYCLES, CONTRACT
from hls.point import POINT
from hls.raw_strip import WAY, kept_places
from hls.stream import word_bytes

BYTES = word_bytes(setting.width())
LEVELS = (BYTES - 1).bit_length()
TOP = user_bits(setting.width(), setting.profile().trailing > 0) - 1  # of tuser
INPUTS = "s_chunk", "s_zeros", "s_codes", "s_raw"


def block(dut: Any, idle: Stall = free, stall: Stall = free) -> Block:
    return Block(dut, INPUTS, ["m_axis"], idle, stall)


def case(name: str, chunk: Stages) -> Case:
    zeros = chunk.part_words if setting.runs() else chunk.zeros_words
    inputs = [chunk.counts_word], zeros, chunk.code_words, chunk.raw_words
    outputs = {"m_axis": assembly_words(chunk)}
    return Case(name, dict(zip(INPUTS, inputs, strict=True)), outputs, len(chunk.values))


def cases(frames: Iterable[tuple[str, Frame]]) -> Iterator[Case]:
    return (case(name, chunk) for name, chunk in chunks(frames))


def view(_: str, word: Word) -> Fields:
    """The bytes that count, and how many these are."""
    number, first = word.tuser % BYTES + 1, (word.tuser >> LEVELS) % BYTES
    way = (word.tuser & (1 << TOP) - 1) >> 2 * LEVELS
    assert way < 1 << WAY
    kept = kept_places(way, BYTES)[first : first + number]
    data = word.tdata.to_bytes(BYTES, "little")
    return (
        int.from_bytes(bytes(data[k] for k in kept), "little"),
        number,
        word.tuser >> TOP,
        word.tlast,
    )


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(BOTH_SIDES)
async def assembles_under_stalls(dut: Any, idle: Stall, stall: Stall) -> None:
    tb = block(dut, idle, stall)
    await tb.reset()
    await tb.check(cases(corners().edges()), view)
    await tb.check(cases(corners().mixture()), view)
    await tb.check(cases(corners().rounds()), view)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def assembles_chunks(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    await tb.check(cases(corners().chunks()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stop=[2, 4, 5, 30, 300])
async def starts_anew_after_reset(dut: Any, stop: int) -> None:
    tb = block(dut)
    await tb.reset()
    lost = cases([("lost", corners().gradient(600, zeros=0.3))])
    await tb.check_after_reset(stop, lost, cases(corners().mixture()), view)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def keeps_its_contract(dut: Any) -> None:
    tb = block(dut)
    await tb.reset()
    dense = list(cases([("dense", corners().gradient(3 * POINT.chunk))]))
    await tb.check(dense, view)
    offered, starts, at = tb.moved("m_axis"), [], 0
    for words in (len(case.outputs["m_axis"]) for case in dense):
        starts.append(offered[at])
        at += words
    assert starts[0] - tb.moved("s_chunk")[0] == CONTRACT.latency
    for case, (start, following) in zip(dense, pairwise(starts), strict=False):
        taken = sum(len(case.inputs[name]) for name in ("s_zeros", "s_codes", "s_raw"))
        assert following - start == taken + CHUNK_CYCLES
