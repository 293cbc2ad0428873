# SPDX-License-Identifier: Apache-2.0
"""Chunks with one fault each, and what a decoder must call it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cosim.bench import golden
from cosim.bench.corners import Corners, Frame
from hls.chunk_error import ChunkError
from hls.chunk_parse import MOST_EXTRA
from hls.point import MOST_PAIRS, POINT, RAW, NumberFormat

STORED, COUNT, TRAILING, DYNAMIC, SHORT = 0, 4, 1 << 5, 1 << 6, 1 << 7
ZEROS_SHIFT, ALL, BITMAP, RUNS, KNOWN_RUNS = 2, 1, 2, 3, 5


@dataclass(frozen=True)
class Faulty:
    """A frame's chunks with a fault.

    error: what the fault is; None if that is not known.
    values: how many the frame has without it.
    late: it shows only at the packet's end, when the codes, of which there seem to be more or
        fewer, may have been found wrong already.
    """

    name: str
    error: ChunkError | None
    chunks: list[bytes]
    values: int
    late: bool = False

    def may_be_called(self, error: ChunkError) -> bool:
        """Whether a decoder may report this."""
        consequences = (ChunkError.CODES, ChunkError.FINAL_STATE) if self.late else ()
        if self.error is None:
            return error is not ChunkError.NONE
        return error is self.error or error in consequences


class Chunk:
    """The one chunk of a short frame, to be spoilt: offsets of its parts (FORMAT.md section 4)."""

    def __init__(self, frame: Frame, fmt: NumberFormat, profile: str = POINT.profile) -> None:
        (data,) = golden.chunks(frame, fmt, profile)
        self.data, self.values = bytearray(data), len(frame)
        nonzeros = sum(value != 0 for value in frame)
        self.zeros = COUNT + 4
        self.lanes = self.zeros
        if data[0] >> ZEROS_SHIFT & 7 == BITMAP:
            words = [frame[i : i + 32] for i in range(0, len(frame), 32)]
            summary = 4 * -(-len(words) // 32)
            self.words = self.zeros + summary
            self.lanes = self.words + 4 * sum(0 in word for word in words)
        elif data[0] >> ZEROS_SHIFT & 7 == KNOWN_RUNS:
            self.extra = self.zeros + 7
            self.lanes = self.extra + int.from_bytes(
                data[self.zeros + 4 : self.zeros + 6], "little"
            )
        self.blocks = self.lanes + 2 * POINT.lanes
        self.codes = self.blocks + 2 * -(-nonzeros // POINT.block)
        self.raw = len(data) - max(0, nonzeros * (fmt.raw // 8) - POINT.tail)

    def put(self, at: int, value: int, size: int = 1) -> bytes:
        """The chunk with other bytes in one place."""
        spoilt = bytearray(self.data)
        spoilt[at : at + size] = value.to_bytes(size, "little")
        return bytes(spoilt)

    def cut(self, start: int, end: int, new: bytes = b"") -> bytes:
        """The chunk with other bytes, and perhaps fewer or more, in one place; `size` follows."""
        spoilt = self.data[:start] + new + self.data[end:]
        spoilt[1:4] = len(spoilt).to_bytes(3, "little")
        return bytes(spoilt)

    def with_trailing(self, numbers: Sequence[int]) -> bytes:
        """The chunk, its headers with these numbers of trailing zeros."""
        spoilt = bytearray(self.data)
        for i, number in enumerate(numbers):
            at = self.blocks + 3 * i + 2
            spoilt[at:at] = bytes([number])
        spoilt[0] |= TRAILING
        spoilt[1:4] = len(spoilt).to_bytes(3, "little")
        return bytes(spoilt)


def faults(corners: Corners) -> Iterator[Faulty]:
    """One fault of each kind that FORMAT.md or the hardware's point rules out."""
    fmt = corners.fmt
    dense = Chunk(corners.gradient(200), fmt)
    sparse = Chunk([*corners.gradient(199, zeros=0.3), 0], fmt)  # so that the last word is stored
    eight = Chunk([corners.value(90) for _ in range(POINT.lanes)], fmt)
    one, raw = Chunk([corners.value(90)], fmt), Chunk(corners.noise(100), fmt)
    empty = Chunk([0] * 100, fmt)

    def faulty(name: str, error: ChunkError, data: bytes, chunk: Chunk) -> Faulty:
        return Faulty(name, error, [data], chunk.values)

    def mode(name: str, value: int, chunk: Chunk = dense) -> Faulty:
        return faulty(name, ChunkError.MODE, chunk.put(0, value), chunk)

    coded = dense.data[0]
    yield mode("stored", SHORT | STORED)
    yield mode("form 2", coded & ~3 | 2)
    yield mode("form 3", coded | 3)
    yield mode("runs of zeros", coded | RUNS << ZEROS_SHIFT)
    yield mode("reserved zeros", coded | 7 << ZEROS_SHIFT)
    yield mode("dynamic", coded | DYNAMIC)
    yield mode("trailing, all zeros", empty.data[0] | TRAILING, empty)

    length = len(dense.data)
    for name, wrong in (("above", 4), ("below", -4), ("one above", 1), ("one below", -1)):
        data = dense.put(1, length + wrong, 3)
        name = f"size {name} the packet's"
        yield Faulty(name, ChunkError.SIZE, [data], dense.values, late=True)

    def size(name: str, data: bytes, chunk: Chunk = dense) -> Faulty:
        return faulty(name, ChunkError.SIZE, data, chunk)

    yield size("size of less than itself", dense.put(1, 3, 3))
    yield size("a packet of one byte", bytes(dense.data[:1]))
    yield size("a packet of one word", bytes(dense.data[:4]))
    yield size("a packet that ends in the lanes", dense.cut(dense.lanes + 8, length))
    yield size("a packet that ends in the bitmap", sparse.cut(sparse.words + 4, len(sparse.data)))
    yield size("too small for its raw parts", dense.cut(dense.codes, dense.raw + 5))
    yield size("zeros with a body", empty.cut(len(empty.data), len(empty.data), b"\0" * 4), empty)

    def count(name: str, value: int, chunk: Chunk = dense) -> Faulty:
        return faulty(name, ChunkError.COUNT, chunk.put(COUNT, value, 4), chunk)

    yield count("no values", 0)
    yield count("a full chunk that is short", POINT.chunk)
    yield count("more than a chunk", 1 << 31 | 200)
    yield count("no zeros", 0, empty)
    whole = bytes(dense.data)
    yield Faulty("short but not last", ChunkError.COUNT, [whole, whole], 2 * dense.values)

    def zeros(name: str, data: bytes, chunk: Chunk = sparse) -> Faulty:
        return faulty(name, ChunkError.ZEROS, data, chunk)

    words = sparse.words
    yield zeros("summary beyond the chunk", sparse.put(sparse.zeros + 3, 1))
    yield zeros("an empty word", sparse.put(words, 0, 4))
    yield zeros("a bit beyond the chunk", sparse.put(sparse.lanes - 1, 0x80))
    yield zeros("no zero", sparse.cut(sparse.zeros, sparse.lanes, bytes(4)))
    all_zero = Chunk([0, *[1] * 63], fmt)
    ones = b"\3\0\0\0" + b"\xff" * 8
    yield zeros("nothing but zeros", all_zero.cut(all_zero.zeros, all_zero.lanes, ones), all_zero)

    for lane in range(POINT.lanes):
        data = dense.put(dense.lanes + 2 * lane, 255, 2)
        yield faulty(f"lane {lane} empty", ChunkError.LANES, data, dense)

    for table in (len(corners.tables), 127, 128, RAW - 1):
        data = dense.put(dense.blocks + 1, table)
        yield faulty(f"table {table}", ChunkError.BLOCK, data, dense)
    yield faulty("emax of a raw block", ChunkError.BLOCK, raw.put(raw.blocks, 1), raw)

    def trailing(name: str, chunk: Chunk, *numbers: int) -> Faulty:
        data = chunk.with_trailing(numbers)
        return faulty(f"trailing {name}", ChunkError.TRAILING, data, chunk)

    two = Chunk(corners.gradient(POINT.block + 1), fmt)
    yield trailing("bits", dense, 4)
    yield trailing("bits, half a byte", dense, 12)
    yield trailing("of all the raw part", dense, fmt.raw)
    yield trailing("of more", dense, 128 + 8)
    yield trailing("of one block", two, 8, 0)
    yield trailing("of the other block", two, 0, 8)

    for name, chunk in (("coded", dense), ("raw", raw)):
        short = chunk.cut(chunk.raw - 1, chunk.raw)
        longer = chunk.cut(chunk.raw, chunk.raw, b"\0")
        yield faulty(f"a code byte too few, {name}", ChunkError.CODES, short, chunk)
        yield faulty(f"a code byte too many, {name}", ChunkError.CODES, longer, chunk)
        longer = chunk.cut(chunk.raw, chunk.raw, bytes(11))
        yield faulty(f"words of codes too many, {name}", ChunkError.CODES, longer, chunk)

    low = dense.put(dense.blocks, 0)
    yield faulty("an exponent below 0", ChunkError.EXPONENT, low, dense)

    for lane in range(POINT.lanes):
        at = eight.lanes + 2 * lane
        state = int.from_bytes(eight.data[at : at + 2], "little")
        data = eight.put(at, state + (1 << state.bit_length()), 2)
        yield faulty(f"lane {lane} ends with bits", ChunkError.FINAL_STATE, data, eight)

    tail = one.lanes + 2 * (POINT.lanes - POINT.tail)
    yield faulty("payload without raw bytes", ChunkError.PAYLOAD, one.put(tail, 5), one)

    check = one.put(one.lanes + 2, one.data[one.lanes + 2] ^ 1)
    yield faulty("another check value", ChunkError.CHECK, check, one)
    sign = dense.put(dense.raw + 8, dense.data[dense.raw + 8] ^ 0x80)
    yield faulty("a raw bit", ChunkError.CHECK, sign, dense)
    emax = dense.put(dense.blocks, dense.data[dense.blocks] + 1)
    yield faulty("another emax", ChunkError.CHECK, emax, dense)


def run_faults(corners: Corners, profile: str) -> Iterator[Faulty]:
    """Faults of chunks with known runs, as `profile` writes them."""
    fmt = corners.fmt
    numbers = [40, 100, 7, 9, 300, 44, 20]  # whose extra bits leave some of the last byte
    chunk = Chunk(corners.runs(*numbers), fmt, profile)
    nonzeros, pairs, extra_bytes, known = (chunk.zeros + 2 * i for i in range(4))

    def zeros(name: str, data: bytes) -> Faulty:
        return Faulty(name, ChunkError.ZEROS, [data], chunk.values)

    for number in 0, chunk.values, 4096, 40000:
        yield zeros(f"runs, {number} values are not zero", chunk.put(nonzeros, number, 2))
    for number in 0, MOST_PAIRS + 1, 40000:
        yield zeros(f"{number} pairs", chunk.put(pairs, number, 2))
    yield zeros("other known tables", chunk.put(known, 2))
    count = chunk.lanes - chunk.extra
    for more in 1, 2, 5, MOST_EXTRA - count, MOST_EXTRA - count + 1, 1030 - count:
        longer = bytearray(chunk.cut(chunk.lanes, chunk.lanes, bytes(more)))
        longer[extra_bytes : extra_bytes + 2] = (count + more).to_bytes(2, "little")
        yield zeros(f"{more} extra bytes too many", bytes(longer))
    last = chunk.data[chunk.lanes - 1]
    yield zeros("a bit behind the extra bits", chunk.put(chunk.lanes - 1, last | 128))
    yield zeros("a long run", chunk.put(chunk.extra + 1, chunk.data[chunk.extra + 1] | 0x3F))
    yield Faulty("fewer pairs", None, [chunk.put(pairs, len(numbers) // 2 - 1, 2)], chunk.values)
    for number in -1, 1:
        other = chunk.put(nonzeros, sum(numbers[::2]) + number, 2)
        yield Faulty(f"runs, values {number:+}", None, [other], chunk.values)

    for lane in range(POINT.lanes):
        data = chunk.put(chunk.lanes + 2 * lane, 255, 2)
        yield Faulty(f"runs, lane {lane} empty", ChunkError.LANES, [data], chunk.values)
    for end in chunk.extra + 1, chunk.lanes - 1, chunk.lanes + 3:
        data = chunk.cut(end, len(chunk.data))
        yield Faulty(f"runs, a packet of {end} bytes", ChunkError.SIZE, [data], chunk.values)


def flipped(chunk: bytes, bits: Iterable[int]) -> bytes:
    """The chunk with these bits inverted."""
    spoilt = bytearray(chunk)
    for bit in bits:
        spoilt[bit // 8] ^= 1 << bit % 8
    return bytes(spoilt)


def replaced(chunk: bytes) -> Iterator[tuple[str, bytes]]:
    """Packets that could come in place of a chunk's, with what is wrong, in words."""
    yield "is one byte", chunk[:1]
    yield "is one word", chunk[:4]
    yield "ends in its lanes", chunk[:12]
    yield "is cut in half", chunk[: len(chunk) // 2]
    yield "lacks a byte", chunk[:-1]
    yield "has a byte more", chunk + b"\0"
    yield "has a word more", chunk + bytes(4)
    yield "is there twice", chunk + chunk
    yield "has another form", bytes([chunk[0] ^ 1]) + chunk[1:]
    yield "has another size", chunk[:1] + (len(chunk) - 40).to_bytes(3, "little") + chunk[4:]
    yield "is noise", random.randbytes(len(chunk))
    yield "has a bit flipped", flipped(chunk, [4 * len(chunk)])
    yield "has its last bit flipped", flipped(chunk, [8 * len(chunk) - 1])
