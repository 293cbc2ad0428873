# SPDX-License-Identifier: Apache-2.0
"""The kernels that this processor runs."""

from __future__ import annotations

from collections.abc import Iterator

from entrolith import _core


def with_every_kernel() -> Iterator[str]:
    """Each kernel that this processor runs, in use for as long as it is the loop's."""
    before = _core.kernel()
    try:
        for name in _core.kernels():
            _core.set_kernel(name)
            yield name
    finally:
        _core.set_kernel(before)
