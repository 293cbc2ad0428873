# SPDX-License-Identifier: Apache-2.0
"""The encoder of FORMAT.md sections 4 to 8: what a profile or level writes, one value at a time."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reference.decode import DYNAMIC, RAW, Array
from reference.header import FOOTER, MAGIC, MAPPING
from reference.reader import DTYPES, Dtype
from reference.tables import (
    ESCAPE,
    Lengths,
    codewords,
    identity,
    make_table,
    reverse,
    write_lengths,
)
from reference.zeros import find_runs, write_bitmap

UNIT = 4
"""Blocks that share a dynamic table (rule 6)."""
MAX_DYNAMIC = 64


@dataclass(frozen=True)
class Profile:
    """A row of the tables of section 8."""

    version: int
    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: int
    stored: bool
    trailing: bool
    runs: bool = False
    mode: str = "static"

    @property
    def flags(self) -> int:
        """Of a stream of one array."""
        return FOOTER if self.version == 2 and self.check else 0


PROFILES = {
    "sw-n64-c32768": Profile(1, 15, 9, 6, 1, stored=True, trailing=True),
    "hw-n8-c4096": Profile(1, 12, 9, 3, 1, stored=False, trailing=False),
}


def level(number: int, mode: str | None = None, check: bool = True) -> Profile:
    """What a level writes: 1..9; `mode` is static, dynamic, hybrid or None for the level's."""
    fast = number <= 3
    return replace(
        PROFILES["sw-n64-c32768"],
        version=2,
        check=int(check),
        runs=not fast,
        mode=mode or ("static" if fast else "hybrid"),
    )


def varint(value: int) -> bytes:
    groups = []
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


@dataclass(frozen=True)
class Part:
    """A segment to write: its fields, the tensors' names and shapes, its values in chunk order."""

    dtype: str
    predictor: int
    parameters: bytes
    tensors: list[tuple[str, tuple[int, ...]]]
    values: list[int]

    def fields(self) -> bytes:
        """Section 2."""
        code = next(code for code, d in DTYPES.items() if d.name == self.dtype)
        out = bytes([code, self.predictor]) + varint(len(self.parameters)) + self.parameters
        out += varint(len(self.tensors))
        for name, shape in self.tensors:
            text = name.encode()
            out += varint(len(text)) + text + varint(len(shape))
            out += b"".join(varint(dimension) for dimension in shape)
        return out


def write_header(directory: bytes, tables: Sequence[Lengths], p: Profile, flags: int) -> bytes:
    """Section 1."""
    fields = bytes([p.version, 1, p.log2_chunk, p.log2_block, p.log2_lanes, p.check, flags, 0])
    head = MAGIC + fields + identity(tables) + len(directory).to_bytes(4, "little") + directory
    return head + zlib.crc32(head).to_bytes(4, "little")


def write_footer(chunks: Sequence[bytes]) -> bytes:
    """Section 1.1."""
    footer = b"".join(len(chunk).to_bytes(3, "little") for chunk in chunks)
    footer += zlib.crc32(b"".join(chunks)).to_bytes(4, "little")
    return footer + zlib.crc32(footer).to_bytes(4, "little")


def write_stream(
    parts: Sequence[Part], ranks: bytes, tables: Sequence[Lengths], p: Profile, flags: int
) -> bytes:
    """Section 1."""
    directory = varint(len(parts)) + b"".join(part.fields() for part in parts) + ranks
    size = 1 << p.log2_chunk
    chunks = [
        encode_chunk(part.values[first : first + size], part.dtype, tables, p)
        for part in parts
        for first in range(0, len(part.values), size)
    ]
    footer = write_footer(chunks) if flags & FOOTER else b""
    return write_header(directory, tables, p, flags) + b"".join(chunks) + footer


def encode(
    values: Sequence[int],
    dtype: str,
    shape: Sequence[int],
    tables: Sequence[Lengths],
    profile: Profile,
) -> bytes:
    """Encode an array: bit patterns in C order; `dtype` is a name of section 2."""
    part = predict("", dtype, tuple(shape), list(values))
    return write_stream([part], b"", tables, profile, profile.flags)


def encode_mapping(
    arrays: Mapping[str, Array], tables: Sequence[Lengths], profile: Profile
) -> bytes:
    """Encode a mapping of names to arrays (rule 9 of section 8)."""
    found = [predict(name, *array) for name, array in arrays.items()]
    parts = []
    for dtype in (d.name for d in DTYPES.values()):
        pool = [part for part in found if part.dtype == dtype and not part.predictor]
        if pool:
            tensors = [part.tensors[0] for part in pool]
            joined = [value for part in pool for value in part.values]
            parts.append(Part(dtype, 0, b"", tensors, joined))
    parts += [part for part in found if part.predictor]
    order = [name for part in parts for name, _ in part.tensors]
    names = list(arrays)
    ranks = b"".join(varint(names.index(name)) for name in order)
    return write_stream(parts, ranks, tables, profile, profile.flags | MAPPING)


def predict(name: str, dtype: str, shape: tuple[int, ...], values: list[int]) -> Part:
    """Rule 8 of section 8: a tensor, with the predictor that the level chooses."""
    return Part(dtype, 0, b"", [(name, shape)], values)


def table_cost(lengths: Lengths, histogram: Sequence[int], escape: int) -> int:
    """Bits of a block or unit: rule 2. `escape` are the bits of an exponent's bytes."""
    bits = 0
    for symbol, count in enumerate(histogram):
        coded = symbol < ESCAPE and lengths[symbol] > 0
        bits += count * (lengths[symbol] if coded else lengths[ESCAPE] + escape)
    return bits


def histogram_of(symbols: Sequence[int]) -> list[int]:
    """How often each symbol occurs, at 15 what is beyond."""
    counts = [0] * 16
    for symbol in symbols:
        counts[min(symbol, ESCAPE)] += 1
    return counts


def choose_table(
    histogram: Sequence[int], tables: Sequence[Lengths], escape: int
) -> tuple[int, int]:
    """Rule 2 of section 8 for one block: the table and its bits."""
    costs = [table_cost(lengths, histogram, escape) for lengths in tables]
    best = min(range(len(costs)), key=lambda t: (costs[t], t))
    raw = escape * sum(histogram)
    return (RAW, raw) if raw < costs[best] else (best, costs[best])


def choose_tables(
    histograms: Sequence[Sequence[int]], tables: Sequence[Lengths], d: Dtype, mode: str
) -> tuple[list[int], list[Lengths]]:
    """Rules 2 and 6 of section 8: each block's table, and the dynamic tables."""
    escape = 8 * d.exponent_bytes
    choices = [choose_table(histogram, tables, escape) for histogram in histograms]
    chosen = [table for table, _ in choices]
    made: list[Lengths] = []
    for first in range(0, len(histograms), UNIT):
        if mode == "static" or len(made) == MAX_DYNAMIC:
            break
        unit = slice(first, min(first + UNIT, len(histograms)))
        total = [sum(counts) for counts in zip(*histograms[unit], strict=True)]
        lengths = make_table(total)
        cost = table_cost(lengths, total, escape) + 64
        raw = escape * sum(total)
        if mode == "dynamic" and raw < cost:
            chosen[unit] = [RAW] * (unit.stop - first)
        elif mode == "dynamic" or cost < sum(bits for _, bits in choices[unit]):
            chosen[unit] = [DYNAMIC + len(made)] * (unit.stop - first)
            made.append(lengths)
    return chosen, made


@dataclass(frozen=True)
class Tokens:
    """Zero runs to write (section 4.2)."""

    classes: list[int]
    tables: tuple[Lengths, Lengths]
    extra: bytes

    def head(self, nonzeros: int) -> bytes:
        """The part before the lanes."""
        fields = (nonzeros, len(self.classes) // 2, len(self.extra))
        out = b"".join(field.to_bytes(2, "little") for field in fields)
        return out + b"".join(write_lengths(table) for table in self.tables) + self.extra

    def cost(self) -> int:
        """Rule 5 of section 8: bits."""
        bits = 8 * (22 + len(self.extra))
        for parity, table in enumerate(self.tables):
            bits += table_cost(table, histogram_of(self.classes[parity::2]), 8)
        return bits


def choose_zeros(values: Sequence[int], p: Profile) -> Tokens | None:
    """Rule 5 of section 8: the runs of zeros, if they are cheaper than the bitmap."""
    if not p.runs:
        return None
    classes, extra = find_runs(values)
    distances, runs = (make_table(histogram_of(classes[parity::2])) for parity in (0, 1))
    tokens = Tokens(classes, (distances, runs), extra)
    return tokens if tokens.cost() < 8 * len(write_bitmap(values)) else None


def encode_chunk(values: Sequence[int], dtype: str, tables: Sequence[Lengths], p: Profile) -> bytes:
    """Section 4: the chunk of these bit patterns, as the profile writes it."""
    d = next(d for d in DTYPES.values() if d.name == dtype)
    short = len(values) < 1 << p.log2_chunk
    count = len(values).to_bytes(4, "little") if short else b""
    plain = b"".join(value.to_bytes(d.bytes, "little") for value in values)
    check = zlib.crc32(plain).to_bytes(4, "little") if p.check else b""
    zeros = sum(value == 0 for value in values)
    if zeros == len(values):
        return framed(1 | 1 << 2 | short << 7, count)
    tokens = choose_zeros(values, p) if zeros else None
    coded = framed(*encode_nonzeros(values, zeros, tokens, d, count, check, tables, p))
    stored = framed(short << 7, count + plain + check)
    return stored if p.stored and len(coded) >= len(stored) else coded


def framed(mode: int, body: bytes) -> bytes:
    return bytes([mode]) + (4 + len(body)).to_bytes(3, "little") + body


def encode_nonzeros(
    values: Sequence[int],
    zeros: int,
    tokens: Tokens | None,
    d: Dtype,
    count: bytes,
    check: bytes,
    tables: Sequence[Lengths],
    p: Profile,
) -> tuple[int, bytes]:
    """Sections 4 to 6: the mode byte and the body of a coded chunk."""
    nonzero = [value for value in values if value]
    exponents = [value >> d.mantissa & ((1 << d.exponent) - 1) for value in nonzero]
    raws = [
        value >> (d.mantissa + d.exponent) << d.mantissa | value & ((1 << d.mantissa) - 1)
        for value in nonzero
    ]
    full = 1 << p.log2_block
    spans = [
        slice(first, min(first + full, len(nonzero))) for first in range(0, len(nonzero), full)
    ]

    maxima = [max(exponents[span]) for span in spans]
    histograms = [
        histogram_of([emax - e for e in exponents[span]])
        for emax, span in zip(maxima, spans, strict=True)
    ]
    chosen, made = choose_tables(histograms, tables, d, p.mode)
    headers = [
        (0 if table == RAW else emax, table) for emax, table in zip(maxima, chosen, strict=True)
    ]

    untrimmed = raw_strings(raws, spans, [0] * len(spans), d)
    common = [trailing_zeros(raws[span], d.mantissa) for span in spans]
    trimmed = raw_strings(raws, spans, common, d)
    trailing = p.trailing and len(untrimmed) - len(trimmed) > len(spans)
    raw = trimmed if trailing else untrimmed
    blocks = b"".join(
        emax.to_bytes(d.exponent_bytes, "little") + bytes([table, t] if trailing else [table])
        for (emax, table), t in zip(headers, common, strict=True)
    )

    lane_count = 1 << p.log2_lanes
    tail = lane_count - len(check)
    payload = check + (bytes(tail) + raw)[len(raw) :]
    named = dict(enumerate(tables)) | dict(enumerate(made, DYNAMIC))
    lanes, codes = encode_codes(exponents, spans, headers, tokens, payload, d, named)
    zeros_mode = 3 if tokens else 2 if zeros else 0
    mode = 1 | zeros_mode << 2 | trailing << 5 | bool(made) << 6 | bool(count) << 7
    head = tokens.head(len(nonzero)) if tokens else write_bitmap(values) if zeros else b""
    return mode, b"".join(
        (
            count,
            head,
            b"".join(state.to_bytes(2, "little") for state in lanes),
            bytes([len(made)]) + b"".join(write_lengths(m) for m in made) if made else b"",
            blocks,
            codes,
            raw[: max(0, len(raw) - tail)],
        )
    )


def trailing_zeros(raws: Sequence[int], mantissa: int) -> int:
    """t of rule 3: low mantissa bits that are 0 in every raw part."""
    union = 1 << mantissa
    for raw in raws:
        union |= raw
    return (union & -union).bit_length() - 1


def raw_strings(raws: Sequence[int], spans: list[slice], common: list[int], d: Dtype) -> bytes:
    """Section 5.1: all blocks' bit strings, joined."""
    joined = b""
    for span, t in zip(spans, common, strict=True):
        w = d.mantissa + 1 - t
        bits = sum(raw >> t << (i * w) for i, raw in enumerate(raws[span]))
        joined += bits.to_bytes(-(-len(raws[span]) * w // 8), "little")
    return joined


class Coder:
    """Lanes and code bytes of section 6, written from the end."""

    def __init__(self, payload: bytes) -> None:
        self.lanes = [256 | byte for byte in payload]
        self.reversed = bytearray()

    def put(self, j: int, symbol: int, codes: dict[int, tuple[int, int]]) -> None:
        """A codeword, in the lane of value or token `j`."""
        length, code = codes[symbol]
        x = self.lanes[j % len(self.lanes)]
        if x >= 1 << (16 - length):
            self.reversed.append(x & 255)
            x >>= 8
        self.lanes[j % len(self.lanes)] = x << length | reverse(code, length)

    def put_bytes(self, number: int, size: int) -> None:
        """An integer of `size` bytes that the decoder takes in little-endian order."""
        self.reversed += number.to_bytes(size, "big")


def encode_codes(
    exponents: Sequence[int],
    spans: list[slice],
    headers: list[tuple[int, int]],
    tokens: Tokens | None,
    payload: bytes,
    d: Dtype,
    tables: dict[int, Lengths],
) -> tuple[list[int], bytes]:
    """Section 6: lane states and code bytes."""
    coder = Coder(payload)
    codes = {t: codewords(lengths) for t, lengths in tables.items()}
    for span, (emax, table) in reversed(list(zip(spans, headers, strict=True))):
        for j in reversed(range(span.start, span.stop)):
            if table == RAW:
                coder.put_bytes(exponents[j], d.exponent_bytes)
                continue
            symbol = emax - exponents[j]
            if symbol >= ESCAPE or symbol not in codes[table]:
                coder.put_bytes(exponents[j], d.exponent_bytes)
                symbol = ESCAPE
            coder.put(j, symbol, codes[table])
    if tokens is not None:
        words = [codewords(table) for table in tokens.tables]
        for j, c in reversed(list(enumerate(tokens.classes))):
            if c == ESCAPE or c not in words[j % 2]:
                coder.put_bytes(c, 1)
                c = ESCAPE
            coder.put(j, c, words[j % 2])
    return coder.lanes, bytes(reversed(coder.reversed))
