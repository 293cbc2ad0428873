# SPDX-License-Identifier: Apache-2.0
"""Scaled and signed chunks (FORMAT.md sections 4.4, 4.5): the reference's bytes and refusals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import entrolith
import numpy as np
import pytest
import reference.encode
from corpus import outcomes, streams
from corpus.values import KINDS, LAYOUTS, Patterns, make
from entrolith import _core
from reference.encode import Plan, encode, plan_coded, single, write_stream
from reference.header import read_header
from reference.matrix import Matrix
from reference.profile import level
from reference.reader import CORRUPT, Reader

DTYPES = ["fp32", "bf16"]
TABLES = entrolith.TableSet(streams.TABLES)

SCALED, SIGNED = 2, 3
BITMAP, RUNS, CROSS = 2 << 2, 3 << 2, 4 << 2
"""Of the mode of a chunk."""

LEVELS = {SCALED: 5, SIGNED: 6}
"""That write these forms by the shape of a tensor."""


@pytest.fixture(params=_core.kernels())
def each_kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    before = _core.kernel()
    _core.set_kernel(request.param)
    yield
    _core.set_kernel(before)


in_each_kernel = pytest.mark.usefixtures("each_kernel")
each_form = pytest.mark.parametrize("form", LEVELS, ids={SCALED: "scaled", SIGNED: "signed"}.get)


def gradient(dtype: str, rows: int, columns: int, seed: int, form: int = SCALED) -> Patterns:
    """Numbers whose size depends on the row and on the column, of a signed chunk also the sign."""
    rng = np.random.default_rng(seed)
    size = np.exp(2 * rng.standard_normal(columns) + rng.standard_normal((rows, 1)) - 7)
    values = rng.standard_normal((rows, columns))
    if form == SIGNED:
        signs = np.sign(rng.standard_normal((rows, 1)) * rng.standard_normal(columns))
        values = np.abs(values) * np.where(rng.random(values.shape) < 0.1, -signs, signs)
    bits = (values * size).astype(np.float32).view(np.uint32)
    patterns: Patterns = bits if dtype == "fp32" else (bits >> 16).astype(np.uint16)
    return patterns


def with_zeros(patterns: Patterns, share: float, run: int) -> Patterns:
    """Some values replaced by runs of zeros; a row of zeros at the start, and one in between."""
    rng = np.random.default_rng(1)
    zero = np.repeat(rng.random(-(-patterns.size // run)) < share, run)[: patterns.size]
    left = np.where(zero.reshape(patterns.shape), 0, patterns).astype(patterns.dtype)
    left[[0, len(left) // 2]] = 0
    return left


def chunk_modes(stream: bytes) -> list[int]:
    r = Reader(stream)
    h = read_header(r, TABLES.tables)
    modes = []
    for _ in itertools.chain(*(s.chunks(1 << h.log2_chunk) for s in h.segments)):
        modes.append(stream[r.at])
        r.at += int.from_bytes(stream[r.at + 1 : r.at + 4], "little")
    return modes


def has(stream: bytes, form_and_zeros: int) -> bool:
    return any(mode & 0x1F == form_and_zeros for mode in chunk_modes(stream))


def write_strip(values: Patterns, dtype: str, log2_lanes: int, check: int, form: int) -> bytes:
    """A matrix that is one strip, of any width and height, in such chunks whatever they cost."""
    profile = replace(level(7, check=bool(check)), log2_chunk=10, log2_lanes=log2_lanes)
    rows, columns = values.shape
    matrix = Matrix((rows, columns), 1, columns, (False,) * rows, (False,) * columns)
    part = single("", dtype, values.shape, values.ravel().tolist(), matrix, profile)

    def dear(*arguments: Any) -> Plan:
        return replace(plan_coded(*arguments), cost=1 << 32)

    def never(*_: Any) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference.encode, "plan_coded", dear)
        patch.setattr(reference.encode, "plan_signed" if form == SCALED else "plan_scaled", never)
        profile = replace(profile, stored=False)
        data = write_stream([part], b"", TABLES.tables, profile, profile.flags)
    assert any(mode & 3 == form for mode in chunk_modes(data))
    return data


def check_writing(values: Patterns, dtype: str, number: int) -> bytes:
    data = entrolith.compress(values, dtype=dtype, level=number, tables=TABLES)
    expected = encode(values.ravel().tolist(), dtype, values.shape, TABLES.tables, level(number))
    assert data == expected
    assert np.array_equal(entrolith.decompress(data, tables=TABLES, as_bits=True), values)
    return bytes(data)


@in_each_kernel
@each_form
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [16, 31, 64, 65, 192, 512])
def test_strips_are_written_as_the_reference_does(width: int, dtype: str, form: int) -> None:
    values = gradient(dtype, -(-(1 << 14) // width), width, width, form)
    assert has(check_writing(values, dtype, LEVELS[form]), form)


@in_each_kernel
@each_form
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("share", "run", "zeros"), [(0.5, 1, BITMAP), (0.3, 40, RUNS)])
def test_zeros(share: float, run: int, zeros: int, dtype: str, form: int) -> None:
    values = with_zeros(gradient(dtype, 80, 224, 3, form), share, run)
    assert has(check_writing(values, dtype, LEVELS[form]), form | zeros)


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [64, 576, 4608])
def test_widths_without_a_matrix(width: int, dtype: str) -> None:
    """The last row is shorter, and some are zeros."""
    values = gradient(dtype, 2, width, width).ravel()
    values = np.concatenate([np.tile(values, 1 + 4000 // width), values[: width // 3]])
    signs = np.random.default_rng(width).integers(0, 2, values.size, dtype=values.dtype)
    values ^= signs << np.array(8 * values.itemsize - 1, values.dtype)  # else they can be predicted
    assert has(check_writing(values, dtype, 9), SCALED)
    values[: 2 * width] = 0
    values[4 * width : 5 * width + 3] = 0
    assert has(check_writing(values, dtype, 9), SCALED | RUNS)


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [32, 256, 1024])
def test_signs_without_a_matrix(width: int, dtype: str) -> None:
    """The last row is shorter, and some are zeros."""
    values = gradient(dtype, 2 + 16000 // width, width, width, SIGNED).ravel()[: -width // 3]
    assert has(check_writing(values, dtype, 9), SIGNED)
    values[: 2 * width] = 0
    values[4 * width : 5 * width + 3] = 0
    assert has(check_writing(values, dtype, 9), SIGNED | RUNS)


def taps_of(data: bytes, zeros: int) -> int:
    """Of a signed chunk, the first of a stream of 64 lanes; `zeros` are the bytes of its part."""
    r = Reader(data)
    read_header(r, TABLES.tables)
    return data[r.at + 8 + zeros + 2 * 64 + 5]


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rest", [0, 5])
def test_taps(rest: int, dtype: str) -> None:
    """Kernels with one sign, 9 taps each; what is left after groups of 64 kernels, and without."""
    kernels = 64 * 30 + rest
    signs = np.random.default_rng(rest).choice([-1.0, 1.0], (kernels, 1))
    bits = (np.abs(gradient("fp32", kernels, 9, 7).view(np.float32)) * signs).astype(np.float32)
    patterns = bits.ravel().view(np.uint32)
    values = patterns if dtype == "fp32" else (patterns >> 16).astype(np.uint16)
    data = check_writing(values, dtype, 9)
    assert has(data, SIGNED)
    assert taps_of(data, 0) == 9
    values[9 * 40 : 9 * 90] = 0
    assert has(check_writing(values, dtype, 9), SIGNED | RUNS)


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_every_kind(kind: str, dtype: str) -> None:
    for n in (1, 63, 65, 200, 1100):
        check_writing(make(kind, dtype, n), dtype, 9)


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trailing", [1, 3, 6, 7])
def test_trailing_zeros(trailing: int, dtype: str) -> None:
    """In bf16, 7 are all of the mantissa, of which a scaled chunk drops 6, a signed one 5."""
    values = gradient(dtype, 20, 64, trailing).ravel() >> trailing << trailing
    assert has(check_writing(values, dtype, 9), SCALED)
    trailing = min(trailing, LAYOUTS[dtype].mantissa - 2)
    values = gradient(dtype, 256, 64, trailing, SIGNED) >> trailing << trailing
    assert has(check_writing(values, dtype, 6), SIGNED)


@in_each_kernel
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_beyond_any_scale(dtype: str) -> None:
    """Least and greatest numbers in turn: columns that reach their bounds, and a d of 9 bits."""
    f = LAYOUTS[dtype]
    low, high = f.join(0, 0, 1).item(), f.join(1, f.top, 5).item()
    for pattern in ([low] * 64 + [high] * 64, [low, high], [high] * 200 + [low] * 3):
        check_writing(np.resize(np.array(pattern, f.unsigned), 1500), dtype, 9)
    slow = np.repeat(np.arange(0, 2 * f.top), 64) << (f.mantissa - 1)
    check_writing((slow | 1).astype(f.unsigned)[:9000], dtype, 9)


@in_each_kernel
@each_form
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 2, 7, 63, 64, 65, 130, 700])
def test_streams_of_any_parameters_are_read(width: int, dtype: str, form: int) -> None:
    for log2_lanes, share, check in itertools.product((3, 4, 5, 6), (0, 0.4), (0, 1)):
        values = gradient(dtype, -(-1500 // width), width, log2_lanes, form)
        if share:
            values = with_zeros(values, share, 30)
        data = write_strip(values, dtype, log2_lanes, check, form)
        assert outcomes.outcome(data) == (dtype, values.shape, values.ravel().tolist())


def small_streams(dtype: str, form: int) -> Iterator[bytes]:
    """Chunks of few bytes."""
    for i, (width, log2_lanes) in enumerate([(1, 4), (7, 3), (64, 6), (65, 6), (130, 5)]):
        values = gradient(dtype, -(-200 // width), width, i, form)
        values[1:, :5:2] ^= LAYOUTS[dtype].join(0, 16, 0)  # far from what is predicted
        yield write_strip(values, dtype, log2_lanes, i % 2, form)
        if width < 100:
            yield write_strip(with_zeros(values, 0.2, 1), dtype, log2_lanes, i % 2, form)
            yield write_strip(with_zeros(values, 0.3, 30), dtype, log2_lanes, i % 2, form)


def check_refusal(damaged: bytes) -> outcomes.Outcome:
    """The reference's outcome, which is that of each kernel."""
    expected = outcomes.expected(damaged)
    before = _core.kernel()
    for kernel in _core.kernels():
        _core.set_kernel(kernel)
        assert outcomes.outcome(damaged) == expected, (kernel, damaged.hex())
    _core.set_kernel(before)
    return expected


@each_form
@pytest.mark.parametrize("dtype", DTYPES)
def test_damage(dtype: str, form: int) -> None:
    """Bytes of small streams changed, every one before the codes, with and without a check."""
    fields = set()
    for i, stream in enumerate(small_streams(dtype, form)):
        r = Reader(stream)
        read_header(r, TABLES.tables)
        head = range(r.at, min(r.at + 300, len(stream)))
        places = [(at, flip) for at in head[i % 2 :: 2] for flip in (1 << at % 8, 0xC0)]
        places += [(at, 1 << at % 8) for at in range(head.stop + i % 5, len(stream), 5)]
        for at, flip in places:
            damaged = bytes([*stream[:at], stream[at] ^ flip, *stream[at + 1 :]])
            cause, field, _ = check_refusal(damaged)
            if cause == CORRUPT:
                fields.add(field)
    expected = {"width", "trailing", "first_offset", "offset_table", "scale_table", "codes"}
    assert fields >= expected | ({"sense_table"} if form == SIGNED else set())


@each_form
@pytest.mark.parametrize("dtype", DTYPES)
def test_truncation(dtype: str, form: int) -> None:
    for stream in small_streams(dtype, form):
        for damaged in itertools.islice(streams.truncations(stream), 20, None, 13):
            check_refusal(damaged)


@pytest.mark.parametrize("dtype", sorted(set(LAYOUTS) - set(DTYPES)))
def test_other_types_are_not_scaled(dtype: str) -> None:
    values = make("dense", dtype, 1 << 14).reshape(-1, 64)
    data = check_writing(values, dtype, 5)
    assert all(mode & 3 < SCALED for mode in chunk_modes(data))
    r = Reader(data)
    read_header(r, TABLES.tables)
    for form in LEVELS:
        forged = bytearray(data)
        forged[r.at] = forged[r.at] & ~3 | form
        assert outcomes.compare([bytes(forged)]) == [(CORRUPT, "mode", r.at)]
