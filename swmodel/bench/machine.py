# SPDX-License-Identifier: Apache-2.0
"""The machine that is measured on, and what keeps measurements on it steady."""

from __future__ import annotations

import ctypes
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from entrolith import _core

IMPORTS = 9  # processes that the time of an import is the median of


@dataclass(frozen=True)
class Machine:
    """Figures depend on it.

    Attributes:
        cpu: model of the processor.
        cores: that this process may use.
        kernel: of Entrolith that this processor runs by default.
        python: version.
        numpy: version.
        load_before: processes that were running or waiting, mean of a minute, before the run.
        load_after: the same after it; the run itself adds about 1.
        warm_allocator: memory that was freed stays with the process.
    """

    cpu: str
    cores: int
    kernel: str
    python: str
    numpy: str
    load_before: float
    load_after: float
    warm_allocator: bool


def cpu_model() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine(load_before: float, warm_allocator: bool) -> Machine:
    """Describe this machine at the end of a run."""
    return Machine(
        cpu=cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        kernel=_core.kernel(),
        python=platform.python_version(),
        numpy=metadata.version("numpy"),
        load_before=round(load_before, 2),
        load_after=round(load(), 2),
        warm_allocator=warm_allocator,
    )


def load() -> float:
    """Processes running or waiting, mean of the last minute."""
    return os.getloadavg()[0]


def keep_freed_memory() -> bool:
    """Have the C library reuse freed memory instead of returning it to the system.

    Otherwise every large buffer is new, and its first use, a page fault for each 4 KiB, costs as
    much as compressing into it.

    Returns:
        Whether the C library is one that can.
    """
    mmap_max, trim_threshold = -4, -1  # mallopt(3), glibc
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(mmap_max, 0)) and bool(mallopt(trim_threshold, 2**31 - 1))


IMPORT = """
import sys
from time import perf_counter
import numpy
for finder in sys.meta_path:  # an editable install would look for changes of the C++ first
    if hasattr(finder, "rebuild_flag"):
        finder.rebuild_flag = False
start = perf_counter()
import entrolith
print(1000 * (perf_counter() - start))
"""


def import_ms() -> float:
    """Milliseconds that `import entrolith` takes once NumPy is there, median of new processes."""
    command = [sys.executable, "-c", IMPORT]
    runs = (
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for _ in range(IMPORTS)
    )
    return statistics.median(float(out) for out in runs)
