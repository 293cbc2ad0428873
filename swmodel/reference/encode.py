# SPDX-License-Identifier: Apache-2.0
"""The encoder of FORMAT.md sections 6 and 8: what a profile writes, one value at a time."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from reference.decode import DTYPES, MAGIC, Dtype
from reference.tables import ESCAPE, Lengths, codewords, identity, reverse


@dataclass(frozen=True)
class Profile:
    """A row of the table of section 8."""

    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: int
    stored: bool
    trailing: bool


PROFILES = {
    "default": Profile(15, 9, 6, 1, stored=True, trailing=True),
    "hw-n8-c4096": Profile(12, 9, 3, 1, stored=False, trailing=False),
}


def varint(value: int) -> bytes:
    groups = []
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


def header(dtype: str, shape: Sequence[int], tables: Sequence[Lengths], p: Profile) -> bytes:
    """Sections 1 and 2: one segment of one unnamed tensor."""
    code = next(code for code, d in DTYPES.items() if d.name == dtype)
    directory = varint(1) + bytes([code, 0]) + varint(0) + varint(1) + varint(0)
    directory += varint(len(shape)) + b"".join(varint(d) for d in shape)
    fields = bytes([1, 1, p.log2_chunk, p.log2_block, p.log2_lanes, p.check, 0, 0])
    head = MAGIC + fields + identity(tables) + len(directory).to_bytes(4, "little") + directory
    return head + zlib.crc32(head).to_bytes(4, "little")


def zero_bitmap(values: Sequence[int]) -> bytes:
    """Section 4.1."""
    summary, stored = 0, b""
    words = -(-len(values) // 32)
    for w in range(words):
        word = sum(1 << i for i, value in enumerate(values[32 * w : 32 * w + 32]) if value == 0)
        if word:
            summary |= 1 << w
            stored += word.to_bytes(4, "little")
    return summary.to_bytes(4 * -(-words // 32), "little") + stored


def choose_table(symbols: Sequence[int], tables: Sequence[Lengths]) -> int:
    """Rule 2 of section 8, for the differences emax - e of one block."""

    def cost(lengths: Lengths) -> int:
        return sum(
            lengths[s] if s < ESCAPE and lengths[s] else lengths[ESCAPE] + 8 for s in symbols
        )

    costs = [cost(lengths) for lengths in tables]
    best = min(range(len(costs)), key=lambda t: (costs[t], t))
    return 255 if 8 * len(symbols) < costs[best] else best


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
    coded = framed(*encode_nonzeros(values, zeros, d, count, check, tables, p))
    stored = framed(short << 7, count + plain + check)
    return stored if p.stored and len(coded) >= len(stored) else coded


def framed(mode: int, body: bytes) -> bytes:
    return bytes([mode]) + (4 + len(body)).to_bytes(3, "little") + body


def encode_nonzeros(
    values: Sequence[int],
    zeros: int,
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

    headers = []
    for span in spans:
        emax = max(exponents[span])
        table = choose_table([emax - e for e in exponents[span]], tables)
        headers.append((0 if table == 255 else emax, table))

    untrimmed = raw_strings(raws, spans, [0] * len(spans), d)
    common = [trailing_zeros(raws[span], d.mantissa) for span in spans]
    trimmed = raw_strings(raws, spans, common, d)
    trailing = p.trailing and len(untrimmed) - len(trimmed) > len(spans)
    raw = trimmed if trailing else untrimmed
    blocks = b"".join(
        bytes([emax, table, t] if trailing else [emax, table])
        for (emax, table), t in zip(headers, common, strict=True)
    )

    lane_count = 1 << p.log2_lanes
    tail = lane_count - len(check)
    payload = check + (bytes(tail) + raw)[len(raw) :]
    lanes, codes = encode_exponents(exponents, spans, headers, payload, tables)
    mode = 1 | (2 if zeros else 0) << 2 | trailing << 5 | bool(count) << 7
    return mode, b"".join(
        (
            count,
            zero_bitmap(values) if zeros else b"",
            b"".join(state.to_bytes(2, "little") for state in lanes),
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


def encode_exponents(
    exponents: Sequence[int],
    spans: list[slice],
    headers: list[tuple[int, int]],
    payload: bytes,
    tables: Sequence[Lengths],
) -> tuple[list[int], bytes]:
    """Section 6: lane states and code bytes."""
    codes = [codewords(lengths) for lengths in tables]
    lanes = [256 | byte for byte in payload]
    put = bytearray()
    for span, (emax, table) in reversed(list(zip(spans, headers, strict=True))):
        for j in reversed(range(span.start, span.stop)):
            if table == 255:
                put.append(exponents[j])
                continue
            symbol = emax - exponents[j]
            if symbol >= ESCAPE or symbol not in codes[table]:
                put.append(exponents[j])
                symbol = ESCAPE
            length, code = codes[table][symbol]
            x = lanes[j % len(lanes)]
            if x >= 1 << (16 - length):
                put.append(x & 255)
                x >>= 8
            lanes[j % len(lanes)] = x << length | reverse(code, length)
    return lanes, bytes(reversed(put))


def encode(
    values: Sequence[int],
    dtype: str,
    shape: Sequence[int],
    tables: Sequence[Lengths],
    profile: str = "default",
) -> bytes:
    """Encode bit patterns in C order; `dtype` is fp32, bf16 or fp16, `profile` of section 8."""
    p = PROFILES[profile]
    chunk = 1 << p.log2_chunk
    return header(dtype, shape, tables, p) + b"".join(
        encode_chunk(values[first : first + chunk], dtype, tables, p)
        for first in range(0, len(values), chunk)
    )
