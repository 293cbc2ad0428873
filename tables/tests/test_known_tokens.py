# SPDX-License-Identifier: Apache-2.0
"""The known token tables of FORMAT.md section 4.2 are what the samples for learning give."""

from __future__ import annotations

from reference.zeros import KNOWN_TABLES

from tables.known_tokens import CLASSES, chunks, learn, table_of


def test_known_tables_come_from_the_samples() -> None:
    assert tuple(learn(chunks())) == KNOWN_TABLES


def test_every_class_has_a_codeword() -> None:
    """However rare."""
    for classes in ([0], [12] * 9999, list(range(CLASSES))):
        assert all(table_of(classes)[:CLASSES])
