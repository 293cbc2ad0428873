# SPDX-License-Identifier: Apache-2.0
"""A report made by hand: every figure is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from bench import ours
from bench.codec import Skipped
from bench.machine import Machine
from bench.report import Rate, Report, Size, Speed
from bench.targets import DENSE, DENSE_BF16, NDZIP_FILES, RATIOS, SPARSE

ORIGINAL = 1_000_000


def size(data: str, codec: str, product: str, stream: int) -> Size:
    dtype = "bf16" if data.endswith("bf16") else "fp32"
    return Size(data, dtype, codec, product, ORIGINAL, stream)


def speed(
    data: str,
    where: str,
    codec: str,
    compress: float,
    decompress: float,
    wall: float = 1.0,
    threads: int = 1,
) -> Speed:
    """A speed whose figures by the clock are `wall` times those by processor time."""
    return Speed(
        data=data,
        dtype="bf16" if data.endswith("bf16") else "fp32",
        where=where,
        original_bytes=ORIGINAL,
        zeros=0.25,
        codec=codec,
        product=codec.split(maxsplit=1)[0],
        threads=threads,
        stream_bytes=ORIGINAL // 2,
        compress=Rate(compress, compress * wall, 9),
        decompress=Rate(decompress, decompress * wall, 9),
    )


@pytest.fixture
def report() -> Report:
    """All targets met, the ambitious ones too."""
    fast, portable, default = ours.FAST.name, ours.FAST_PORTABLE.name, ours.DEFAULT.name
    sizes = []
    for name, (_, ambitious) in RATIOS.items():
        sizes.append(size(name, default, "entrolith", round(ambitious * ORIGINAL) + 5000))
        sizes.append(size(name, ours.SMALLEST.name, "entrolith", round(ambitious * ORIGINAL)))
        sizes.append(size(name, "other fast", "other", 990_000))
        sizes.append(size(name, "other best", "other", round(1.02 * ambitious * ORIGINAL)))
        sizes.append(size(name, "third", "third", 995_000))
    speeds = [
        speed(DENSE, "cache", fast, 12, 16),
        speed(DENSE, "cache", ours.UNCHECKED.name, 13, 20),
        speed(DENSE, "cache", default, 8, 10),
        speed(DENSE, "cache", portable, 3.5, 4),
        speed(DENSE, "cache", "zipnn 256k", 1.5, 4),
        speed(DENSE, "cache", "zipnn 128k", 1, 5),
        speed(SPARSE, "cache", fast, 12, 16),
        speed(SPARSE, "cache", default, 8, 10),
        speed(DENSE_BF16, "cache", fast, 8, 10),
        speed(DENSE_BF16, "cache", default, 5, 6),
        speed(DENSE, "memory", fast, 8, 10),
        speed(DENSE, "memory", default, 6, 7),
        speed(DENSE, "memory", ours.TWO_THREADS.name, 5.9, 6.9, wall=2, threads=2),
    ]
    return Report(
        machine=Machine("a processor", 2, "avx512", "3.11", "2.4", 0.1, 1.1, True),
        mode="quick",
        source="some files",
        whole=True,
        versions={"entrolith": "1.0", "other": "2.0"},
        skipped=[Skipped("absent", "it is not there")],
        too_slow=["other best"],
        sizes=sizes,
        speeds=speeds,
        ndzip_bytes=dict.fromkeys(NDZIP_FILES, 900_000),
        import_ms=20.0,
    )


@pytest.fixture
def changed(report: Report) -> Callable[..., Report]:
    """The same report, but for the size or the speed of one codec on some data."""

    def change(data: str, codec: str, **what: Any) -> Report:
        return replace(
            report,
            sizes=[
                replace(each, **what) if (each.data, each.codec) == (data, codec) else each
                for each in report.sizes
            ]
            if "stream_bytes" in what
            else report.sizes,
            speeds=[
                replace(each, **what) if (each.data, each.codec) == (data, codec) else each
                for each in report.speeds
            ],
        )

    return change
