# SPDX-License-Identifier: Apache-2.0
"""`entrolith tables learn`: a table set from the user's own samples."""

from __future__ import annotations

import hashlib
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import entrolith
from entrolith.cli.arrays import Input, Selection, read
from entrolith.cli.failure import Failure, UsageError
from entrolith.cli.output import check_target, make_folder, write
from entrolith.cli.progress import Progress
from entrolith.tablegen.files import decoder_rom, encoder_rom, to_json
from entrolith.tablegen.histogram import Histograms, symbol_histograms
from entrolith.tablegen.learn import Learned, Settings, learn

SLICE = 1 << 22
"""Values counted between two looks at the clock; a multiple of every chunk size."""


@dataclass(frozen=True)
class Samples:
    """What the sample files hold: of each file one array for each dtype, and its digest."""

    arrays: list[Input]
    sha256: dict[str, str]

    @property
    def values(self) -> int:
        """Values of all samples."""
        return sum(array.patterns.size for array in self.arrays)


def learn_tables(arguments: Namespace) -> int:
    """Learn, write DIR/NAME.{json,enc.hex,dec.hex}, and print what was gained."""
    folder = Path(arguments.output)
    name = arguments.name or folder.resolve().name
    targets = {kind: str(folder / f"{name}.{kind}") for kind in ("json", "enc.hex", "dec.hex")}
    for target in targets.values():
        check_target(target, force=arguments.force)
    samples = _read_all(arguments)
    settings = Settings(k=arguments.k, seed=arguments.seed)
    progress = Progress()
    try:
        histograms = _count(samples, settings, progress)
        _enough(histograms, samples, settings)
        learned = learn(histograms, settings, progress=progress)
    except ImportError as error:
        raise Failure(f"{error}; pip install 'entrolith[tables]'") from None
    finally:
        progress.close()
    provenance = {
        "block": settings.block,
        "chunk": settings.chunk,
        "k": settings.k,
        "samples_sha256": samples.sha256,
        "seed": settings.seed,
    }
    texts = {
        "json": to_json(name, learned.tables, provenance),
        "enc.hex": encoder_rom(learned.tables),
        "dec.hex": decoder_rom(learned.tables),
    }
    make_folder(arguments.output)
    for kind, target in targets.items():
        write(target, [texts[kind].encode()])
    sys.stdout.write(_report(samples, histograms, learned))
    sys.stdout.write(f"written: {', '.join(targets.values())}\n")
    return 0


def _read_all(arguments: Namespace) -> Samples:
    arrays: list[Input] = []
    digests: dict[str, str] = {}
    for path in arguments.samples:
        if path == "-":
            raise UsageError("samples are read from files, not from standard input")
        arrays += _joined(read(path, Selection(dtype=arguments.dtype)))
        digests[Path(path).name] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return Samples(arrays, digests)


def _joined(inputs: list[Input]) -> list[Input]:
    """One array for each dtype: tensors of a segment share chunks (FORMAT.md section 2)."""
    by_dtype: dict[str, list[NDArray[Any]]] = {}
    for one in inputs:
        by_dtype.setdefault(one.dtype, []).append(one.patterns.ravel())
    return [Input(np.concatenate(parts), dtype) for dtype, parts in by_dtype.items()]


def _count(samples: Samples, settings: Settings, progress: Progress) -> Histograms:
    def slices() -> Iterator[Histograms]:
        done = 0
        for array in samples.arrays:
            for start in range(0, array.patterns.size, SLICE):
                part = array.patterns[start : start + SLICE]
                yield symbol_histograms(
                    part, array.dtype, chunk=settings.chunk, block=settings.block
                )
                done += part.size
                progress("counting values", done, samples.values)

    return np.concatenate([np.zeros((0, 16), np.int64), *slices()])


def _enough(histograms: Histograms, samples: Samples, settings: Settings) -> None:
    nonzeros = int(histograms.sum())
    if nonzeros == 0:
        what = "are all zero" if samples.values else "are empty"
        raise Failure(f"the samples {what}: there is no exponent to learn from")
    if len(histograms) < settings.k:
        raise Failure(
            f"{nonzeros} non-zero values make {len(histograms)} blocks, too few for {settings.k} "
            f"tables: give at least {settings.k * settings.block} of them, or a smaller --k"
        )


def _report(samples: Samples, histograms: Histograms, learned: Learned) -> str:
    def row(bits: float, what: str) -> str:
        return f"  {bits / learned.values:7.4f}  {what}\n"

    share = 1 - learned.values / samples.values
    return (
        f"samples: {samples.values} values, {share:.1%} of them zero, in {len(histograms)} blocks\n"
        "bits of exponent for each non-zero value:\n"
        + row(learned.entropy_bits, "entropy of all together")
        + row(learned.block_entropy_bits, "entropy block by block, the bound for what follows")
        + row(learned.dynamic_bits, "the best table for each block alone, its description free")
        + row(learned.kmeans_bits, f"tables of K-means ({len(learned.tables)})")
        + row(learned.refined_bits, "the same refined: these were written")
        + f"ratio of the samples, compressed / original: {_ratio(samples, learned):.4f}\n"
    )


def _ratio(samples: Samples, learned: Learned) -> float:
    """What the codec makes of the samples with these tables."""
    tables = entrolith.TableSet(learned.tables.tolist())
    before = sum(array.patterns.nbytes for array in samples.arrays)
    after = sum(
        len(entrolith.compress(array.patterns, dtype=array.dtype, tables=tables))
        for array in samples.arrays
    )
    return after / before
