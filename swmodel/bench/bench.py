# SPDX-License-Identifier: Apache-2.0
"""Speed of compress and decompress on this machine, one thread, beside memcpy, zlib and zstd.

python swmodel/bench/bench.py [--megabytes N] [--repeats N] [--gradients DIR]

Every subject runs once in each round, so that a disturbance of the machine meets all of them;
figures are medians over the rounds, in MB/s: 10^6 bytes of the array in a second of processor time.
What comes back is compared with what went in. Prints Markdown and writes build/bench.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import entrolith
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
GRADIENTS = ROOT.parent / "shared" / "data" / "gradients"
MEMORY_INPUT = 64 << 20

Patterns = NDArray[Any]


@dataclass(frozen=True)
class Data:
    """An array to compress, as bit patterns."""

    name: str
    dtype: str
    patterns: Patterns


@dataclass(frozen=True)
class Codec:
    """A pair of functions: from Data to bytes, and back to bytes or an array."""

    name: str
    compress: Callable[[Data], bytes]
    decompress: Callable[[bytes], Any]


@dataclass
class Row:
    """A line of the table; ratio is compressed over original."""

    data: str
    dtype: str
    megabytes: float
    codec: str
    ratio: float
    compress_mb_s: float
    decompress_mb_s: float


def synthetic(megabytes: int) -> Iterator[Data]:
    """Normal numbers, all of them or half of them, in each type."""
    rng = np.random.default_rng(1)
    for name, density in (("dense", 1.0), ("sparse", 0.5)):
        for dtype, size in (("fp32", 4), ("bf16", 2), ("fp16", 2)):
            n = (megabytes << 20) // size
            values = rng.standard_normal(n, np.float32) * np.float32(0.01)
            values[rng.random(n, np.float32) >= density] = 0
            if dtype == "fp16":
                yield Data(name, dtype, values.astype(np.float16).view(np.uint16))
            elif dtype == "bf16":
                yield Data(name, dtype, (values.view(np.uint32) >> 16).astype(np.uint16))
            else:
                yield Data(name, dtype, values.view(np.uint32))


def gradients(folder: Path) -> Iterator[Data]:
    """Each file's tensors, joined."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            joined = np.concatenate([file[name].ravel() for name in file.files])
        dtype = "bf16" if joined.dtype == np.uint16 else "fp32"
        yield Data(path.stem, dtype, joined.view(np.uint16 if dtype == "bf16" else np.uint32))


def entrolith_codec(profile: str) -> Codec:
    return Codec(
        f"entrolith {profile}",
        lambda data: entrolith.compress(data.patterns, dtype=data.dtype, profile=profile),
        lambda stream: entrolith.decompress(stream, as_bits=True),
    )


def codecs() -> list[Codec]:
    found = [entrolith_codec(profile) for profile in entrolith.PROFILES]
    found.append(Codec("memcpy", lambda data: data.patterns.tobytes(), bytearray))
    found.append(
        Codec("zlib 1", lambda data: zlib.compress(data.patterns.data, 1), zlib.decompress)
    )
    if importlib.util.find_spec("zstandard"):
        import zstandard

        zstd, unzstd = zstandard.ZstdCompressor(level=1), zstandard.ZstdDecompressor()
        found.append(
            Codec("zstd 1", lambda data: zstd.compress(data.patterns.data), unzstd.decompress)
        )
    return found


def timed(work: Callable[[Any], Any], subject: Any) -> tuple[float, Any]:
    start = time.thread_time()
    result = work(subject)
    return time.thread_time() - start, result


def measure(data: Data, repeats: int) -> Iterator[Row]:
    subjects = codecs()
    times: dict[str, list[tuple[float, float]]] = {codec.name: [] for codec in subjects}
    sizes: dict[str, int] = {}
    for _ in range(repeats):
        for codec in subjects:
            there, stream = timed(codec.compress, data)
            back, values = timed(codec.decompress, stream)
            if bytes(values) != data.patterns.tobytes():
                sys.exit(f"{codec.name} on {data.name}: the values do not come back")
            times[codec.name].append((there, back))
            sizes[codec.name] = len(stream)
    megabytes = data.patterns.nbytes / 1e6
    for codec in subjects:
        there, back = (statistics.median(column) for column in zip(*times[codec.name], strict=True))
        yield Row(
            data.name,
            data.dtype,
            round(megabytes, 1),
            codec.name,
            round(sizes[codec.name] / data.patterns.nbytes, 4),
            round(megabytes / there),
            round(megabytes / back),
        )


PEAK = """
import re, sys
import numpy as np
import entrolith

def peak():  # not ru_maxrss, which remembers the process that started this one
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) * 1024

entrolith.decompress(entrolith.compress(np.ones(9, np.float32)))
before = peak()
if sys.argv[1] == "compress":
    array = np.random.default_rng(0).standard_normal(int(sys.argv[2]) // 4, np.float32)
    entrolith.compress(array)
else:
    with open(sys.argv[3], "rb") as file:
        stream = file.read()
    entrolith.decompress(stream)
print(peak() - before)
"""


def memory() -> dict[str, float]:
    """Growth of peak memory over the imported package, in array sizes; input and output count."""
    path = ROOT / "build" / "bench.elz"
    values = np.random.default_rng(0).standard_normal(MEMORY_INPUT // 4, np.float32)
    path.write_bytes(entrolith.compress(values))
    found = {}
    for direction in ("compress", "decompress"):
        command = [sys.executable, "-c", PEAK, direction, str(MEMORY_INPUT), str(path)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found[direction] = round(int(out) / MEMORY_INPUT, 2)
    path.unlink()
    return found


def markdown(rows: list[Row]) -> Iterator[str]:
    yield "| data | dtype | MB | codec | ratio | compress MB/s | decompress MB/s |"
    yield "|---|---|--:|---|--:|--:|--:|"
    for r in rows:
        cells = (r.data, r.dtype, f"{r.megabytes:.1f}", r.codec, f"{r.ratio:.4f}",
                 f"{r.compress_mb_s}", f"{r.decompress_mb_s}")  # fmt: skip
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=16, help="of synthetic arrays (16)")
    parser.add_argument("--repeats", type=int, default=5, help="rounds (5)")
    parser.add_argument("--gradients", type=Path, default=GRADIENTS, help="folder of .npz files")
    arguments = parser.parse_args()
    (ROOT / "build").mkdir(exist_ok=True)
    inputs = [*synthetic(arguments.megabytes), *gradients(arguments.gradients)]
    rows: list[Row] = []
    for data in inputs:
        print(f"{data.name} {data.dtype}", file=sys.stderr)
        rows += measure(data, arguments.repeats)
    growth = memory()
    print(*markdown(rows), sep="\n")
    print(
        f"\nPeak memory for a {MEMORY_INPUT >> 20} MiB fp32 array, input and output included: ",
        end="",
    )
    print(", ".join(f"{direction} {times} x" for direction, times in growth.items()))
    report = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "repeats": arguments.repeats,
        "rows": [asdict(row) for row in rows],
        "memory_growth": growth,
    }
    (ROOT / "build" / "bench.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
