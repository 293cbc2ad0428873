# SPDX-License-Identifier: Apache-2.0
"""The generated parts of docs/ say what the blocks declare."""

import re

import pytest

from hls.chunk_error import ChunkError
from hls.configuration import find, load
from ip import page


def test_every_error_has_a_meaning() -> None:
    row = re.compile(r"^\| (\d+) \| `(\w+)` \| section \d.*: .+ \|$", re.MULTILINE)
    said = [(int(code), name) for code, name in row.findall(page.error_codes())]
    assert said == [(int(error), error.name) for error in ChunkError][1:]


@pytest.mark.parametrize("block", ["gradient_enc", "gradient_dec"])
def test_every_port_is_explained(block: str) -> None:
    tops = [configuration for configuration in load() if configuration.block == block]
    text = page.ports(tops)
    for name in tops[0].ports():
        assert f"| `{name}" in text
        if name != "clk":
            assert re.search(rf"^- `{name}`: \w.{{10}}", text, re.MULTILINE), name


def test_bits_stand_under_their_configuration() -> None:
    text = page.ports([find("gradient_enc_w1_fp32"), find("gradient_enc_w1_bf16")])
    assert "| wire |  | `w1_fp32` | `w1_bf16` |" in text
    assert "| `s_axis_tdata` | in | 32 | 16 |" in text
    assert "| `m_axis_tready` | in | 1 | 1 |" in text


def test_replaces_between_markers_only() -> None:
    before = "a\n<!-- begin x: ./nox -s docs -->\nold\n<!-- end x -->\nb\n"
    after = "a\n<!-- begin x: ./nox -s docs -->\n\nnew\n\n<!-- end x -->\nb\n"
    assert page.replaced(before, "x", "new\n") == after
    assert page.replaced(after, "x", "new\n") == after
    with pytest.raises(ValueError, match="no markers for y"):
        page.replaced(after, "y", "new")
