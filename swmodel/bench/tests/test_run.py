# SPDX-License-Identifier: Apache-2.0
"""A run from end to end, on little data."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from bench import peers, run
from bench.codec import Codec
from bench.data import Data, Source
from bench.measure import Effort
from bench.targets import DENSE, DENSE_BF16


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One peer, two small files, and no patience."""

    def zlib_codecs(_dtype: str) -> list[Codec]:
        return [Codec(f"zlib {n}", "zlib", zlib.compress, zlib.decompress) for n in (1, 9)]

    def source() -> Source:
        values = np.random.default_rng(0).standard_normal((64, 64), np.float32).view(np.uint32)
        bf16 = (values >> 16).astype(np.uint16)
        data = Data(DENSE, "fp32", {"t": values}), Data(DENSE_BF16, "bf16", {"t": bf16, "u": bf16})
        return Source("two files", False, data, {})

    monkeypatch.setattr(peers, "PEERS", {"zlib": ("numpy", zlib_codecs)})
    monkeypatch.setattr(run, "samples", source)
    monkeypatch.setattr(run, "QUICK", run.Plan("quick", Effort(1, 0), Effort(1, 0)))
    monkeypatch.setattr(run, "CACHE_BYTES", 1 << 12)
    monkeypatch.setattr(run, "MEMORY_BYTES", 1 << 16)
    monkeypatch.setattr(run, "keep_freed_memory", lambda: True)
    monkeypatch.setattr(run, "import_ms", lambda: 10.0)


@pytest.mark.usefixtures("small")
def test_a_run_writes_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--samples", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "skipped: ndzip" in told.err
    assert "| import beyond NumPy's own |" in told.out
    found = json.loads((tmp_path / "bench.json").read_text())
    assert {size["codec"] for size in found["sizes"]} >= {"entrolith", "zlib 1", "zlib 9"}
    assert {size["product"] for size in found["sizes"]} == {"entrolith", "zlib"}
    speeds = {(s["data"], s["where"], s["codec"]) for s in found["speeds"]}
    for data in (DENSE, DENSE_BF16):
        assert {(data, "cache", name) for name in ("entrolith", "memcpy", "zlib 9")} <= speeds
        slow = set(found["too_slow"])
        assert {(data, "memory", name) in speeds or name in slow for name in ("zlib 9",)} == {True}
    assert any(verdict["target"].startswith(DENSE) for verdict in found["targets"])
    assert "- ndzip: not packaged" in (tmp_path / "bench.md").read_text()
    assert (tmp_path / "bench.svg").read_text().startswith("<svg")


@pytest.mark.usefixtures("small")
def test_a_lossy_peer_fails_the_run_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lossy(_dtype: str) -> list[Codec]:
        return [Codec("lossy 3", "lossy", zlib.compress, lambda s: zlib.decompress(s)[::-1])]

    monkeypatch.setitem(peers.PEERS, "lossy", ("numpy", lossy))
    assert run.main(["--samples", "--out", str(tmp_path)]) == 1
    assert f"NOT LOSSLESS: lossy 3 on {DENSE}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("small")
def test_only_leaves_other_peers_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.PEERS, "other", ("numpy", peers.PEERS["zlib"][1]))
    assert run.main(["--samples", "--only", "zlib", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "bench.json").read_text())
    assert {"name": "other", "reason": "--only leaves it out"} in found["skipped"]
