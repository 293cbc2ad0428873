# SPDX-License-Identifier: Apache-2.0
"""Lossless entropy coding for machine learning.

    data = entrolith.compress(array)
    array = entrolith.decompress(data)

A mapping of names to arrays becomes one stream too, in which `Reader` finds any of them, and
`Compressor` and `Decompressor` work in bounded memory. A stream keeps dtypes and shapes, and checks
itself: what comes back is what went in, or an error that names the field and the byte. The format
is swmodel/FORMAT.md.
"""

from entrolith._core import FORMAT_VERSION
from entrolith.codec import compress, decompress
from entrolith.errors import (
    ArgumentError,
    CorruptStreamError,
    EntrolithError,
    KernelError,
    StateError,
    TableMismatchError,
    TableSetError,
    TruncatedStreamError,
    UnknownProfileError,
    UnsupportedDtypeError,
    UnsupportedModeError,
    UnsupportedVersionError,
)
from entrolith.incremental import Compressor, Decompressor
from entrolith.info import Info, Parameters, Sizes, Tensor, info
from entrolith.options import MODES, PROFILES
from entrolith.reader import Reader
from entrolith.table_set import TableSet

__all__ = [
    "FORMAT_VERSION",
    "MODES",
    "PROFILES",
    "ArgumentError",
    "Compressor",
    "CorruptStreamError",
    "Decompressor",
    "EntrolithError",
    "Info",
    "KernelError",
    "Parameters",
    "Reader",
    "Sizes",
    "StateError",
    "TableMismatchError",
    "TableSet",
    "TableSetError",
    "Tensor",
    "TruncatedStreamError",
    "UnknownProfileError",
    "UnsupportedDtypeError",
    "UnsupportedModeError",
    "UnsupportedVersionError",
    "compress",
    "decompress",
    "info",
]
