# SPDX-License-Identifier: Apache-2.0
"""When a side of a stream pauses: iterators of one flag a cycle, True for a pause.

The patterns of source and sink are independent, and burst3 and burst4 have no common period: two
sides that pause in phase never meet the case of a word offered while the other side waits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import chain, count, cycle, product, repeat

from cosim.bench import setting

Stall = Callable[[], Iterator[bool]]


def free() -> Iterator[bool]:
    """Never."""
    return repeat(False)


def burst3() -> Iterator[bool]:
    """Two cycles of every three."""
    return cycle([True, True, False])


def burst4() -> Iterator[bool]:
    """Three cycles of every four."""
    return cycle([True, True, True, False])


def coin() -> Iterator[bool]:
    """Every other cycle, by chance; follows the seed of the simulation."""
    rng = random.Random(random.getrandbits(32))
    return (rng.getrandbits(1) == 1 for _ in count())


def waits(cycles: int) -> Stall:
    """Pause so many cycles at first, then never."""
    return lambda: chain(repeat(True, cycles), repeat(False))


PATTERNS = (free, burst4, coin), (free, burst3, coin)
BOTH_SIDES = (
    ("idle", "stall"),
    list(product(*PATTERNS) if setting.full() else zip(*PATTERNS, strict=True)),
)
"""For cocotb.parametrize: pauses of sources and of sinks, all nine pairs or, if quick, three."""
