# SPDX-License-Identifier: Apache-2.0
"""Throughput: which side of a top is values, and what the coded side carries."""

import json
from pathlib import Path

import pytest

from reports import published, table, throughput
from reports.published import Design
from reports.summary import Summary

WORST = {"fp32": 0.75}


def test_worst_sample_of_each_dtype_counts(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    rows = [("a.late.fp32", 0.5), ("b.late.ampf32", 0.8), ("c.late.bf16", 0.7)]
    path.write_text(json.dumps([{"sample": name, "hardware": each} for name, each in rows]))
    assert throughput.ratios(path) == {"fp32": 0.8, "bf16": 0.7}


def test_encoder_takes_values_and_decoder_gives_them(summary: Summary) -> None:
    fifo, decoder, encoder, _ = summary["entries"]
    values = 32 * 0.5  # a value of 32 bits a cycle at 500 MHz
    assert throughput.rates(encoder, 500, WORST) == throughput.Rates(values, values * 0.75)
    assert throughput.rates(decoder, 500, WORST) == throughput.Rates(values * 0.75, values)
    assert throughput.rates(encoder, None, WORST) is None
    assert throughput.rates(fifo, 500, WORST) is None


def test_throughput_table(summary: Summary) -> None:
    lines = table.throughput(summary["entries"][1:3], WORST).splitlines()
    assert lines[0].startswith("| configuration | memory, bits | Nangate45, MHz |")
    assert lines[2:] == [
        "| `gradient_dec_w1_fp32` | 33,792 | 800 | 19.2 | 25.6 | 2.53 | 123 | 3.0 | 3.9 |",
        "| `gradient_enc_w1_fp32` | 33,792 | 800 | 25.6 | 19.2 | 1.68 | 123 | 3.9 | 3.0 |",
    ]


def test_published_designs_come_first_and_miss_what_is_not_known(summary: Summary) -> None:
    designs = [
        Design("small", "a paper", "encoder", "bytes", "65 nm", kge=4, bits_per_cycle=8),
        Design("fast", "another", "encoder", "bytes", "12 nm", gbit_per_s=32),
        Design("other", "another", "decoder", "bytes", "12 nm"),
    ]
    assert table.published(designs, summary["entries"], "encoder").splitlines()[2:] == [
        "| small: bytes | 65 nm | 4 | 8 | 2.00 | - | - |",
        "| fast: bytes | 12 nm | - | - | - | 32 | - |",
        "| `gradient_enc_w1_fp32` | Nangate45 | 15.2 | 32.0 | 2.10 | 25.6 | 1.68 |",
        "| `lane_enc_fp32` | Nangate45 | 3.0 | 32.0 | 10.67 | 40.0 | 13.33 |",
    ]


def test_committed_designs_are_read_and_strange_fields_refused(tmp_path: Path) -> None:
    designs = published.read()
    assert {design.role for design in designs} == {"encoder", "decoder"}
    assert all(design.source for design in designs)
    strange = tmp_path / "published.toml"
    strange.write_text(published.PATH.read_text().replace("kge =", "kges ="))
    with pytest.raises(TypeError, match="kges"):
        published.read(strange)
