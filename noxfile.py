# SPDX-License-Identifier: Apache-2.0
"""One session for each arrow of docs/dataflow.md; started through ./nox, run in .venv.

    ./nox -l                      list the sessions
    ./nox                         run the starred ones
    ./nox -s tests -- -k corrupt  what follows -- goes to the tool behind the session
"""

import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nox

ROOT = Path(__file__).parent.resolve()
VENV = ROOT / ".venv"
RTL = ROOT / "rtl"

nox.needs_version = ">=2026.7"
nox.options.default_venv_backend = "none"  # ./nox has made .venv, which all sessions share
nox.options.error_on_external_run = False
nox.options.sessions = ["lint", "tests", "generated", "cosim"]

if Path(sys.prefix) != VENV:
    message = f"these sessions install into {VENV}: start them as ./nox, not with another nox"
    raise SystemExit(message)


def provide(session: nox.Session, *groups: str) -> None:
    """Install dependency groups and the package itself, editable, with warnings as errors.

    Runs every time: it takes half a second when nothing changed, and nothing can be stale.
    """
    install = ["uv", "pip", "install", "--quiet", f"--python={sys.executable}"]
    session.run(*install, *(f"--group={name}" for name in ("build", "package", *groups)))
    session.run(
        *install,
        "--no-deps",
        "--no-build-isolation",
        # With a build folder that stays, importing the package compiles what was edited.
        "--config-settings=build-dir=build/{wheel_tag}",
        "--config-settings=editable.rebuild=true",
        "--config-settings=editable.verbose=false",
        "--config-settings=cmake.define.ENTROLITH_WERROR=ON",
        "--editable=.",
    )


def python(session: nox.Session, *arguments: str, **variables: str) -> None:
    """Run this environment's interpreter in the repository root."""
    session.run("python", *arguments, env=variables)


def generate_tables(session: nox.Session, *arguments: str) -> None:
    """Run the table generator; a fixed hash seed, whatever the caller's is."""
    python(session, "tables/build.py", *arguments, PYTHONHASHSEED="0")


def generate_rtl(session: nox.Session, *arguments: str) -> None:
    """Run the Verilog generator, whose output MyHDL orders by hash seed."""
    python(session, "-m", "hls.emit", *arguments, PYTHONHASHSEED="0")


@nox.session
def lint(session: nox.Session) -> None:
    """Style and types of Python and C++, spelling, and two linters on the Verilog."""
    provide(session, "lint", "nox", "pytest", "tables", "rtl", "cosim", "synthesis")
    tracked = session.run("git", "ls-files", silent=True, log=False)
    assert isinstance(tracked, str)  # noqa: S101 # nox types the result as str or bool
    files = tracked.splitlines()
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", *(name for name in files if name.endswith(".py")))
    session.run("clang-format", "--dry-run", "-Werror", *of_cpp(files))
    session.run("codespell", *files)


def of_cpp(files: list[str]) -> list[str]:
    """Keep the C++ sources and headers."""
    return [name for name in files if name.endswith((".cpp", ".hpp"))]


@nox.session
def tests(session: nox.Session) -> None:
    """Test the codec, the hardware models, the tables and the reports; all but simulation."""
    provide(session, "pytest", "tables", "rtl", "synthesis")
    chosen = session.posargs or ["swmodel", "hls", "tables", "reports"]
    python(session, "-m", "pytest", "-n", "auto", *chosen)


@nox.session(default=False)
def tables(session: nox.Session) -> None:
    """Learn the code tables from tables/samples: writes tables/built."""
    provide(session, "tables")
    generate_tables(session, *session.posargs)


@nox.session(default=False)
def rtl(session: nox.Session) -> None:
    """Turn the MyHDL blocks and the tables into Verilog: writes rtl."""
    provide(session, "rtl")
    generate_rtl(session, *session.posargs)


def differences(kept: Path, fresh: Path) -> list[str]:
    """Compare two folders of text files.

    Args:
        kept: The folder in the repository.
        fresh: The same folder, generated just now.

    Returns:
        Unified diffs, of at most 20 lines for each file; empty when the folders are the same.
    """
    names = sorted(
        {
            path.relative_to(folder).as_posix()
            for folder in (kept, fresh)
            for path in folder.rglob("*")
            if path.is_file()
        }
    )
    report: list[str] = []
    for name in names:
        old, new = (
            (folder / name).read_text().splitlines() if (folder / name).is_file() else []
            for folder in (kept, fresh)
        )
        where = (kept / name).relative_to(ROOT)
        diff = list(difflib.unified_diff(old, new, f"{where}", f"{where} (generated)", lineterm=""))
        report += diff[:20] + ["..."] * (len(diff) > 20)  # noqa: PLR2004
    return report


@nox.session
def generated(session: nox.Session) -> None:
    """Regenerate tables and Verilog elsewhere; fail when they differ from the repository."""
    provide(session, "tables", "rtl")
    with tempfile.TemporaryDirectory() as place:
        built, verilog = Path(place, "tables"), Path(place, "rtl")
        generate_tables(session, "--out", str(built))
        generate_rtl(session, "--out", str(verilog))
        report = differences(ROOT / "tables" / "built", built) + differences(RTL, verilog)
    if report:
        print(*report, sep="\n")
        session.error("generated files are out of date; repair them with: ./nox -s tables rtl")


@nox.session
def cosim(session: nox.Session) -> None:
    """Simulate the Verilog against the codec, byte for byte (-- --full: all of it)."""
    provide(session, "pytest", "rtl", "cosim")
    python(session, "-m", "pytest", "cosim", *session.posargs)


@nox.session(default=False)
def reports(session: nox.Session) -> None:
    """Measure area, timing and throughput of the Verilog: writes reports."""
    provide(session, "rtl", "synthesis")
    python(session, "reports/build.py", *session.posargs)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure the speed of the codec on this machine."""
    provide(session)
    python(session, "swmodel/bench/bench.py", *session.posargs)


@nox.session(default=False)
def vectors(session: nox.Session) -> None:
    """Write a new compatibility vector; those there are never change."""
    provide(session)
    python(session, "swmodel/vectors/make.py", *session.posargs)


@nox.session(default=False)
def dev(session: nox.Session) -> None:
    """Install everything into .venv, for editors and for pytest by hand."""
    provide(session, "nox", "lint", "pytest", "tables", "rtl", "cosim", "synthesis")
