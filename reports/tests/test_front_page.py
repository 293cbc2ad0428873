# SPDX-License-Identifier: Apache-2.0
"""The front page's tables: between their markers, and up to date."""

from pathlib import Path

import pytest

from reports import front_page

ROOT = Path(__file__).resolve().parents[2]


def test_front_page_is_of_the_reports() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert front_page.render(page, ROOT / "reports") == page, "repair it with: ./nox -s reports"


def test_only_what_stands_between_the_markers_changes() -> None:
    page = "before\n<!-- begin a: ./nox -s reports -->\nold\n<!-- end a -->\nafter\n"
    new = page.replace("old", "\nnew\n")
    assert front_page.replaced(page, "a", "new\n") == new
    with pytest.raises(ValueError, match="no markers for b"):
        front_page.replaced(page, "b", "new")
