# SPDX-License-Identifier: Apache-2.0
"""What a run of the benchmark finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.codec import Skipped
from bench.machine import Machine
from bench.ours import PRODUCT


@dataclass(frozen=True)
class Size:
    """Bytes of a whole stream of a whole file."""

    data: str
    dtype: str
    codec: str
    product: str
    original_bytes: int
    stream_bytes: int

    @property
    def ratio(self) -> float:
        """Stream over original: lower is better."""
        return self.stream_bytes / self.original_bytes


@dataclass(frozen=True)
class Rate:
    """Median speed in GB/s, 10^9 bytes of the original a second, over a number of calls."""

    cpu_gb_s: float
    wall_gb_s: float
    calls: int


@dataclass(frozen=True)
class Speed:
    """Speed of a codec on data that lies in the "cache" or in "memory"; `zeros` is a fraction."""

    data: str
    dtype: str
    where: str
    original_bytes: int
    zeros: float
    codec: str
    product: str
    threads: int
    stream_bytes: int
    compress: Rate
    decompress: Rate

    @property
    def ratio(self) -> float:
        """Stream over original, of what was timed."""
        return self.stream_bytes / self.original_bytes

    @property
    def gb_s(self) -> tuple[float, float]:
        """Compressing and decompressing: by processor time, with several threads by the clock."""
        if self.threads > 1:
            return self.compress.wall_gb_s, self.decompress.wall_gb_s
        return self.compress.cpu_gb_s, self.decompress.cpu_gb_s


@dataclass(frozen=True)
class Report:
    """Everything that was measured.

    Attributes:
        machine: it was measured on.
        mode: "quick" or "full".
        source: what the data is, in words.
        whole: the data is what the targets for ratios are about.
        versions: of the products.
        skipped: what was not measured at all.
        too_slow: codecs that were left out where data lies in memory.
        sizes: for every file and codec.
        speeds: for some files, and every codec.
        ndzip_bytes: sizes by ndzip, measured once, by file.
        import_ms: `import entrolith` when NumPy has been imported.
    """

    machine: Machine
    mode: str
    source: str
    whole: bool
    versions: Mapping[str, str]
    skipped: Sequence[Skipped]
    too_slow: Sequence[str]
    sizes: Sequence[Size]
    speeds: Sequence[Speed]
    ndzip_bytes: Mapping[str, int]
    import_ms: float

    def files(self) -> list[str]:
        """Names of the files, in order."""
        return list(dict.fromkeys(size.data for size in self.sizes))

    def peers(self) -> list[str]:
        """Products but for our own and memcpy, in order."""
        products = dict.fromkeys(size.product for size in self.sizes)
        return [product for product in products if product not in (PRODUCT, "memcpy")]

    def smallest(self, data: str, product: str) -> Size | None:
        """The smallest stream of a file by a product."""
        found = (size for size in self.sizes if (size.data, size.product) == (data, product))
        return min(found, key=lambda size: size.stream_bytes, default=None)

    def smallest_peer(self, data: str) -> Size | None:
        """The smallest stream of a file by any product but our own."""
        found = (self.smallest(data, product) for product in self.peers())
        sizes = (size for size in found if size is not None)
        return min(sizes, key=lambda size: size.stream_bytes, default=None)

    def speed(self, data: str, where: str, codec: str) -> Speed | None:
        """The speed of a codec on some data."""
        wanted = data, where, codec
        found = (speed for speed in self.speeds if (speed.data, speed.where, speed.codec) == wanted)
        return next(found, None)

    def speed_tables(self) -> Iterator[list[Speed]]:
        """The speeds on the same data, as they were measured side by side."""
        for where, data in dict.fromkeys((speed.where, speed.data) for speed in self.speeds):
            yield [speed for speed in self.speeds if (speed.where, speed.data) == (where, data)]
