# SPDX-License-Identifier: Apache-2.0
"""Targets are met exactly when the figures say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from bench import ours
from bench.report import Rate, Report
from bench.targets import DENSE, DENSE_BF16, RATIOS, SPARSE, Verdict, evaluate

VIT = "vit.late.fp32"


def verdict(report: Report, target: str) -> Verdict:
    """The only verdict whose target starts so."""
    (found,) = (each for each in evaluate(report) if each.target.startswith(target))
    return found


def test_a_report_that_meets_all(report: Report) -> None:
    for each in evaluate(report):
        assert each.meets_must is not False, each
        assert each.meets_ambitious is not False, each
        assert (each.meets_must is None) == (each.must == ""), each
        assert (each.meets_ambitious is None) == (each.ambitious == ""), each


def test_a_ratio_counts_at_the_smallest_setting(changed: Callable[..., Report]) -> None:
    small, target = ours.SMALLEST.name, f"ratio of {VIT}"
    enough = verdict(changed(VIT, small, stream_bytes=833_000), target)
    assert enough == Verdict(target, "<= 0.833", "<= 0.830", f"0.8330 ({small})", True, False)
    assert verdict(changed(VIT, small, stream_bytes=833_001), target).meets_must is False


def test_ratios_of_samples_are_not_judged(report: Report) -> None:
    found = verdict(replace(report, whole=False), f"ratio of {VIT}")
    assert (found.meets_must, found.measured) == (None, "needs the whole file")
    assert verdict(replace(report, whole=False), "mean of five").meets_must is None


def test_the_smallest_peer_is_the_one_to_beat(changed: Callable[..., Report]) -> None:
    target = f"{VIT} smaller than"
    own = round(RATIOS[VIT][1] * 1_000_000)
    equal = verdict(changed(VIT, "third", stream_bytes=own), target)
    assert (equal.meets_must, equal.measured) == (False, "1.0000 of third")
    near = verdict(changed(VIT, "third", stream_bytes=own + 1000), target)
    assert (near.meets_must, near.meets_ambitious) == (True, False)
    resnet = verdict(
        changed("resnet50.late.fp32", "third", stream_bytes=840_000), "resnet50.late.fp32"
    )
    assert (resnet.meets_must, resnet.meets_ambitious, resnet.ambitious) == (True, None, "")


def test_ndzip_is_compared_by_means(report: Report) -> None:
    mean = sum(RATIOS[name][1] for name in report.ndzip_bytes) / 5
    for gain, must, ambitious in (
        (0.1549, False, False),
        (0.1551, True, False),
        (0.1662, True, True),
    ):
        theirs = dict.fromkeys(report.ndzip_bytes, round(mean / (1 - gain) * 1_000_000))
        found = verdict(replace(report, ndzip_bytes=theirs), "mean of five")
        assert (found.meets_must, found.meets_ambitious) == (must, ambitious), gain
    assert verdict(replace(report, ndzip_bytes={}), "mean of five").meets_must is None


def test_zipnn_counts_at_its_faster_setting_each_way(changed: Callable[..., Report]) -> None:
    slow = changed(
        DENSE, ours.UNCHECKED.name, compress=Rate(12.0, 12.0, 1), decompress=Rate(14.9, 14.9, 1)
    )
    found = verdict(slow, f"{ours.UNCHECKED.name}, fp32 in cache, over zipnn")
    assert (found.meets_must, found.measured) == (False, "8 / 2.98 times")


@pytest.mark.parametrize(("data", "least"), [(SPARSE, 1.0), (DENSE_BF16, 0.6)])
def test_other_data_is_compared_with_dense_fp32(
    changed: Callable[..., Report], data: str, least: float
) -> None:
    for part, meets in ((least * 1.01, True), (least * 0.99, False)):
        rate = Rate(8 * part, 8 * part, 1)
        found = verdict(
            changed(data, ours.DEFAULT.name, compress=rate), f"entrolith, {data} in cache"
        )
        assert found.meets_must is meets


def test_threads_are_compared_by_the_clock(changed: Callable[..., Report]) -> None:
    name = ours.TWO_THREADS.name
    found = verdict(changed(DENSE, name, compress=Rate(99.0, 10.1, 1)), "2 threads")
    assert (found.meets_must, found.meets_ambitious) == (False, False)
    assert found.measured.startswith("1.68 / ")


def test_what_was_not_measured_is_neither_met_nor_missed(report: Report) -> None:
    for each in evaluate(replace(report, speeds=[])):
        if "GB/s" in each.must + each.ambitious or "times" in each.must:
            assert (each.meets_must, each.meets_ambitious, each.measured) == (
                None,
                None,
                "not measured",
            )


def test_imports(report: Report) -> None:
    assert verdict(replace(report, import_ms=99.9), "import").meets_must is True
    assert verdict(replace(report, import_ms=100.0), "import").meets_must is False
