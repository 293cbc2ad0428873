# SPDX-License-Identifier: Apache-2.0
"""The fuzz programs, one for each file of targets/, built under AddressSanitizer and UBSan."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "fuzz"

Engine = Literal["libfuzzer", "standalone"]

TARGETS = tuple(sorted(path.stem for path in (HERE / "targets").glob("*.cpp")))

LIBFUZZER_PACKAGES = "clang libclang-rt-dev"

ENVIRONMENT = {
    "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "abort_on_error=1:halt_on_error=1:print_stacktrace=1",
}


def kept(target: str) -> Path:
    """The archive of a target's committed inputs."""
    return HERE / "corpus" / f"{target}.zip"


def unpack(target: str, folder: Path) -> list[Path]:
    """Put the committed inputs of a target, if there are any, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    if not kept(target).exists():
        return []
    with zipfile.ZipFile(kept(target)) as archive:
        archive.extractall(folder)
        return [folder / name for name in archive.namelist()]


def pack(target: str, inputs: Mapping[str, bytes]) -> None:
    """Commit these inputs of a target, by name, and no others.

    The same inputs are the same archive: it holds no times, and nothing is compressed.
    """
    kept(target).parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(kept(target), "w") as archive:
        for name, data in sorted(inputs.items()):
            archive.writestr(zipfile.ZipInfo(name), data)


def find_libfuzzer() -> str | None:
    """A clang that links a fuzz program, or None."""
    names = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]
    source = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'
    with tempfile.TemporaryDirectory() as temporary:
        for name in filter(shutil.which, names):
            program = str(Path(temporary) / "program")
            link = [name, "-fsanitize=fuzzer,address", "-x", "c++", "-", "-o", program]
            linked = subprocess.run(
                link, input=source, text=True, check=False, stderr=subprocess.DEVNULL
            )
            if linked.returncode == 0:
                return name
    return None


def build(engine: Engine, targets: tuple[str, ...] = TARGETS) -> dict[str, Path]:
    """Build, or only what was edited since. Returns the program of each target."""
    folder = BUILD / engine
    sanitizers = "address,undefined"
    configure = [
        *("cmake", "-S", str(HERE.parent), "-B", str(folder), "-G", "Ninja"),
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DENTROLITH_PYTHON=OFF",
        "-DENTROLITH_FUZZ=ON",
        "-DENTROLITH_WERROR=ON",
        f"-DENTROLITH_FUZZ_ENGINE={engine}",
    ]
    if engine == "libfuzzer":
        compiler = find_libfuzzer()
        if compiler is None:
            raise FileNotFoundError(f"no libFuzzer; Debian has it in {LIBFUZZER_PACKAGES}")
        configure.append(f"-DCMAKE_CXX_COMPILER={compiler}")
        sanitizers += ",fuzzer-no-link"
    configure.append(f"-DENTROLITH_SANITIZE={sanitizers}")
    programs = {target: folder / "fuzz" / f"fuzz_{target}" for target in targets}
    compile_ = ["cmake", "--build", str(folder), "--target", *(p.name for p in programs.values())]
    with only_one(folder):
        for command in (configure, compile_):
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return programs


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Keep other processes, such as those of pytest, from building in the same folder."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def environment() -> dict[str, str]:
    """This process's environment, in which a sanitizer's report ends a program as abort() does."""
    return os.environ | ENVIRONMENT
