# SPDX-License-Identifier: Apache-2.0
"""Why a decoder refuses a frame, by part of FORMAT.md."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

CODE_BITS: Final = 4


class ChunkError(IntEnum):
    """The first thing found wrong. NONE is 0, so that any bit set means an error."""

    NONE = 0
    MODE = 1  # section 4: a form, zeros or flag that this point of the format does not have
    SIZE = 2  # section 4: the packet is not `size` bytes, or its parts need another size
    COUNT = 3  # section 4: a short chunk of no or too many values, or not the frame's last
    ZEROS = 4  # section 4.1: an empty word, bits beyond the chunk, no zero or all; 4.2: runs
    LANES = 5  # section 6: an initial state below 256
    BLOCK = 6  # section 5: no such table, or an emax that cannot be
    CODES = 7  # section 6: code bytes run out or are left over
    EXPONENT = 8  # section 6: emax - symbol is negative
    FINAL_STATE = 9  # section 6: a lane does not end in 256..511
    PAYLOAD = 10  # section 6: payload bytes before the raw bytes are not 0
    CHECK = 11  # section 7: the values' CRC-32 is another
    TRAILING = 12  # section 5: not 0, 8 or 16 (of bf16: 0), or not of all blocks
