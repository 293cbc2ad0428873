# SPDX-License-Identifier: Apache-2.0
"""Learn the table set of every recipe in tables/recipes from tables/samples.

    python tables/build.py [--out DIR] [--reseed]

Writes NAME.json, NAME.enc.hex and NAME.dec.hex. The groups that K-means found are in tables/seeds,
and all else is integer arithmetic, so every machine writes the same bytes. After a change of recipe
or samples, --reseed has scikit-learn find the groups again.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from entrolith.tablegen.cluster import Labels, kmeans
from entrolith.tablegen.files import decoder_rom, encoder_rom, to_json
from entrolith.tablegen.histogram import LAYOUTS, SYMBOLS, Histograms, symbol_histograms
from entrolith.tablegen.huffman import MAX_LENGTH
from entrolith.tablegen.learn import Settings, learn

HERE = Path(__file__).resolve().parent
SAMPLES, RECIPES, SEEDS = HERE / "samples", HERE / "recipes", HERE / "seeds"
LINE = 96


@dataclass(frozen=True)
class Recipe:
    """A file of tables/recipes."""

    name: str
    digest: str
    settings: Settings
    samples: list[str]


def read_recipe(path: Path) -> Recipe:
    """Parse a recipe; its alphabet and code length can only be those of FORMAT.md section 3.2."""
    fields = tomllib.loads(path.read_text())
    if (fields["alphabet"], fields["max_length"]) != (SYMBOLS, MAX_LENGTH):
        sys.exit(
            f"{path.name}: FORMAT.md has {SYMBOLS} symbols, codewords of up to {MAX_LENGTH} bits"
        )
    settings = Settings(**{key: fields[key] for key in ("k", "chunk", "block", "seed", "starts")})
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Recipe(path.stem, digest, settings, fields["samples"])


def histograms_of(recipe: Recipe, manifest: dict[str, dict[str, str]]) -> Histograms:
    """The blocks of all samples of a recipe, each sample's digest checked."""
    parts = []
    for file in recipe.samples:
        entry = manifest[file]
        if hashlib.sha256((SAMPLES / file).read_bytes()).hexdigest() != entry["sha256"]:
            sys.exit(f"tables/samples/{file}: its SHA-256 is not the one in MANIFEST.toml")
        layout = LAYOUTS[entry["dtype"]]
        patterns = np.load(SAMPLES / file).view(f"u{layout.bits // 8}").ravel()
        settings = recipe.settings
        parts.append(
            symbol_histograms(patterns, entry["dtype"], chunk=settings.chunk, block=settings.block)
        )
    return np.concatenate(parts)


def inputs_digest(histograms: Histograms, settings: Settings) -> str:
    """What the groups of K-means depend on."""
    head = f"{settings.k} {settings.seed} {settings.starts} ".encode()
    return hashlib.sha256(head + histograms.astype("<i8").tobytes()).hexdigest()


def write_seeds(path: Path, labels: Labels, inputs: str, k: int) -> None:
    """Save groups, one hexadecimal number a block, as wide as the greatest needs."""
    digits = "".join(f"{label:0{len(f'{k - 1:x}')}x}" for label in labels.tolist())
    rows = "\n".join(digits[i : i + LINE] for i in range(0, len(digits), LINE))
    note = "# The group that K-means gave each block. Written by tables/build.py --reseed."
    path.write_text(f'{note}\ninputs = "{inputs}"\ngroups = """\n{rows}\n"""\n')


def read_seeds(path: Path, inputs: str, k: int) -> Labels:
    """The groups saved for these inputs."""
    fields = tomllib.loads(path.read_text()) if path.exists() else {}
    if fields.get("inputs") != inputs:
        sys.exit(
            f"tables/seeds/{path.name} is not for this recipe and samples; "
            "this repairs it: ./nox -s tables -- --reseed"
        )
    digits, width = "".join(fields["groups"].split()), len(f"{k - 1:x}")
    return np.array(
        [int(digits[i : i + width], 16) for i in range(0, len(digits), width)], np.int64
    )


def build(recipe: Recipe, manifest: dict[str, dict[str, str]], out: Path, *, reseed: bool) -> None:
    """Write the three files of one recipe."""
    histograms = histograms_of(recipe, manifest)
    inputs = inputs_digest(histograms, recipe.settings)
    seeds, k = SEEDS / f"{recipe.name}.toml", recipe.settings.k
    if reseed:
        seed, starts = recipe.settings.seed, recipe.settings.starts
        write_seeds(seeds, kmeans(histograms, k, seed=seed, starts=starts), inputs, k)
    learned = learn(histograms, recipe.settings, read_seeds(seeds, inputs, k))
    provenance = {
        "recipe": f"{recipe.name}.toml",
        "recipe_sha256": recipe.digest,
        "samples_sha256": {file: manifest[file]["sha256"] for file in recipe.samples},
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{recipe.name}.json").write_text(to_json(recipe.name, learned.tables, provenance))
    (out / f"{recipe.name}.enc.hex").write_text(encoder_rom(learned.tables))
    (out / f"{recipe.name}.dec.hex").write_text(decoder_rom(learned.tables))
    rates = (learned.kmeans_bits, learned.refined_bits, learned.dynamic_bits)
    k_means, refined, dynamic = (f"{bits / learned.values:.4f}" for bits in rates)
    print(
        f"{recipe.name}: {len(learned.tables)} tables, {refined} bits an exponent on their samples "
        f"(K-means {k_means}, a table for each block {dynamic})"
    )


def main() -> None:
    """Build every recipe."""
    parser = argparse.ArgumentParser(description="Learn the table sets of tables/recipes.")
    parser.add_argument("--out", type=Path, default=HERE / "built", help="default: tables/built")
    parser.add_argument("--reseed", action="store_true", help="run K-means again (scikit-learn)")
    arguments = parser.parse_args()
    samples = tomllib.loads((SAMPLES / "MANIFEST.toml").read_text())["sample"]
    manifest = {entry["file"]: entry for entry in samples}
    for path in sorted(RECIPES.glob("*.toml")):
        build(read_recipe(path), manifest, arguments.out, reseed=arguments.reseed)


if __name__ == "__main__":
    main()
