# SPDX-License-Identifier: Apache-2.0
"""Lossless entropy coding for machine learning.

    data = entrolith.compress(array)
    array = entrolith.decompress(data)

A stream keeps dtype and shape, and checks itself: what comes back is what went in, or an error that
names the field and the byte. The format is swmodel/FORMAT.md.
"""

from entrolith._core import FORMAT_VERSION
from entrolith.codec import PROFILES, compress, decompress
from entrolith.errors import (
    CorruptStreamError,
    EntrolithError,
    KernelError,
    TableMismatchError,
    TableSetError,
    TruncatedStreamError,
    UnknownProfileError,
    UnsupportedDtypeError,
    UnsupportedModeError,
    UnsupportedVersionError,
)
from entrolith.info import Info, Parameters, Sizes, info
from entrolith.table_set import TableSet

__all__ = [
    "FORMAT_VERSION",
    "PROFILES",
    "CorruptStreamError",
    "EntrolithError",
    "Info",
    "KernelError",
    "Parameters",
    "Sizes",
    "TableMismatchError",
    "TableSet",
    "TableSetError",
    "TruncatedStreamError",
    "UnknownProfileError",
    "UnsupportedDtypeError",
    "UnsupportedModeError",
    "UnsupportedVersionError",
    "compress",
    "decompress",
    "info",
]
