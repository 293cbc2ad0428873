# SPDX-License-Identifier: Apache-2.0
"""What passes between the blocks of the encoder for a chunk, as the reference encoder makes it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reference.choose import Tokens, choose_block, choose_zeros
from reference.encode import choose_trailing, encode_chunk, put_blocks, put_tokens, raw_strings
from reference.lanes import Coder
from reference.profile import PROFILES, Profile
from reference.reader import DTYPES, Dtype
from reference.zeros import KNOWN_TABLES, find_runs, write_bitmap

from cosim.bench.corners import Frame
from cosim.bench.streams import Word
from hls.byte_pack import user_bits
from hls.code_schedule import CODE, HEADER, START, STORE, TOKEN, operation_bits
from hls.point import POINT, RAW, NumberFormat, Tables
from hls.stream import word_bytes
from hls.token_reverse import NO_CLASS, pairs_at_once
from hls.zero_part import LEFT
from hls.zero_tokens import COST, SIZE

WORD = 4
ANYTHING = 0xA5  # a byte that does not count
INDEX = POINT.chunk.bit_length() - 1  # bits of n - 1
COUNT = INDEX + 1  # bits of nnz
CHECK = 32
EXPONENT = 8
TABLE = 4


@dataclass(frozen=True)
class Stages:
    """A chunk of a frame.

    last: whether it is the frame's last chunk. width: items of a group, where blocks move groups.
    profile: how the chunk is written.
    """

    values: list[int]
    last: bool
    fmt: NumberFormat
    tables: Tables
    width: int = 1
    profile: Profile = PROFILES[POINT.profile]

    @cached_property
    def nonzeros(self) -> list[int]:
        """The values that are not zero."""
        return [value for value in self.values if value]

    @cached_property
    def exponents(self) -> list[int]:
        """Their exponents."""
        mask = 2**self.fmt.exponent - 1
        return [value >> self.fmt.mantissa & mask for value in self.nonzeros]

    @cached_property
    def raws(self) -> list[int]:
        """Their raw parts: sign, then mantissa."""
        mantissa = self.fmt.mantissa
        return [
            value >> (self.fmt.width - 1) << mantissa | value & (2**mantissa - 1)
            for value in self.nonzeros
        ]

    @cached_property
    def spans(self) -> list[slice]:
        """The blocks, as slices of the non-zeros."""
        count = len(self.nonzeros)
        return [slice(at, min(at + POINT.block, count)) for at in range(0, count, POINT.block)]

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The exponents of each block."""
        return [self.exponents[span] for span in self.spans]

    @cached_property
    def headers(self) -> list[tuple[int, int]]:
        """(emax, table) of each block as the format writes them."""
        chosen = []
        for exponents in self.blocks:
            emax = max(exponents)
            differences = [emax - exponent for exponent in exponents]
            table, _ = choose_block(differences, self.tables, EXPONENT, self.profile)
            chosen.append((0 if table == RAW else emax, table))
        return chosen

    @property
    def dtype(self) -> Dtype:
        """The type as the reference knows it."""
        return next(d for d in DTYPES.values() if d.name == self.fmt.name)

    @cached_property
    def trailing(self) -> int:
        """Low bits that are left out of each raw part; where there is none, all that may be."""
        if not self.blocks:
            return 2 * self.profile.trailing
        parts = [self.raws[span] for span in self.spans]
        return choose_trailing(parts, self.dtype, self.profile)[0]

    @cached_property
    def raw(self) -> bytes:
        """All raw bytes."""
        return self.raw_without(self.trailing)

    def raw_without(self, trailing: int) -> bytes:
        """All raw parts' bytes without so many low bits."""
        return raw_strings(self.raws, self.spans, [trailing] * len(self.spans), self.dtype)

    @cached_property
    def payload(self) -> bytes:
        """What the lanes start with: the check value, and the last raw bytes."""
        size = self.fmt.width // 8
        plain = b"".join(value.to_bytes(size, "little") for value in self.values)
        tail = (bytes(POINT.tail) + self.raw)[-POINT.tail :]
        return zlib.crc32(plain).to_bytes(WORD, "little") + tail

    @cached_property
    def coded(self) -> bytes:
        """The parts lanes, blocks and codes."""
        named = dict(enumerate(self.tables))
        coder = Coder(self.payload)
        put_blocks(coder, self.exponents, self.spans, self.headers, self.dtype, named)
        if self.known_runs:
            put_tokens(coder, self.known_runs)
        trailing = [self.trailing] if self.trailing else []
        headers = b"".join(bytes([*header, *trailing]) for header in self.headers)
        return coder.states() + headers + coder.codes()

    @cached_property
    def zeros(self) -> bytes:
        """The part zeros, whether or not the chunk has it."""
        return write_bitmap(self.values)

    @cached_property
    def chunk(self) -> bytes:
        """The chunk."""
        return encode_chunk(self.values, self.fmt.name, self.tables, self.profile)

    @property
    def nonzero_words(self) -> list[Word]:
        """Words of zero_split's m_axis."""
        parts = zip(self.raws, self.exponents, strict=True)
        items = [raw << EXPONENT | exponent for raw, exponent in parts]
        return group_words(items, self.fmt.width, self.width)

    @property
    def flag_words(self) -> list[Word]:
        """Words of zero_split's m_flag."""
        words = group_words([int(value == 0) for value in self.values], 1, self.width, absent=0)
        return [replace(word, tuser=0) for word in words]

    @property
    def known_zeros(self) -> list[Word]:
        """Words of zero_flags' m_axis: what is not there counts as zero."""
        return self.with_user(
            group_words([int(value == 0) for value in self.values], 1, self.width)
        )

    @property
    def value_words(self) -> list[Word]:
        """Words of raw_join's m_axis."""
        return self.with_user(group_words(self.values, self.fmt.width, self.width, absent=0))

    def with_user(self, words: list[Word]) -> list[Word]:
        """Groups of values, tuser = {the chunk has a check, its last group, values - 1}."""
        bits, check = (self.width - 1).bit_length(), bool(self.nonzeros) << 1
        return [
            replace(
                word,
                tuser=(check | word.tlast) << bits | word.tuser,
                tlast=word.tlast and int(self.last),
            )
            for word in words
        ]

    @property
    def counts(self) -> int:
        """Bits {nnz, n - 1}."""
        return len(self.nonzeros) << INDEX | len(self.values) - 1

    @property
    def left_out(self) -> int:
        """Bytes that are left out of each raw part."""
        return self.trailing // 8

    @property
    def totals_word(self) -> Word:
        """The word of zero_split's m_chunk."""
        payload = self.left_out << 8 * POINT.lanes | int.from_bytes(self.payload, "little")
        return Word(payload << (COUNT + INDEX) | self.counts, tlast=int(self.last))

    @property
    def counts_word(self) -> Word:
        """The word of code_schedule's m_chunk."""
        return Word(self.left_out << (COUNT + INDEX) | self.counts, tlast=int(self.last))

    @property
    def exponent_words(self) -> list[Word]:
        """Words of block_max's s_axis."""
        return group_words(self.exponents, EXPONENT, self.width)

    @property
    def maxima_words(self) -> list[Word]:
        """Words of block_max's m_axis."""
        words = []
        for i, exponents in enumerate(self.blocks):
            user = (i == len(self.blocks) - 1) << EXPONENT | max(exponents)
            words += group_words(exponents, EXPONENT, self.width, user)
        return words

    @property
    def header_words(self) -> list[Word]:
        """Words of huff_choice's m_header."""
        return [
            Word(1 << (TABLE + EXPONENT) if table == RAW else table << EXPONENT | emax)
            for emax, table in self.headers
        ]

    @property
    def backwards_words(self) -> list[Word]:
        """Words of chunk_reverse's m_axis."""
        return [replace(word, tlast=0) for word in reversed(self.exponent_words)]

    @property
    def zeros_words(self) -> list[Word]:
        """Words of zero_bitmap's m_axis."""
        words = whole_words(self.zeros)
        return packet(words, len(words))

    @cached_property
    def runs(self) -> tuple[list[int], bytes]:
        """The classes of the tokens of zeros as runs, and their extra bits."""
        found = find_runs([value == 0 for value in self.values]) if 0 in self.values else None
        return found or ([], b"")

    @property
    def pair_words(self) -> list[Word]:
        """Words of zero_pairs's m_axis."""
        classes, extra = self.runs
        bits, numbers = int.from_bytes(extra, "little"), []  # of the tokens, less one
        for c in classes:
            more = max(0, c - 1)
            numbers.append((1 << more) + bits % (1 << more) if c else 0)
            bits >>= more
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return packet([run << INDEX | distance for distance, run in pairs] + [len(numbers) // 2])

    @property
    def class_words(self) -> list[Word]:
        """Words of zero_tokens's m_class."""
        classes, _ = self.runs
        pairs = zip(classes[::2], classes[1::2], strict=True)
        return [*(Word(run << TABLE | distance) for distance, run in pairs), Word(0, tlast=1)]

    @property
    def backwards_class_words(self) -> list[Word]:
        """Words of token_reverse's m_axis; that of a chunk without known runs has no pair."""
        tokens = self.known_runs
        if not self.nonzeros:
            return []
        if not tokens:
            return [Word(0, tlast=1)]
        classes = tokens.classes + [NO_CLASS] * (-len(tokens.classes) % POINT.lanes)
        group = 2 * pairs_at_once(self.width)
        words = [
            Word(word.tdata, tuser=(tokens.known or 0) << 1 | 1)
            for word in group_words(classes, TABLE, group)
        ]
        return [replace(word, tlast=int(i == 0)) for i, word in enumerate(words)][::-1]

    @property
    def token_words(self) -> list[Word]:
        """Words of zero_tokens's m_axis."""
        classes, extra = self.runs
        words = [Word(number << 8 | byte) for number, byte in enumerate(extra)]
        sums, low = len(classes) // 2 << SIZE | len(extra), SIZE + INDEX
        for number, tables in enumerate(KNOWN_TABLES):
            tokens = Tokens(0, classes, tables, extra, number)
            bits = tokens.cost() - 8 * len(extra)
            sums |= bits % 2**COST << (low + COST * number)
        return [*words, Word(sums << 8, tlast=1)]

    @cached_property
    def known_runs(self) -> Tokens | None:
        """The tokens, if the profile writes this chunk's zeros so."""
        return choose_zeros(self.values, (), self.profile) if self.mixed else None

    @property
    def mixed(self) -> bool:
        """Whether some values are zero, but not all."""
        return 0 < len(self.nonzeros) < len(self.values)

    @property
    def choice_word(self) -> Word:
        """The word of zero_part's m_choice."""
        tokens = self.known_runs
        choice = (tokens.known or 0) << 1 | 1 if tokens else 0
        return Word(choice | bool(self.nonzeros) << 2)

    @property
    def part_words(self) -> list[Word]:
        """Words of zero_part's m_axis."""
        if not self.mixed:
            return [Word(0, tlast=1)]
        tokens = self.known_runs
        data = tokens.head(len(self.nonzeros)) if tokens else self.zeros
        sizes, words, at = [WORD] * (len(data) // WORD), [], 0
        if tokens:
            extra = len(tokens.extra)
            sizes = [WORD, len(data) - extra - WORD] + [WORD] * (extra // WORD)
        sizes += [len(data) - sum(sizes)] * (len(data) > sum(sizes))
        for word, size in zip(cut_words(data, sizes, 0), sizes, strict=True):
            words.append(replace(word, tuser=bool(tokens) << LEFT | len(data) - at))
            at += size
        return words

    @property
    def code_words(self) -> list[Word]:
        """Words of code_stack's m_axis."""
        return stack_words(self.coded, self.width) if self.blocks else []

    @property
    def raw_groups(self) -> list[Word]:
        """Words of raw_queue's s_axis."""
        return group_words(self.raws, self.fmt.raw, self.width)

    @property
    def raw_words(self) -> list[Word]:
        """Words of raw_queue's m_axis; bytes behind the last are ones."""
        count = word_bytes(self.width)
        raw = self.raw_without(0)
        padded = raw + b"\xff" * (-len(raw) % count)
        return [Word(word) for word in whole_words(padded, count)]


def packet(data: Sequence[int], user: int = 0) -> list[Word]:
    """Words of one packet."""
    return [Word(item, tuser=user, tlast=int(i == len(data) - 1)) for i, item in enumerate(data)]


def group_words(
    items: Sequence[int], bits: int, width: int, user: int = 0, absent: int = -1
) -> list[Word]:
    """Words of one packet of groups, the first item lowest; tuser = {user, items less one}.

    What the last group lacks is ones, unless `absent` is 0.
    """
    words = []
    for at in range(0, len(items), width):
        group = items[at : at + width]
        data = sum(item << bits * i for i, item in enumerate(group))
        data |= absent << bits * len(group) & (1 << bits * width) - 1
        size = user << (width - 1).bit_length() | (len(group) - 1)
        words.append(Word(data, tuser=size, tlast=int(at + width >= len(items))))
    return words


def stack_words(data: bytes, width: int) -> list[Word]:
    """Words of code_stack's m_axis for a packet; the bytes in front of its first are anything."""
    word = word_bytes(width)
    padded = bytes([ANYTHING] * (-len(data) % word)) + data
    words = cut_words(padded, [word] * (len(padded) // word), len(data))
    return [replace(word, tkeep=0) for word in words]


def cut_words(data: bytes, sizes: Sequence[int], user: int) -> list[Word]:
    """A packet whose words hold so many of the bytes, one after the other."""
    words, at = [], 0
    for size in sizes:
        part = data[at : at + size]
        at += size
        last = int(at == len(data))
        words.append(Word(int.from_bytes(part, "little"), (1 << size) - 1, user, last))
    assert at == len(data), "the sizes are not those of the bytes"
    return words


def operation_words(chunk: Stages) -> list[Word]:
    """Words of code_schedule's m_axis; bytes that do not count are 0."""
    width, headers = chunk.width, [word.tdata for word in chunk.header_words]
    bits = operation_bits(chunk.profile.known_pairs > 0)
    groups = chunk.exponent_words
    if not groups:
        return []
    rows = POINT.lanes // width
    starts = [(len(groups) - 1 - i) % rows * width for i in range(rows)]
    payloads = [int.from_bytes(chunk.payload[lane : lane + width], "little") for lane in starts]
    operations = [(0, payload, START, 0) for payload in payloads]
    for i, group in reversed(list(enumerate(groups))):
        header = headers[i * width // POINT.block]
        operations.append((header, group.tdata, CODE, group.tuser))
    operations += [(0, tokens, TOKEN, 0) for tokens in token_bytes(chunk)]
    operations += [(header, chunk.trailing << 8, HEADER, 0) for header in reversed(headers)]
    operations += [(0, 0, STORE, 0)] * rows
    words = []
    for i, (header, data, code, user) in enumerate(operations):
        word = (header << EXPONENT * width | data) << bits | code
        words.append(Word(word, tuser=user, tlast=int(i == len(operations) - 1)))
    return words


def token_bytes(chunk: Stages) -> Iterator[int]:
    """Bytes of the operations of its tokens, of which at width 1 a pair has two."""
    for word in chunk.backwards_class_words if chunk.known_runs else []:
        known = word.tuser >> 1
        if chunk.width == 1:
            for run, kind in (1, word.tdata >> TABLE), (0, word.tdata % 2**TABLE):
                yield (run << 1 | known) << TABLE | kind
        else:
            yield known << chunk.width * TABLE | word.tdata


def assembly_words(chunk: Stages) -> list[Word]:
    """Words of chunk_assemble's m_axis, if it stripped them and put their bytes lowest."""
    zeros = chunk.part_words if chunk.profile.known_pairs else chunk.zeros_words
    sizes = [WORD] * (1 + (len(chunk.values) < POINT.chunk))
    if chunk.mixed:
        sizes += [word.tkeep.bit_length() or WORD for word in zeros]
    full, codes = word_bytes(chunk.width), len(chunk.coded) if chunk.blocks else 0
    sizes += [codes % full] * (codes % full > 0) + [full] * (codes // full)
    sizes += stripped_sizes(chunk)
    words = cut_words(chunk.chunk, sizes, 0)
    top = user_bits(chunk.width, chunk.profile.trailing > 0) - 1
    return [
        replace(word, tkeep=0, tuser=int(chunk.last) << top | size - 1)
        for word, size in zip(words, sizes, strict=True)
    ]


def stripped_sizes(chunk: Stages) -> list[int]:
    """What is left of each word of raw_queue's m_axis, without the bytes that are in the lanes."""
    part, full = chunk.fmt.raw // 8, word_bytes(chunk.width)
    places = range(part * len(chunk.raws))  # of bytes; those that are kept:
    kept = [place for place in places if place % part >= chunk.left_out][: -POINT.tail]
    sizes = [0] * (len(places) // full + 1)
    for place in kept:
        sizes[place // full] += 1
    return [size for size in sizes if size]


def whole_words(data: bytes, word: int = WORD) -> list[int]:
    """The words of a whole number of them."""
    return [int.from_bytes(data[at : at + word], "little") for at in range(0, len(data), word)]


def cut(
    frame: Frame,
    fmt: NumberFormat,
    tables: Tables,
    width: int = 1,
    profile: Profile = PROFILES[POINT.profile],
) -> Iterator[Stages]:
    """The chunks of a frame."""
    for at in range(0, len(frame), POINT.chunk):
        last = at + POINT.chunk >= len(frame)
        yield Stages(frame[at : at + POINT.chunk], last, fmt, tables, width, profile)
