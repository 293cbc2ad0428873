# SPDX-License-Identifier: Apache-2.0
"""Table generation against brute force, against the reference, and against itself."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from entrolith.table_set import TableSet
from entrolith.tablegen import files
from entrolith.tablegen.cluster import canonical, kmeans, refine, tables_of, total_cost
from entrolith.tablegen.histogram import LAYOUTS, Histograms, symbol_histograms
from entrolith.tablegen.huffman import (
    Tables,
    block_costs,
    complete_codes,
    optimal_costs,
    optimal_table,
    raw_costs,
)
from entrolith.tablegen.learn import Settings, entropy_bits, learn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference.choose import choose_table, histogram_of
from reference.tables import codewords, identity, reverse

ESCAPE = 15
COUNTS = arrays(np.int64, 16, elements=st.integers(0, 600)).filter(lambda h: bool(h.any()))


def random_histograms(blocks: int, seed: int = 1) -> Histograms:
    """Blocks of 512 symbols from geometric tails of several widths, some uniform."""
    rng = np.random.default_rng(seed)
    rows = []
    for block in range(blocks):
        if block % 7 == 0:
            symbols = rng.integers(0, 16, 512)
        else:
            offset, width = block % 5, rng.uniform(0.3, 0.8)
            symbols = np.minimum(np.maximum(offset - 2, 0) + rng.geometric(width, 512) - 1, ESCAPE)
        rows.append(np.bincount(symbols, minlength=16))
    return np.array(rows, np.int64)


def random_tables(count: int, seed: int = 2) -> Tables:
    return np.stack([optimal_table(h) for h in random_histograms(count, seed)])


@pytest.mark.parametrize("max_length", [3, 4, 5])
@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_complete_codes_are_all_of_them(size: int, max_length: int) -> None:
    room = 1 << max_length
    every = itertools.combinations_with_replacement(range(1, max_length + 1), size)
    expected = [c for c in every if sum(room >> n for n in c) == room]
    assert [tuple(code) for code in complete_codes(size, max_length).tolist()] == expected


def test_complete_codes_as_counted_elsewhere() -> None:
    counts = [len(complete_codes(size)) for size in range(2, 10)]
    assert counts == [1, 1, 2, 3, 5, 9, 16, 28]  # OEIS A002572, before 8 bits are a limit


def every_code_of_five() -> Tables:
    """All lengths of symbols 0..3 and the escape, complete or not."""
    grid = np.array(list(itertools.product(range(9), repeat=5)), np.int64)
    kraft = np.where(grid > 0, 256 >> grid, 0).sum(axis=1)
    codes: Tables = grid[(grid[:, 4] > 0) & (kraft <= 256)]
    return codes


def test_optimal_table_against_brute_force() -> None:
    five = every_code_of_five()
    tables = np.zeros((len(five), 16), np.int64)
    tables[:, [0, 1, 2, 3, ESCAPE]] = five
    rng = np.random.default_rng(3)
    for scale in (2, 10, 300, 100_000):
        for _ in range(6):
            histogram = np.zeros(16, np.int64)
            histogram[[0, 1, 2, 3, ESCAPE]] = rng.integers(0, scale, 5) ** rng.integers(1, 3, 5)
            histogram[rng.integers(4)] += 1
            cheapest = block_costs(histogram[None], tables).min()
            assert optimal_costs(histogram[None])[0] == cheapest
            own = block_costs(histogram[None], optimal_table(histogram)[None])
            assert own[0, 0] == cheapest


@given(COUNTS)
def test_optimal_table_is_a_table_of_the_format_and_costs_what_is_claimed(
    histogram: Histograms,
) -> None:
    table = optimal_table(histogram)
    codes = codewords(table.tolist())  # raises if incomplete, too long, or without an escape
    bits = sum(
        count * (codes[s][0] if s in codes and s != ESCAPE else codes[ESCAPE][0] + 8)
        for s, count in enumerate(histogram.tolist())
    )
    assert bits == block_costs(histogram[None], table[None])[0, 0]
    assert bits == optimal_costs(histogram[None])[0]


def test_symbols_without_a_codeword_are_the_rarest() -> None:
    histogram = np.array([500, 400, 300, 1, 200, 1] + [0] * 10, np.int64)
    table = optimal_table(histogram)
    assert (table[[0, 1, 2, 4]] > 0).all()
    assert table[0] <= table[1] <= table[2] <= table[4]


@pytest.mark.parametrize("dtype", LAYOUTS)
def test_histograms_against_the_text_of_the_format(dtype: str) -> None:
    layout, chunk, block = LAYOUTS[dtype], 512, 32
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 1 << layout.bits, 3 * chunk + 77)
    patterns = np.where(rng.random(bits.size) < 0.4, 0, bits).astype(f"u{layout.bits // 8}")
    patterns[chunk : 2 * chunk] = 0  # a chunk without any block

    expected = []
    for c in range(0, patterns.size, chunk):
        nonzero = [int(p) for p in patterns[c : c + chunk] if p]
        for b in range(0, len(nonzero), block):
            exponents = [
                p >> layout.mantissa & (1 << layout.exponent) - 1 for p in nonzero[b : b + block]
            ]
            symbols = [min(max(exponents) - e, ESCAPE) for e in exponents]
            expected.append([symbols.count(s) for s in range(16)])
    assert symbol_histograms(patterns, dtype, chunk=chunk, block=block).tolist() == expected


@pytest.mark.parametrize("values", [0, 5])
def test_nothing_but_zeros_has_no_block(values: int) -> None:
    zeros = np.zeros(values, np.uint32)
    assert symbol_histograms(zeros, "fp32", chunk=512, block=32).shape == (0, 16)


def test_negative_zero_is_a_value() -> None:
    patterns = np.array([0x80000000, 0, 0x3F800000], np.uint32)
    row = symbol_histograms(patterns, "fp32", chunk=512, block=32)[0]
    assert (row[0], row[ESCAPE], row.sum()) == (1, 1, 2)


def test_costs_choose_as_the_reference_does() -> None:
    histograms, tables = random_histograms(60), random_tables(16)
    costs = block_costs(histograms, tables)
    for row, cost, raw in zip(histograms, costs, raw_costs(histograms), strict=True):
        symbols = np.repeat(np.arange(16), row).tolist()
        expected = 255 if raw < cost.min() else int(cost.argmin())
        assert choose_table(histogram_of(symbols), tables.tolist(), 8)[0] == expected


def test_raw_is_chosen_when_cheaper() -> None:
    histogram = np.array([[1] + [0] * 14 + [511]], np.int64)
    assert total_cost(histogram, np.array([[1] + [2, 3, 4, 5, 6, 7, 8] + [0] * 7 + [8]])) == 8 * 512


def test_refinement_never_costs_more() -> None:
    histograms = random_histograms(200)
    rng = np.random.default_rng(5)
    for k in (1, 2, 8, 40):
        tables = tables_of(histograms, rng.integers(0, k, len(histograms)), k)
        refined = refine(histograms, tables)
        assert total_cost(histograms, refined) <= total_cost(histograms, tables)
        if k > 1:
            assert total_cost(histograms, refined) < total_cost(histograms, tables)


def test_refinement_gives_an_unused_table_new_blocks() -> None:
    histograms = random_histograms(100)
    twice = np.repeat(tables_of(histograms, np.zeros(100, np.int64), 1), 2, axis=0)
    refined = refine(histograms, twice)
    assert total_cost(histograms, refined) < total_cost(histograms, twice)
    assert len(canonical(refined)) == 2


def test_no_table_set_beats_a_table_for_each_block() -> None:
    histograms = random_histograms(100)
    learned = learn(histograms, Settings(k=8))
    assert entropy_bits(histograms) <= learned.dynamic_bits <= learned.refined_bits
    assert learned.refined_bits <= learned.kmeans_bits
    assert learned.block_entropy_bits <= learned.entropy_bits
    assert learned.values == histograms.sum()


def test_as_many_tables_as_blocks_are_as_good_as_dynamic_ones() -> None:
    histograms = random_histograms(12)
    learned = learn(histograms, Settings(k=12), labels=np.arange(12))
    assert learned.refined_bits <= learned.dynamic_bits
    assert (
        learned.refined_bits == np.minimum(optimal_costs(histograms), raw_costs(histograms)).sum()
    )


def test_kmeans_is_repeatable_and_learning_from_its_groups_is_learning() -> None:
    histograms = random_histograms(80)
    settings = Settings(k=6, starts=3)
    labels = kmeans(histograms, 6, seed=0, starts=3)
    assert labels.tolist() == kmeans(histograms, 6, seed=0, starts=3).tolist()
    direct, replayed = learn(histograms, settings), learn(histograms, settings, labels)
    assert direct.tables.tolist() == replayed.tables.tolist()


def test_progress_reaches_its_total() -> None:
    steps: list[tuple[int, int]] = []
    learn(
        random_histograms(30), Settings(k=2), progress=lambda _, n, total: steps.append((n, total))
    )
    assert [n for n, _ in steps] == list(range(steps[-1][1] + 1))


def test_equal_blocks_give_one_table() -> None:
    histograms = np.repeat(random_histograms(2)[1:], 10, axis=0)
    assert len(learn(histograms, Settings(k=4)).tables) == 1


def test_blocks_that_are_all_cheaper_raw_still_give_a_table() -> None:
    histograms = np.zeros((5, 16), np.int64)
    histograms[:, [0, ESCAPE]] = [1, 511]
    learned = learn(histograms, Settings(k=3))
    assert len(learned.tables) == 1
    assert learned.refined_bits == 5 * 512 * 8


def test_too_few_blocks() -> None:
    with pytest.raises(ValueError, match="3 blocks are too few for 4 tables"):
        learn(random_histograms(3), Settings(k=4))


def test_order_depends_on_the_tables_alone() -> None:
    tables = canonical(random_tables(20))
    rng = np.random.default_rng(6)
    assert canonical(rng.permutation(tables)).tolist() == tables.tolist()
    assert len({tuple(t) for t in tables.tolist()}) == len(tables)


def test_json_is_canonical() -> None:
    tables = random_tables(3)
    text = files.to_json("a", tables, {"b": 1, "a": {"z": "y"}})
    fields = json.loads(text)
    assert list(fields) == sorted(fields)
    assert list(fields["provenance"]) == ["a", "b"]
    assert fields["tables"] == tables.tolist()
    assert fields["identity"] == identity(tables.tolist()).hex()
    assert TableSet.from_json(text) == TableSet(tables.tolist())


def test_encoder_rom_holds_the_codewords() -> None:
    tables = random_tables(16)
    words = [int(line, 16) for line in files.encoder_rom(tables).splitlines()]
    assert len(words) == 16 * len(tables)
    for t, lengths in enumerate(tables.tolist()):
        codes = codewords(lengths)
        for symbol in range(16):
            length, code = codes.get(symbol, codes[ESCAPE])
            escape = symbol == ESCAPE or symbol not in codes
            assert words[16 * t + symbol] == escape << 12 | length << 8 | reverse(code, length)


def test_decoder_rom_decodes_every_window() -> None:
    tables = random_tables(16)
    words = [int(line, 16) for line in files.decoder_rom(tables).splitlines()]
    assert len(words) == len(tables)
    for word, lengths in zip(words, tables.tolist(), strict=True):
        limits = [word >> (9 * i) & 511 for i in range(7)]
        biases = [word >> (63 + 4 * i) & 15 for i in range(8)]
        symbols = [word >> (95 + 4 * i) & 15 for i in range(16)]
        expected = {
            code << (8 - length) | rest: (symbol, length)
            for symbol, (length, code) in codewords(lengths).items()
            for rest in range(1 << (8 - length))
        }
        assert sorted(expected) == list(range(256))
        for window in range(256):
            length = 1 + sum(window >= limit for limit in limits)
            rank = (window >> (8 - length)) + biases[length - 1] & 15
            assert (symbols[rank], length) == expected[window]
