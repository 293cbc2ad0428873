# SPDX-License-Identifier: Apache-2.0
"""Build the fuzz program under AddressSanitizer and UBSan in build/fuzz, and run it.

python swmodel/fuzz/run.py [--seconds N] [--seed N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of damage at random (60)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    configure = [
        *("cmake", "-S", str(ROOT / "swmodel"), "-B", str(BUILD), "-G", "Ninja"),
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DENTROLITH_PYTHON=OFF",
        "-DENTROLITH_FUZZ=ON",
        "-DENTROLITH_WERROR=ON",
        "-DENTROLITH_SANITIZE=address,undefined",
    ]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(BUILD)], check=True, stdout=subprocess.DEVNULL)
    program = str(BUILD / "fuzz" / "entrolith_fuzz")
    return subprocess.run(
        [program, str(arguments.seconds), str(arguments.seed)],
        env=os.environ | {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"},
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
