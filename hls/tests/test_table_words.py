# SPDX-License-Identifier: Apache-2.0
"""What is printed for a table set, and that it is refused if it is none."""

import json
from pathlib import Path

import pytest

from hls.code_tables import memory_rows
from hls.configuration import BUILT
from hls.table_words import BLOCKS, main, table_words

SET = BUILT / "gradient_k16.json"
TABLES = tuple(map(tuple, json.loads(SET.read_text())["tables"]))


@pytest.mark.parametrize("block", BLOCKS)
def test_every_word_fits_and_has_its_own_address(block: str) -> None:
    rows, sizes = BLOCKS[block]
    written = list(table_words(block, TABLES))
    assert len({address for address, _ in written}) == len(rows(TABLES)) * len(sizes(TABLES))
    bits = sizes(TABLES)
    assert all(data < 1 << bits[i % len(bits)] for i, (_, data) in enumerate(written))


def test_prints_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SET), "lane_dec"]) == 0
    rows = memory_rows(TABLES)
    lines = capsys.readouterr().out.splitlines()
    assert lines[len(rows[0])] == f"@8 {rows[1][0]:x}"
    assert len(lines) == sum(map(len, rows))


def test_refuses_what_is_no_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tables.json"
    path.write_text("{}")
    with pytest.raises(SystemExit) as caught:
        main([str(path), "lane_enc"])
    assert caught.value.code == 1
    assert "tables" in capsys.readouterr().err
