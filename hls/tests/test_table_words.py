# SPDX-License-Identifier: Apache-2.0
"""What is printed for a table set, and that it is refused if it is none."""

import json
from pathlib import Path

import entrolith
import pytest

from hls.code_tables import memory_rows
from hls.configuration import BUILT, Configuration, load
from hls.table_words import BLOCKS, TOPS, main, table_words

SET = BUILT / "gradient_k16.json"
TABLES = tuple(map(tuple, json.loads(SET.read_text())["tables"]))


@pytest.mark.parametrize("block", BLOCKS)
def test_every_word_fits_and_has_its_own_address(block: str) -> None:
    rows, sizes = BLOCKS[block]
    written = list(table_words(block, TABLES))
    assert len({address for address, _ in written}) == len(rows(TABLES)) * len(sizes(TABLES))
    bits = sizes(TABLES)
    assert all(data < 1 << bits[i % len(bits)] for i, (_, data) in enumerate(written))


@pytest.mark.parametrize(
    "configuration",
    [c for c in load() if c.parameters.get("loadable")],
    ids=lambda configuration: configuration.name,
)
def test_addresses_and_words_are_as_wide_as_the_port(configuration: Configuration) -> None:
    ports = configuration.ports()
    addresses, words = zip(*table_words(configuration.block, TABLES), strict=True)
    assert max(addresses).bit_length() == len(ports["table_address"])
    assert max(words).bit_length() <= len(ports["table_data"])


@pytest.mark.parametrize(("top", "blocks"), TOPS.items())
def test_a_top_is_given_what_its_blocks_are(top: str, blocks: tuple[str, ...]) -> None:
    data = [data for block in blocks for _, data in table_words(block, TABLES)]
    written = list(table_words(top, TABLES))
    assert [word for _, word in written] == data
    assert len({address for address, _ in written}) == len(data)


def test_prints_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SET), "lane_dec"]) == 0
    rows = memory_rows(TABLES)
    lines = capsys.readouterr().out.splitlines()
    assert lines[len(rows[0])] == f"@8 {rows[1][0]:x}"
    assert len(lines) == sum(map(len, rows))


def test_refuses_sets_of_another_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "few.json"
    path.write_text(entrolith.TableSet(TABLES[:8]).to_json())
    with pytest.raises(SystemExit) as caught:
        main([str(path), "gradient_dec"])
    assert caught.value.code == 1
    assert "8 tables" in capsys.readouterr().err


def test_refuses_what_is_no_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tables.json"
    path.write_text("{}")
    with pytest.raises(SystemExit) as caught:
        main([str(path), "lane_enc"])
    assert caught.value.code == 1
    assert "tables" in capsys.readouterr().err
