# SPDX-License-Identifier: Apache-2.0
"""The page says what was measured, and what was not."""

from __future__ import annotations

from bench.page import render
from bench.report import Report


def test_every_part_is_on_the_page(report: Report) -> None:
    page = render(report)
    assert "- absent: it is not there\n" in page
    assert "too slow for a quick run: other best." in page
    assert "a processor, 2 cores; load 0.1 before the run and 1.1 after it" in page
    assert "Versions: entrolith 1.0, other 2.0." in page
    assert "3 products" in page
    assert "{" not in page


def test_the_smallest_is_bold_and_the_best_peer_named(report: Report) -> None:
    page = render(report)
    assert "| `vit.late.fp32` | **0.8300** | 0.8466 | 0.9950 | other best |" in page
    assert "| `vit.late.fp32` | 0.8350 | 0.8300 |\n" in page


def test_speeds_are_compared_with_our_default(report: Report) -> None:
    page = render(report)
    assert "## Speeds: vit.late.fp32 in cache\n\n1.0 MB, 25.0% zeros." in page
    assert "| zipnn 256k | 0.5000 | 1.500 | 5.3 | 1.500 | 4.000 | 2.5 | 4.000 |" in page
    # More than one thread: by the clock.
    assert (
        "| entrolith threads=2 | 0.5000 | 11.800 | 0.5 | 11.800 | 13.800 | 0.5 | 13.800 |" in page
    )


def test_targets_are_answered(report: Report) -> None:
    page = render(report)
    assert "| import beyond NumPy's own | < 100 ms | yes |  |  | 20 ms |" in page
