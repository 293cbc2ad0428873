# SPDX-License-Identifier: Apache-2.0
"""What callers may choose: levels, modes, profiles, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entrolith import _core
from entrolith.errors import ArgumentError, UnknownProfileError, UnsupportedDtypeError

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from entrolith.dtypes import Dtype

PROFILES: tuple[str, ...] = tuple(_core.PROFILES)
"""The fixed points of FORMAT.md section 8, which hardware and version 1 of the format know."""

MODES = ("static", "dynamic", "hybrid")
"""How a level may be told to choose its code tables (FORMAT.md section 8, rule 6)."""

DEFAULT_LEVEL = 5
MOST_THREADS = 1 << 16


def plan(level: int, mode: str | None, profile: str | None, *, check: bool) -> _core.Profile:
    """What an encoder is to do.

    Raises:
        ArgumentError: there is no such level or mode, or a profile is given with either.
        UnknownProfileError: there is no such profile.
    """
    if not _whole(level) or not 1 <= level <= _core.MAX_LEVEL:
        raise ArgumentError(
            f"level {level!r} is not a whole number from 1 to {_core.MAX_LEVEL}", "level"
        )
    if mode is not None and mode not in MODES:
        raise ArgumentError(f"no mode {mode!r}; there are {', '.join(MODES)}", "mode")
    if profile is None:
        return _core.level(level, mode, bool(check))
    if profile not in PROFILES:
        raise UnknownProfileError(
            f"no profile {profile!r}; there are {', '.join(PROFILES)}", "profile"
        )
    if level != DEFAULT_LEVEL or mode is not None or not check:
        raise ArgumentError(
            "a profile is fixed: level, mode and check cannot be chosen with it", "profile"
        )
    return _core.profile(profile)


def check_profile(profile: str | None, dtype: Dtype) -> None:
    """Make sure that a profile has a type; levels have all.

    Raises:
        UnsupportedDtypeError: the profile is of a version of the format without the type.
    """
    if profile is not None and _core.PROFILES[profile][0] < dtype.version:
        raise UnsupportedDtypeError(
            f"{dtype.name} values need a level: the format of profile {profile} has none", "dtype"
        )


def thread_count(threads: int) -> int:
    """The argument `threads`, checked; 0 is one for each core.

    Raises:
        ArgumentError: it is no whole number, or negative.
    """
    if not _whole(threads) or threads < 0:
        raise ArgumentError(
            f"threads: {threads!r} is not a whole number from 0, which is all cores", "threads"
        )
    return min(threads, MOST_THREADS)


def contiguous(data: Buffer) -> memoryview:
    """The same bytes as one piece of memory, copied only if they are not.

    Raises:
        TypeError: `data` is not a buffer.
    """
    view = memoryview(data)
    return view if view.c_contiguous else memoryview(view.tobytes())


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
