# SPDX-License-Identifier: Apache-2.0
"""The package and the Verilog are built for the same point of the format."""

import json
from dataclasses import replace

import pytest
from reference.profile import PROFILES

from cosim.bench import golden, setting
from hls.configuration import ROOT, Configuration, load
from hls.point import BF16, NUMBER_FORMATS, POINT, NumberFormat, profile_name

ENCODERS = [configuration for configuration in load() if configuration.block == "gradient_enc"]
MANIFEST = json.loads((ROOT / "rtl" / "MANIFEST.json").read_text())["configs"]


@pytest.mark.parametrize("fmt", NUMBER_FORMATS.values(), ids=lambda fmt: fmt.name)
def test_header_names_the_hardware_point(fmt: NumberFormat) -> None:
    stream = golden.compress([1], fmt)
    log2_chunk, log2_block, log2_lanes, check = stream[6:10]
    assert (1 << log2_chunk, 1 << log2_block, 1 << log2_lanes) == (
        POINT.chunk,
        POINT.block,
        POINT.lanes,
    )
    assert POINT.lanes - (4 if check else 0) == POINT.tail


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda encoder: encoder.name)
def test_encoders_write_a_profile_of_the_package(encoder: Configuration) -> None:
    """The version is the header's; of bf16 no bits may be left out, whatever the profile says."""
    profile = PROFILES[profile_name(encoder.parameters.get("width", 1))]
    if encoder.fmt is BF16:
        profile = replace(profile, trailing=0)
    assert replace(setting.profile(encoder), version=profile.version) == profile


@pytest.mark.parametrize("name", [n for n, entry in MANIFEST.items() if entry["table_set"]])
def test_table_set_is_the_package_s(name: str) -> None:
    stream = golden.compress([1], NUMBER_FORMATS["fp32"])
    assert golden.table_set(stream) == MANIFEST[name]["table_set"]


@pytest.mark.parametrize("fmt", NUMBER_FORMATS.values(), ids=lambda fmt: fmt.name)
def test_chunks_are_the_stream_without_its_header(fmt: NumberFormat) -> None:
    frame = [0, 1, 2] * POINT.chunk
    stream, chunks = golden.compress(frame, fmt), golden.chunks(frame, fmt)
    assert len(chunks) == 3
    assert stream.endswith(b"".join(chunks))
    assert not golden.refuses(chunks, len(frame), fmt)
    assert golden.refuses(chunks[:2], len(frame), fmt)
