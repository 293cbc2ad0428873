# SPDX-License-Identifier: Apache-2.0
"""Run the fuzz targets, each for some time, and say what came of it.

    python swmodel/fuzz/run.py [--seconds N] [--target T]... [--engine E] [--keep]

With libFuzzer (clang) every target searches for inputs that reach code no other input has reached,
starting from fuzz/corpus and from what earlier runs found, which is in build/fuzz/corpus. Without,
the stand-alone driver changes the inputs of fuzz/corpus at random.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if not __package__:  # started as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.programs import (
    BUILD,
    LIBFUZZER_PACKAGES,
    TARGETS,
    Engine,
    build,
    environment,
    find_libfuzzer,
    pack,
    unpack,
)

FINDINGS = BUILD / "findings"
LARGEST_INPUT = 4096
LARGEST_KEPT = 512
DIGITS = 8
"""Of the digest that libFuzzer names an input by, in the committed corpus."""
DIGEST = re.compile(f"[0-9a-f]{{{DIGITS}}}")


@dataclass(frozen=True)
class Summary:
    """What came of one target."""

    target: str
    engine: Engine
    seconds: float
    runs: int
    coverage: int | None
    """Edges of the instrumented code that were taken; None without libFuzzer."""
    inputs: int | None
    """Size of the corpus in the end; None without libFuzzer."""
    findings: tuple[str, ...]

    @property
    def rate(self) -> float:
        """Runs a second."""
        return self.runs / self.seconds


def search(target: str, program: Path, seconds: float) -> Summary:
    """Run a target with libFuzzer."""
    found = BUILD / "corpus" / target
    unpack(target, found)
    command = [
        str(program),
        f"-max_total_time={max(1, round(seconds))}",
        f"-max_len={LARGEST_INPUT}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        f"-artifact_prefix={FINDINGS}/{target}-",
        str(found),
    ]
    output, taken, failed = watched(target, command)

    def last(pattern: str) -> int:
        numbers = re.findall(pattern, output)
        return int(numbers[-1]) if numbers else 0

    return Summary(
        target,
        "libfuzzer",
        taken,
        last(r"stat::number_of_executed_units: (\d+)"),
        last(r" cov: (\d+)"),
        last(r" corp: (\d+)/"),
        findings(target) if failed else (),
    )


def change(target: str, program: Path, seconds: float) -> Summary:
    """Run a target with the stand-alone driver."""
    finding = FINDINGS / f"{target}-finding"
    with tempfile.TemporaryDirectory() as folder:
        unpack(target, Path(folder))
        options = ["--seconds", str(seconds), "--finding", str(finding)]
        output, taken, failed = watched(target, [str(program), *options, folder])
    runs = re.search(r"^(\d+) runs$", output, re.MULTILINE)
    number = int(runs[1]) if runs else 0
    return Summary(
        target, "standalone", taken, number, None, None, findings(target) if failed else ()
    )


def watched(target: str, command: list[str]) -> tuple[str, float, bool]:
    """Run it: its output, which is shown if it fails, its seconds, and whether it failed."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    for old in FINDINGS.glob(f"{target}-*"):
        old.unlink()
    start = time.monotonic()
    done = subprocess.run(
        command,
        env=environment(),
        check=False,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    failed = done.returncode != 0
    if failed:
        print(done.stdout[-8000:], file=sys.stderr)
    return done.stdout, time.monotonic() - start, failed


def findings(target: str) -> tuple[str, ...]:
    """Inputs that broke a promise in this run; a failure without one is named as such."""
    return tuple(str(path) for path in sorted(FINDINGS.glob(f"{target}-*"))) or ("see above",)


def keep(target: str, program: Path) -> None:
    """Commit few inputs that reach all that is reached, and those that have a name: findings."""
    with tempfile.TemporaryDirectory() as before, tempfile.TemporaryDirectory() as cover:
        inputs = {
            path.name: path.read_bytes()
            for path in unpack(target, Path(before))
            if not DIGEST.fullmatch(path.name)
        }
        command = [
            *(str(program), "-set_cover_merge=1", "-use_counters=0", f"-max_len={LARGEST_KEPT}"),
            *(cover, str(BUILD / "corpus" / target)),
        ]
        subprocess.run(command, env=environment(), check=True, capture_output=True)
        inputs |= {path.name[:DIGITS]: path.read_bytes() for path in Path(cover).iterdir()}
        pack(target, inputs)


def table(summaries: Sequence[Summary]) -> str:
    """The summaries, to be read."""
    rows = [["target", "seconds", "runs", "exec/s", "coverage", "inputs", "findings"]]
    for s in summaries:
        numbers = ("-" if n is None else str(n) for n in (s.coverage, s.inputs))
        counts = (f"{s.seconds:.0f}", str(s.runs), f"{s.rate:.0f}", *numbers, str(len(s.findings)))
        rows.append([s.target, *counts])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return "\n".join([*lines, *(f"{s.target}: {f}" for s in summaries for f in s.findings)])


def main() -> int:
    """Run; 1 if anything was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10, help="for each target (10)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one")
    parser.add_argument("--engine", choices=("libfuzzer", "standalone"))
    parser.add_argument("--keep", action="store_true", help="add what was reached to fuzz/corpus")
    arguments = parser.parse_args()

    engine: Engine = arguments.engine or "libfuzzer"
    if arguments.engine is None and find_libfuzzer() is None:
        print(f"no libFuzzer here (apt-get install {LIBFUZZER_PACKAGES}): stand-alone driver")
        engine = "standalone"
    if arguments.keep and engine != "libfuzzer":
        parser.error("--keep needs libFuzzer")
    programs = build(engine, tuple(arguments.target or TARGETS))
    run = search if engine == "libfuzzer" else change
    summaries = []
    for target, program in programs.items():
        print(f"{target}: {arguments.seconds:g} s", flush=True)
        summaries.append(run(target, program, arguments.seconds))
        if arguments.keep and not summaries[-1].findings:
            keep(target, program)
    (BUILD / "summary.json").write_text(
        json.dumps([asdict(s) | {"rate": s.rate} for s in summaries], indent=2) + "\n"
    )
    print(table(summaries))
    return int(any(s.findings for s in summaries))


if __name__ == "__main__":
    sys.exit(main())
