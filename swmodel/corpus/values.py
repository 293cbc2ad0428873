# SPDX-License-Identifier: Apache-2.0
"""Bit patterns that reach every part of the format, as functions of a length and a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Patterns = NDArray[Any]
"""Unsigned integers, one bit pattern each, one dimension."""


class Layout(NamedTuple):
    """Where sign, exponent and mantissa lie in a bit pattern (FORMAT.md section 2)."""

    exponent: int
    mantissa: int
    unsigned: np.dtype[Any]

    @property
    def top(self) -> int:
        """The exponent of infinities and NaNs."""
        return (1 << self.exponent) - 1

    def join(self, sign: Any, exponent: Any, mantissa: Any) -> Patterns:
        top = np.asarray(sign, np.int64) << self.exponent | exponent
        pattern: NDArray[np.int64] = top << self.mantissa | mantissa
        return pattern.astype(self.unsigned)


LAYOUTS = {
    "fp32": Layout(8, 23, np.dtype(np.uint32)),
    "bf16": Layout(8, 7, np.dtype(np.uint16)),
    "fp16": Layout(5, 10, np.dtype(np.uint16)),
}
"""Types of both versions of the format."""

ALL_LAYOUTS = LAYOUTS | {
    "fp64": Layout(11, 52, np.dtype(np.uint64)),
    "fp8e4m3": Layout(4, 3, np.dtype(np.uint8)),
    "fp8e5m2": Layout(5, 2, np.dtype(np.uint8)),
}

Kind = Callable[[Layout, int, np.random.Generator], Patterns]


def rounded(dtype: str, values: NDArray[Any]) -> Patterns:
    """Numbers as bit patterns of a type; bf16 by truncation."""
    if dtype == "fp16":
        return values.astype(np.float16).view(np.uint16)
    single = values.astype(np.float32).view(np.uint32)
    return single if dtype == "fp32" else (single >> 16).astype(np.uint16)


def random_bits(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return rng.integers(0, 1 << (1 + f.exponent + f.mantissa), n, f.unsigned, endpoint=False)


def with_exponents(f: Layout, exponents: NDArray[Any], rng: np.random.Generator) -> Patterns:
    """Values of these exponents, sign and mantissa random, none of them zero."""
    n = len(exponents)
    mantissa = rng.integers(1, 1 << f.mantissa, n)
    return f.join(rng.integers(0, 2, n), exponents, mantissa)


def dense(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """Exponents as in a gradient: a few below a maximum, fewer and fewer."""
    below = np.minimum(rng.geometric(0.4, n) - 1, f.top // 2)
    return with_exponents(f, f.top // 2 - below, rng)


def escapes(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """Mostly dense, with exponents beyond every table in all lanes."""
    far = rng.integers(min(15, f.top // 2), f.top - 1, n)
    below = np.where(rng.random(n) < 0.2, far, rng.integers(0, 4, n))
    return with_exponents(f, f.top - 1 - below, rng)


def sparse(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return np.where(rng.random(n) < 0.5, 0, dense(f, n, rng)).astype(f.unsigned)


def runs_of_zeros(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    lengths = rng.integers(1, 200, n)
    return np.where(np.repeat(np.arange(n) % 2, lengths)[:n] == 1, 0, dense(f, n, rng)).astype(
        f.unsigned
    )


def all_zero(f: Layout, n: int, _: np.random.Generator) -> Patterns:
    return np.zeros(n, f.unsigned)


def one_nonzero(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    values = all_zero(f, n, rng)
    values[rng.integers(n) : n][:1] = dense(f, 1, rng)
    return values


def one_zero(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    values = dense(f, n, rng)
    values[rng.integers(n)] = 0
    return values


def not_a_number(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """NaNs, quiet and signalling, with every kind of payload."""
    return with_exponents(f, np.full(n, f.top), rng)


def infinities(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return f.join(rng.integers(0, 2, n), np.where(rng.random(n) < 0.5, f.top, f.top // 2), 0)


def subnormals(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return with_exponents(f, np.where(rng.random(n) < 0.9, 0, rng.integers(0, 13, n)), rng)


def negative_zeros(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return f.join(rng.integers(0, 2, n), 0, 0)


def trailing_zeros(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """Mantissas that came from a shorter type: another number of bits in each stretch."""
    width = rng.integers(0, f.mantissa + 1, n // 300 + 1).repeat(300)[:n]
    values = dense(f, n, rng).astype(np.int64)
    return (values >> width << width).astype(f.unsigned)


def half_trailing_zeros(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """Half of the mantissa's bits are 0 everywhere: for fp32, roughly bf16 held in fp32."""
    width = -(-f.mantissa * 2 // 3)
    return (dense(f, n, rng) >> width << width).astype(f.unsigned)


def powers_of_two(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    return f.join(rng.integers(0, 2, n), rng.integers(1, f.top, n), 0)


def uniform_exponents(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """What no table codes well: raw blocks."""
    return with_exponents(f, rng.integers(0, f.top + 1, n), rng)


def mixed(f: Layout, n: int, rng: np.random.Generator) -> Patterns:
    """A stretch of every kind, so that blocks of one chunk differ."""
    pieces = [kind(f, 150, rng) for name, kind in KINDS.items() if name != "mixed"]
    rng.shuffle(pieces)
    return np.resize(np.concatenate(pieces), n)


KINDS: dict[str, Kind] = {
    kind.__name__: kind
    for kind in (
        random_bits,
        dense,
        escapes,
        sparse,
        runs_of_zeros,
        all_zero,
        one_nonzero,
        one_zero,
        not_a_number,
        infinities,
        subnormals,
        negative_zeros,
        trailing_zeros,
        half_trailing_zeros,
        powers_of_two,
        uniform_exponents,
        mixed,
    )
}


def make(kind: str, dtype: str, n: int, seed: int = 0) -> Patterns:
    """`n` bit patterns of a kind; none of a kind but `all_zero` needs n > 0."""
    rng = np.random.default_rng([seed, n, *kind.encode()])
    f = ALL_LAYOUTS[dtype]
    return KINDS[kind](f, n, rng) if n else all_zero(f, 0, rng)
