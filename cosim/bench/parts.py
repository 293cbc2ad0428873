# SPDX-License-Identifier: Apache-2.0
"""A chunk's parts, as the reference decoder reads them, and the words of the decoder's streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference.decode import Block, read_blocks, read_classes, read_exponents
from reference.header import Header
from reference.reader import DTYPES, Reader
from reference.zeros import KNOWN_RUNS, KNOWN_TABLES, Runs, read_bitmap, read_runs

from cosim.bench.streams import Word
from hls.chunk_parse import RUNS
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
    raw_bytes: how many there are, with those in the lanes. chunk_bytes: of all parts. runs and
    classes: section 4.2, if there are known runs.
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
    runs: Runs | None = None
    classes: tuple[int, ...] = ()

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
    def shapes(self) -> list[int]:
        """Words of `shape` (hls/chunk_parse.py): of the tokens, if there are any, of the values."""
        unused = max(0, POINT.tail - self.raw_bytes)
        index = (POINT.chunk - 1).bit_length()
        both = unused << (index + 1) | bool(self.codes) << index
        shapes = [both | self.nonzeros - 1]
        if self.runs:
            known = KNOWN_TABLES.index(self.runs.tables) << 1 | 1
            shapes.insert(0, known << (index + 3) | both | len(self.classes) - 1)
        return shapes

    @property
    def tokens(self) -> list[int]:
        """Bytes of `tokens` (hls/lane_dec.py): a class that has a codeword is counted down."""
        assert self.runs
        tables = self.runs.tables
        coded = [c < len(tables[0]) - 1 and tables[i % 2][c] for i, c in enumerate(self.classes)]
        return [255 - c if has else c for c, has in zip(self.classes, coded, strict=True)]

    def zeros_words(self, *, frame_last: bool) -> list[int]:
        """Words of `zeros` (hls/chunk_parse.py)."""
        index = (POINT.chunk - 1).bit_length()
        kind = RUNS if self.runs else self.zeros
        return [kind << (index + 1) | frame_last << index | self.count - 1, *self.summary]

    @property
    def front_steps(self) -> int:
        """Steps of chunk_parse before the codes: words, lanes and bytes of headers."""
        head = 1 + (self.count < POINT.chunk)
        if self.runs:
            words = 1 + len(run_words(self.runs, self.count))  # of which one is looked at first
            return head + words + self.coded_at - self.runs.extra_at - len(self.runs.extra)
        words = head + len(self.summary) + len(self.bitmap)
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


def run_words(runs: Runs, count: int) -> list[Word]:
    """Words of runs (hls/run_bitmap.py); bytes that do not count are all ones."""
    extra, index = runs.extra, (POINT.chunk - 1).bit_length()
    last_byte = (len(extra) - 2) % WORD
    data = extra + b"\xff" * (1 + -(len(extra) - 1) % WORD)
    head = [
        runs.pairs - 1 << 16 | runs.nonzeros,
        data[0] << 24 | last_byte << index | count - 1,
    ]
    rest = data[1 : max(1, 1 + -(-(len(extra) - 1) // WORD) * WORD)]
    words = head + [
        int.from_bytes(rest[at : at + WORD], "little") for at in range(0, len(rest), WORD)
    ]
    return [Word(word, tuser=1, tlast=int(i == len(words) - 1)) for i, word in enumerate(words)]


def token_groups(tokens: Sequence[int], width: int) -> list[int]:
    """Groups of bytes; items that there are not are 0."""
    starts = range(0, len(tokens), width)
    return [int.from_bytes(bytes(tokens[at : at + width]), "little") for at in starts]


def raw_span(chunk_bytes: int, raw_bytes: int, stripped: int, width: int) -> int:
    """A word of `span`, of a chunk of so many bytes, of which its lanes hold the last raw ones."""
    size = WORD * width
    stored, bits = raw_bytes - POINT.tail, (size - 1).bit_length()
    if stored <= 0:
        chunk_bytes = 0  # the last bytes end with a word
    ends = (chunk_bytes - 1) % size << bits | (chunk_bytes - stored - 1) % size
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
    summaries, nonzeros, runs = 0, count, None
    if zeros == BITMAP:
        at = reader.at
        nonzeros = read_bitmap(reader, count).count(False)
        summaries = -(-count // 32**2)
        words = [int.from_bytes(chunk[i : i + WORD], "little") for i in range(at, reader.at, WORD)]
    elif zeros == KNOWN_RUNS:
        runs = read_runs(reader, count, POINT.chunk, zeros)
        nonzeros = runs.nonzeros
    elif zeros:
        return Parts(count, zeros, [], [], [], [], [], [], b"", 0, b"", 0, 0, len(chunk))
    lanes = [reader.integer(2, "lanes") for _ in range(POINT.lanes)]
    trailing = bool(mode & TRAILING)
    blocks = read_blocks(reader, nonzeros, trailing=trailing, h=header, d=dtype, tables=named)
    raw_bytes = sum(-(-block.count * (fmt.raw - block.trailing) // 8) for block in blocks)
    raw_at = len(chunk) - max(0, raw_bytes - POINT.tail)
    codes, finals = Reader(chunk, reader.at, raw_at), list(lanes)
    coded_at = reader.at
    classes = read_classes(codes, finals, runs) if runs else []
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
        runs=runs,
        classes=tuple(classes),
    )
