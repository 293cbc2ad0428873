# SPDX-License-Identifier: Apache-2.0
"""A chunk's parts, as the reference decoder reads them, and the words of the decoder's streams."""

from __future__ import annotations

from dataclasses import dataclass

from reference.decode import Block, read_blocks, read_exponents
from reference.header import Header
from reference.reader import DTYPES, Reader
from reference.zeros import read_bitmap

from cosim.bench.streams import Word
from hls.point import POINT, NumberFormat, Tables

WORD = 4
BITMAP = 2  # `zeros` of the mode byte
TRAILING = 1 << 5


@dataclass(frozen=True)
class Parts:
    """FORMAT.md section 4.

    count: values. zeros: of the mode byte. summary, bitmap: words of section 4.1. lanes: states
    before the first value; finals: after the last. blocks: section 5. coded_at: where the codes
    begin in the chunk. raw: raw bytes that are not in the lanes, and raw_at where they begin;
    raw_bytes: how many there are, with those in the lanes. chunk_bytes: of all parts.
    """

    count: int
    zeros: int
    summary: list[int]
    bitmap: list[int]
    lanes: list[int]
    finals: list[int]
    blocks: list[Block]
    exponents: list[int]
    codes: bytes
    coded_at: int
    raw: bytes
    raw_at: int
    raw_bytes: int
    chunk_bytes: int

    @property
    def nonzeros(self) -> int:
        """Values that are not zero."""
        return len(self.exponents)

    @property
    def payload(self) -> bytes:
        """What the lanes hold at the end: check value, then the last raw bytes."""
        return bytes(state & 255 for state in self.finals)

    @property
    def check(self) -> int:
        """The check value."""
        return int.from_bytes(self.payload[:WORD], "little")

    @property
    def tail(self) -> int:
        """The last raw bytes, as a word."""
        return int.from_bytes(self.payload[WORD:], "little")

    @property
    def shape(self) -> int:
        """A word of `shape` (hls/chunk_parse.py)."""
        unused = max(0, POINT.tail - self.raw_bytes)
        index = (POINT.chunk - 1).bit_length()
        return unused << (index + 1) | bool(self.codes) << index | self.nonzeros - 1

    def zeros_words(self, *, frame_last: bool) -> list[int]:
        """Words of `zeros` (hls/chunk_parse.py)."""
        index = (POINT.chunk - 1).bit_length()
        return [self.zeros << (index + 1) | frame_last << index | self.count - 1, *self.summary]

    @property
    def front_steps(self) -> int:
        """Steps of chunk_parse before the codes: words, lanes and bytes of headers."""
        words = 1 + (self.count < POINT.chunk) + len(self.summary) + len(self.bitmap)
        lanes = len(self.lanes)
        return words + lanes + max(0, self.coded_at - WORD * words - 2 * lanes)

    @property
    def lane_words(self) -> list[int]:
        """Words of `lanes` (hls/lane_dec.py)."""
        return self.lanes + [block.emax | block.table << 8 for block in self.blocks]

    def code_words(self, width: int = 1) -> list[Word]:
        """Words of `codes` (hls/code_window.py) as they lie in the chunk."""
        return code_words(self.codes, self.coded_at, width)

    def groups(self, width: int) -> list[int]:
        """Words of `exponents` (hls/lane_dec.py); items that there are not are 0."""
        starts = range(0, self.nonzeros, width)
        return [int.from_bytes(bytes(self.exponents[at : at + width]), "little") for at in starts]

    def raw_words(self, width: int = 1) -> list[Word]:
        """Words of `raw` (hls/chunk_parse.py); bytes that do not count are all ones."""
        if not self.raw:
            return []
        size = WORD * width
        data = b"\xff" * (self.raw_at % size) + self.raw
        return [
            Word(
                int.from_bytes(data[at : at + size].ljust(size, b"\xff"), "little"),
                tlast=int(at + size >= len(data)),
            )
            for at in range(0, len(data), size)
        ]

    def span(self, width: int) -> int:
        """A word of `span` (hls/chunk_parse.py)."""
        return raw_span(self.chunk_bytes, self.raw_bytes, self.blocks[0].trailing // 8, width)


def code_words(codes: bytes, start: int, width: int) -> list[Word]:
    """Words of codes that start so many bytes into a chunk; others' bytes are all ones."""
    size = WORD * width
    first, bits = start % size, (size - 1).bit_length()
    data, words = b"\xff" * first + codes, []
    for at in range(0, len(data) if codes else 0, size):
        part = data[at : at + size]
        user = (0 if at else first) << bits | len(part) - 1
        value = int.from_bytes(part.ljust(size, b"\xff"), "little")
        words.append(Word(value, tuser=user, tlast=int(at + size >= len(data))))
    return words


def raw_span(chunk_bytes: int, raw_bytes: int, stripped: int, width: int) -> int:
    """A word of `span`, of a chunk of so many bytes, of which its lanes hold the last raw ones."""
    size = WORD * width
    stored, bits = raw_bytes - POINT.tail, (size - 1).bit_length()
    ends = (chunk_bytes - 1) % size << bits | (chunk_bytes - stored) % size
    return (stripped << 1 | (stored <= 0)) << 2 * bits | ends


def dissect(chunk: bytes, fmt: NumberFormat, tables: Tables) -> Parts:
    """The parts of a chunk of the hardware's profile."""
    dtype = next(d for d in DTYPES.values() if d.name == fmt.name)
    named = dict(enumerate(tables))
    header = Header(
        version=1,
        log2_chunk=POINT.chunk.bit_length() - 1,
        log2_block=POINT.block.bit_length() - 1,
        log2_lanes=POINT.lanes.bit_length() - 1,
        check=1,
        flags=0,
        segments=(),
    )
    mode, reader = chunk[0], Reader(chunk, WORD)
    count = reader.integer(WORD, "count") if mode & 128 else POINT.chunk
    zeros = mode >> 2 & 7
    words: list[int] = []
    summaries, nonzeros = 0, count
    if zeros == BITMAP:
        at = reader.at
        nonzeros = read_bitmap(reader, count).count(False)
        summaries = -(-count // 32**2)
        words = [int.from_bytes(chunk[i : i + WORD], "little") for i in range(at, reader.at, WORD)]
    elif zeros:
        return Parts(count, zeros, [], [], [], [], [], [], b"", 0, b"", 0, 0, len(chunk))
    lanes = [reader.integer(2, "lanes") for _ in range(POINT.lanes)]
    trailing = bool(mode & TRAILING)
    blocks = read_blocks(reader, nonzeros, trailing=trailing, h=header, d=dtype, tables=named)
    raw_bytes = sum(-(-block.count * (fmt.raw - block.trailing) // 8) for block in blocks)
    raw_at = len(chunk) - max(0, raw_bytes - POINT.tail)
    codes, finals = Reader(chunk, reader.at, raw_at), list(lanes)
    coded_at = reader.at
    exponents = read_exponents(codes, finals, blocks, dtype, named)
    return Parts(
        count=count,
        zeros=zeros,
        summary=words[:summaries],
        bitmap=words[summaries:],
        lanes=lanes,
        finals=finals,
        blocks=blocks,
        exponents=exponents,
        codes=chunk[coded_at:raw_at],
        coded_at=coded_at,
        raw=chunk[raw_at:],
        raw_at=raw_at,
        raw_bytes=raw_bytes,
        chunk_bytes=len(chunk),
    )
