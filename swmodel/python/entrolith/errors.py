# SPDX-License-Identifier: Apache-2.0
"""Why something is refused: one class for each cause, with the field and the byte offset.

Fields and causes are those of FORMAT.md.
"""

from __future__ import annotations


class EntrolithError(ValueError):
    """What every refusal of this package is.

    Attributes:
        field: what is at fault: a field of FORMAT.md, or an argument.
        offset: where it is in the stream, in bytes; None where no stream is at fault.
    """

    def __init__(self, message: str, field: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.offset = offset


class CorruptStreamError(EntrolithError):
    """The stream is not one that an encoder writes, or has changed since."""


class TruncatedStreamError(CorruptStreamError):
    """The stream ends inside a field or a chunk."""


class UnsupportedVersionError(EntrolithError):
    """The stream is of a format version that this package does not read."""


class UnsupportedModeError(EntrolithError):
    """The stream uses what FORMAT.md reserves, or what this package cannot do yet."""


class TableMismatchError(EntrolithError):
    """The stream needs another table set than the one at hand; pass it as `tables`."""


class TableSetError(EntrolithError):
    """A table set breaks FORMAT.md section 3, or a file does not hold one."""


class UnsupportedDtypeError(EntrolithError, TypeError):
    """Values of this type cannot be compressed."""


class UnknownProfileError(EntrolithError):
    """FORMAT.md section 8 has no profile of this name."""


class KernelError(EntrolithError):
    """`ENTROLITH_KERNEL` names no kernel, or one that this processor does not run."""


class ArgumentError(EntrolithError):
    """An argument is not what the function takes; `field` is its name."""


class StateError(EntrolithError):
    """An object is used out of order: after its end, or before all values have come."""
