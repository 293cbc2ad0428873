# SPDX-License-Identifier: Apache-2.0
"""Mappings of names to arrays: one stream, as the reference writes it, and the mapping back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import entrolith
import numpy as np
import pytest
from corpus import mappings
from corpus.streams import TABLES
from corpus.values import ALL_LAYOUTS, make
from entrolith.dtypes import DTYPES
from numpy.typing import NDArray
from reference.decode import Array, decode
from reference.encode import encode_mapping
from reference.profile import level

OWN = entrolith.TableSet(TABLES)


def arrays(tensors: dict[str, Array]) -> dict[str, NDArray[Any]]:
    """The reference's arrays as NumPy's."""
    return {
        name: np.array(values, DTYPES[dtype].bits).reshape(shape).view(DTYPES[dtype].numpy)
        for name, (dtype, shape, values) in tensors.items()
    }


def same(left: dict[str, NDArray[Any]], right: dict[str, NDArray[Any]]) -> bool:
    """The same names in the same order, of the same arrays to the bit."""
    return list(left) == list(right) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in zip(left.values(), right.values(), strict=True)
    )


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("number", [1, 4])
def test_as_the_reference(number: int, check: bool) -> None:
    tensors = mappings.tensors()
    data = entrolith.compress(arrays(tensors), level=number, check=check, tables=OWN)
    assert data == encode_mapping(tensors, TABLES, level(number, check=check))
    assert same(entrolith.decompress(data, tables=OWN), arrays(tensors))


def test_small_chunks_are_read() -> None:
    for profile in (mappings.SMALL, mappings.UNCHECKED):
        data = mappings.write_mapping(mappings.tensors(), profile)
        assert same(entrolith.decompress(data, tables=OWN), arrays(mappings.tensors()))
    found = entrolith.decompress(mappings.mapping_with_matrix(), tables=OWN)
    assert list(found) == ["a", "b"]
    assert np.array_equal(found["a"].view(np.uint16), mappings.with_dead("bf16", (24, 30), 1))


def test_order_is_the_mappings_own() -> None:
    """Segments put types together; what comes back is in the order that went in."""
    dtypes = [np.float16, np.float32, np.float64]
    given = {f"{9 - i}": np.full(i, i, dtypes[i % 3]) for i in range(9)}
    assert same(entrolith.decompress(entrolith.compress(given)), given)


def test_nothing_and_one_without_a_name() -> None:
    assert entrolith.decompress(entrolith.compress({})) == {}
    given: dict[str, NDArray[Any]] = {"": np.full((), 1.5, np.float32)}
    assert same(entrolith.decompress(entrolith.compress(given)), given)


def test_small_tensors_share_chunks() -> None:
    """A thousand tensors take little more than one of the same values."""
    values = np.random.default_rng(0).normal(0, 1e-3, (1000, 60)).astype(np.float32)
    together = len(entrolith.compress(values, level=1))
    apart = len(entrolith.compress({f"layer.{i}": row for i, row in enumerate(values)}, level=1))
    assert apart - together < 1000 * len("layer.999xxxxxx")


def test_npz_file(tmp_path: Path) -> None:
    given: dict[str, Any] = {"w": np.ones((3, 4), np.float32), "b": np.zeros(5, np.float16)}
    path = tmp_path / "all.npz"
    np.savez(path, **given)
    with np.load(path) as file:
        assert same(entrolith.decompress(entrolith.compress(file)), given)


def test_bit_patterns_of_all() -> None:
    patterns = {"a": make("mixed", "bf16", 900), "b": make("dense", "bf16", 10)}
    data = entrolith.compress(patterns, dtype="bf16")
    back = entrolith.decompress(data, as_bits=True)
    assert same(back, patterns)


@pytest.mark.parametrize("number", [4, 7])
@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
@pytest.mark.parametrize(("shape", "view"), [((130, 200), 1), ((40, 20, 5, 7), 0)])
def test_matrices_are_written(shape: tuple[int, ...], view: int, dtype: str, number: int) -> None:
    """A tensor with dead rows and columns becomes a matrix, which the reference reads."""
    patterns = mappings.with_dead(dtype, shape, view)
    given = {"dense": make("dense", dtype, 50), "dead": patterns}
    data = entrolith.compress(given, dtype=dtype, level=number, tables=OWN)
    predictors = [tensor.predictor for tensor in entrolith.info(data).tensors]
    assert predictors == [0, 3]
    assert same(entrolith.decompress(data, tables=OWN, as_bits=True), given)
    found = decode(data, TABLES)
    assert isinstance(found, dict)
    assert found["dead"] == (dtype, shape, patterns.ravel().tolist())
    plain = entrolith.compress(given, dtype=dtype, level=1, tables=OWN)
    assert len(data) < len(plain)


@pytest.mark.parametrize("dtype", ALL_LAYOUTS)
def test_matrices_are_read(dtype: str) -> None:
    for name, patterns, data in mappings.matrices(dtype):
        back = entrolith.decompress(data, tables=OWN, as_bits=True)
        assert np.array_equal(back, patterns), name


def test_values_of_other_types_are_refused_by_name() -> None:
    good = np.ones(3, np.float32)
    for wrong in (np.arange(3), np.ones(3, bool), np.ones(3, complex), np.array([None])):
        with pytest.raises(entrolith.UnsupportedDtypeError, match="'step': ") as caught:
            entrolith.compress({"w": good, "step": wrong})
        assert wrong.dtype.name in str(caught.value)
    with pytest.raises(entrolith.ArgumentError, match="name 3 of an array is not a string"):
        entrolith.compress({3: good})
    with pytest.raises(entrolith.ArgumentError, match="UTF-8"):
        entrolith.compress({"\ud800": good})
    with pytest.raises(entrolith.ArgumentError, match="a mapping needs a level"):
        entrolith.compress({"w": good}, profile="hw-n8-c4096")


def test_out() -> None:
    given = arrays(mappings.tensors())
    data = entrolith.compress(given)
    out: dict[str, Any] = {name: np.empty_like(array) for name, array in given.items()}
    assert entrolith.decompress(data, out=out) is out
    assert same(out, given)

    marked = {name: np.full_like(array, 7) for name, array in given.items()}
    bad: dict[str, dict[str, Any]] = {
        "names of the stream: 'more'": marked | {"more": np.empty(3)},
        "names of the stream: 'last'": {n: a for n, a in marked.items() if n != "last"},
        "'last': out: float64": marked | {"last": np.empty((9, 10, 10))},
        "'last': out: the shape": marked | {"last": np.empty((90, 10), np.float32)},
    }
    for message, wrong in bad.items():
        with pytest.raises(entrolith.ArgumentError, match=message) as caught:
            entrolith.decompress(data, out=wrong)
        assert caught.value.field == "out"
    with pytest.raises(entrolith.ArgumentError, match="give a mapping"):
        entrolith.decompress(data, out=np.empty(3, np.float32))
    assert all((array == 7).all() for array in marked.values())
