# SPDX-License-Identifier: Apache-2.0
"""The committed streams decode, are refused and are written again as they always were."""

from __future__ import annotations

import entrolith
import numpy as np
import pytest
from reference.decode import decode
from reference.reader import Refused
from vectors.vectors import HERE, INVALID, VALID, Invalid, Vector

TABLES = entrolith.TableSet.default().tables


def name(vector: Vector | Invalid) -> str:
    return vector.name


def test_every_file_is_described() -> None:
    described = {vector.path for vector in VALID} | {invalid.path for invalid in INVALID}
    assert described == {*HERE.glob("*/*.elz")}


@pytest.mark.parametrize("vector", VALID, ids=name)
def test_decodes(vector: Vector) -> None:
    back = entrolith.decompress(vector.path.read_bytes())
    assert back.shape == vector.shape
    assert back.tobytes() == vector.array().tobytes()


@pytest.mark.parametrize("vector", VALID, ids=name)
def test_reference_decodes(vector: Vector) -> None:
    dtype, shape, patterns = decode(vector.path.read_bytes(), TABLES)
    assert (dtype, shape) == (vector.dtype, vector.shape)
    assert np.array_equal(np.array(patterns, vector.patterns().dtype), vector.patterns())


@pytest.mark.parametrize("vector", [v for v in VALID if v.written], ids=name)
def test_is_written_again(vector: Vector) -> None:
    again = entrolith.compress(vector.array(), **vector.options)
    assert again == vector.path.read_bytes(), "the encoder changed: see CONTRIBUTING.md, a vector"


@pytest.mark.parametrize("invalid", INVALID, ids=name)
def test_is_refused(invalid: Invalid) -> None:
    data = invalid.path.read_bytes()
    with pytest.raises(getattr(entrolith, invalid.error)) as caught:
        entrolith.decompress(data)
    assert type(caught.value).__name__ == invalid.error
    assert caught.value.field == invalid.field
    assert caught.value.offset in range(len(data) + 1)
    with pytest.raises(Refused) as refused:
        decode(data, TABLES)
    assert refused.value.field == invalid.field
