# SPDX-License-Identifier: Apache-2.0
"""`info` accounts for every byte, chunk and block."""

from __future__ import annotations

import math

import entrolith
import numpy as np
import pytest
from corpus.streams import TABLES, small, write
from corpus.values import LAYOUTS, make
from reference.profile import Profile
from vectors.vectors import HERE as VECTORS

CHUNK = 1 << 15


def test_a_stream_of_every_form() -> None:
    kinds = ["dense", "all_zero", "random_bits", "sparse"]
    values = np.concatenate([make(kind, "fp32", CHUNK) for kind in kinds])[: 4 * CHUNK - 100]
    found = entrolith.info(
        entrolith.compress(values.reshape(4, -1), dtype="fp32", profile="sw-n64-c32768")
    )
    assert found.version == 1
    assert not found.mapping
    assert found.tensors == (entrolith.Tensor("", "fp32", (4, CHUNK - 25), 0),)
    assert found.values == values.size
    assert found.profile == "sw-n64-c32768"
    assert found.parameters == entrolith.Parameters(15, 9, 6, check=True)
    assert found.table_set == entrolith.TableSet.default().id
    assert found.chunks == {"coded": 2, "scaled": 0, "signed": 0, "stored": 1, "zeros": 1}
    assert found.sizes.stored == 4 * CHUNK + 4
    assert found.sizes.chunk_heads == 4 * 4 + 4
    assert found.sizes.lanes == 2 * 2 * 64
    blocks = CHUNK // 512 + -(-int(np.count_nonzero(values[3 * CHUNK :])) // 512)
    assert sum(found.blocks.values()) == blocks
    assert found.sizes.blocks == 2 * blocks
    assert found.ratio == found.stream_bytes / values.nbytes


@pytest.mark.parametrize("name", ["scaled_flat_2", "signed", "signed_taps"])
def test_forms_that_use_the_shape(name: str) -> None:
    data = (VECTORS / "v2" / f"{name}.elz").read_bytes()
    found = entrolith.info(data)
    form = name.partition("_")[0]
    assert {form: n for form, n in found.chunks.items() if n} == {form: 1}
    assert found.sizes.scales > 0
    assert not found.blocks
    assert found.stream_bytes == len(data)


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_sizes_add_up(dtype: str) -> None:
    for _, stream in small(dtype):
        found = entrolith.info(stream)
        assert found.stream_bytes == len(stream)
        assert found.table_set == entrolith.TableSet(TABLES).id
        assert found.profile is None
        assert set(found.blocks) <= {0, 1, 2, "raw"}


def test_raw_blocks_are_named() -> None:
    data = write(
        make("uniform_exponents", "bf16", 600), "bf16", Profile(1, 9, 5, 3, 1, False, False)
    )
    assert set(entrolith.info(data).blocks) == {"raw"}


def test_nothing() -> None:
    found = entrolith.info(entrolith.compress(np.zeros((0, 3), np.float32)))
    assert found.tensors[0].shape == (0, 3)
    assert found.ratio == math.inf
    assert found.stream_bytes == found.sizes.header + found.sizes.footer
    assert found.sizes.footer == 8
