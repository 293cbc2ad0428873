# SPDX-License-Identifier: Apache-2.0
"""The constants of the format that hls/point.py holds are the reference's."""

from reference import zeros

from hls.point import KNOWN_TABLES


def test_known_tables_are_the_format_s() -> None:
    assert tuple(map(tuple, zeros.KNOWN_TABLES)) == KNOWN_TABLES
