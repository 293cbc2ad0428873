# SPDX-License-Identifier: Apache-2.0
"""The encoder of FORMAT.md sections 4 to 8: what a profile or level writes, one value at a time."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reference import scale, signs
from reference.choose import Tokens, choose_tables, choose_zeros
from reference.decode import DYNAMIC, RAW, Array
from reference.header import FOOTER, MAGIC, MAPPING
from reference.lanes import Coder
from reference.matrix import Matrix, extent, find_dead
from reference.profile import Profile
from reference.reader import DTYPES, Dtype
from reference.tables import ESCAPE, Lengths, codewords, identity, write_lengths
from reference.zeros import BITMAP, write_bitmap

WIDEST_STRIP = 512
OWN_SEGMENT = 1 << 14
"""Values from which on the smallest levels give a tensor a segment of its own."""
WIDTHS = (64, 128, 256, 512, 576, 1024, 1152, 2048, 2304, 4096, 4608)
"""Columns that the smallest levels try where there is no matrix (rules 5 and 8)."""
SIGNED_WIDTHS = (32, 64, 128, 256, 512, 1024)
TAPS, TAPS_WIDTHS = 9, (64, 128, 256)
"""The same for signed chunks (rule 9)."""


def varint(value: int) -> bytes:
    groups = []
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


@dataclass(frozen=True)
class Part:
    """A segment to write: the tensors' names and shapes, and the values of each chunk.

    `width` is the columns of a chunk's strip, 0 without a matrix.
    """

    dtype: str
    matrix: Matrix | None
    tensors: list[tuple[str, tuple[int, ...]]]
    chunks: list[tuple[int, list[int]]]

    def fields(self) -> bytes:
        """Section 2."""
        code = next(code for code, d in DTYPES.items() if d.name == self.dtype)
        parameters = b"" if self.matrix is None else write_matrix(self.matrix)
        predictor = 0 if self.matrix is None else 3
        out = bytes([code, predictor]) + varint(len(parameters)) + parameters
        out += varint(len(self.tensors))
        for name, shape in self.tensors:
            text = name.encode()
            out += varint(len(text)) + text + varint(len(shape))
            out += b"".join(varint(dimension) for dimension in shape)
        return out


def write_matrix(matrix: Matrix) -> bytes:
    """Section 2.1."""

    def dead(flags: Sequence[bool]) -> bytes:
        if not any(flags):
            return varint(0)
        bits = sum(1 << i for i, flag in enumerate(flags) if flag)
        return varint(sum(flags)) + bits.to_bytes(-(-len(flags) // 8), "little")

    out = bytes([matrix.view]) + varint(matrix.strip)
    return out + dead(matrix.dead_rows) + dead(matrix.dead_columns)


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
    chunks = [
        encode_chunk(values, part.dtype, tables, p, width)
        for part in parts
        for width, values in part.chunks
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
    matrix = choose_matrix(values, dtype, tuple(shape), tables, profile)
    part = single("", dtype, tuple(shape), values, matrix, profile)
    return write_stream([part], b"", tables, profile, profile.flags)


def encode_mapping(
    arrays: Mapping[str, Array], tables: Sequence[Lengths], profile: Profile
) -> bytes:
    """Encode a mapping of names to arrays (rule 11 of section 8)."""
    matrices = {
        name: choose_matrix(values, dtype, shape, tables, profile)
        for name, (dtype, shape, values) in arrays.items()
    }
    own = {
        name
        for name, (_, _, values) in arrays.items()
        if matrices[name] is not None or (profile.matrix == "exact" and len(values) >= OWN_SEGMENT)
    }
    parts = []
    for dtype in (d.name for d in DTYPES.values()):
        pool = [name for name, array in arrays.items() if array[0] == dtype and name not in own]
        if pool:
            joined = [value for name in pool for value in arrays[name][2]]
            tensors = [(name, arrays[name][1]) for name in pool]
            parts.append(Part(dtype, None, tensors, cut(joined, profile)))
    parts += [
        single(name, *array, matrices[name], profile)
        for name, array in arrays.items()
        if name in own
    ]
    names = list(arrays)
    ranks = b"".join(varint(names.index(name)) for part in parts for name, _ in part.tensors)
    return write_stream(parts, ranks, tables, profile, profile.flags | MAPPING)


def cut(values: Sequence[int], p: Profile) -> list[tuple[int, list[int]]]:
    """Chunks without a matrix."""
    full = 1 << p.log2_chunk
    return [(0, list(values[first : first + full])) for first in range(0, len(values), full)]


def single(
    name: str,
    dtype: str,
    shape: tuple[int, ...],
    values: Sequence[int],
    matrix: Matrix | None,
    p: Profile,
) -> Part:
    """A segment of one tensor."""
    if matrix is None:
        return Part(dtype, None, [(name, shape)], cut(values, p))
    ordered = [values[position] for position in matrix.order()]
    chunks = []
    at = 0
    for count, width in matrix.chunks(1 << p.log2_chunk):
        chunks.append((width, ordered[at : at + count]))
        at += count
    return Part(dtype, matrix, [(name, shape)], chunks)


def choose_matrix(
    values: Sequence[int],
    dtype: str,
    shape: tuple[int, ...],
    tables: Sequence[Lengths],
    p: Profile,
) -> Matrix | None:
    """Rule 10 of section 8: the matrix that a tensor is seen as."""
    if p.matrix == "never" or len(shape) < 2 or not any(values):
        return None
    eight_bits = next(d for d in DTYPES.values() if d.name == dtype).exponent == 8
    if p.matrix == "quick":
        view = 0 if len(shape) >= 3 and shape[1] >= 16 else 1
        rows, columns = extent(shape, view)
        if rows < 32 or columns < 16 or len(values) < 1 << 14:
            return None
        matrix = find_dead(values, shape, view, WIDEST_STRIP)
        if view == 0:
            other = find_dead(values, shape, 1, WIDEST_STRIP)
            matrix = other if 16 * other.live < 15 * matrix.live else matrix
        dead = any(matrix.dead_rows) or any(matrix.dead_columns)
        return matrix if eight_bits or dead else None

    def size(matrix: Matrix | None) -> int:
        part = single("", dtype, shape, values, matrix, p)
        chunks = (encode_chunk(chunk, dtype, tables, p, width) for width, chunk in part.chunks)
        return len(part.fields()) + sum(map(len, chunks))

    if len(values) < OWN_SEGMENT:
        return None
    views = sorted({1, len(shape) - 1} | ({0} if len(shape) >= 3 else set()))
    candidates = [None, *(find_dead(values, shape, view, WIDEST_STRIP) for view in views)]
    return min(candidates, key=size)


def encode_chunk(
    values: Sequence[int], dtype: str, tables: Sequence[Lengths], p: Profile, width: int = 0
) -> bytes:
    """Section 4: the chunk of these bit patterns, as the profile writes it.

    `width` is the columns of its strip, 0 without a matrix.
    """
    d = next(d for d in DTYPES.values() if d.name == dtype)
    short = len(values) < 1 << p.log2_chunk
    count = len(values).to_bytes(4, "little") if short else b""
    plain = b"".join(value.to_bytes(d.bytes, "little") for value in values)
    check = zlib.crc32(plain).to_bytes(4, "little") if p.check else b""
    if not any(values):
        return framed(1 | 1 << 2 | short << 7, count)
    full = 1 << p.log2_chunk
    search = p.matrix == "exact" and not width
    strip = [width] if width else []
    widths = [w for w in WIDTHS if w <= full] if search else strip
    plan = plan_coded(values, d, tables, p)
    if p.scaled and d.exponent == 8:
        plans = [plan, *(plan_scaled(values, d, columns) for columns in widths)]
        if p.signed:
            signed_widths = [w for w in SIGNED_WIDTHS if w <= full] if search else strip
            plans += [plan_signed(values, d, columns, 1) for columns in signed_widths]
        plan = min((found for found in plans if found is not None), key=lambda found: found.cost)
    chunks = [write_chunk(values, plan, widths, count, check, p)]
    for columns in TAPS_WIDTHS if p.signed and search and d.exponent == 8 else ():
        if TAPS * columns <= len(values):
            order = signs.places(len(values), columns, TAPS)
            placed = [values[i] for i in order]
            found = plan_signed(placed, d, columns, TAPS)
            if found is not None:
                chunks.append(write_chunk(placed, found, widths, count, check, p))
    chunk = min(chunks, key=len)
    stored = framed(short << 7, count + plain + check)
    return stored if p.stored and len(chunk) >= len(stored) else chunk


def write_chunk(
    values: Sequence[int],
    plan: Plan,
    widths: Sequence[int],
    count: bytes,
    check: bytes,
    p: Profile,
) -> bytes:
    """A chunk of any form but stored and all zeros; `widths` are those of crosses to try."""
    zeros = sum(value == 0 for value in values)
    tokens = choose_zeros(values, widths, p) if zeros else None
    tail = (1 << p.log2_lanes) - len(check)
    coder = Coder(check + (bytes(tail) + plan.raw)[len(plan.raw) :])
    plan.put(coder)
    if tokens is not None:
        put_tokens(coder, tokens)
    head = tokens.head(len(values) - zeros) if tokens else write_bitmap(values) if zeros else b""
    body = count + head + coder.states() + plan.head + coder.codes()
    zeros_mode = tokens.mode if tokens else BITMAP if zeros else 0
    mode = plan.mode | zeros_mode << 2 | bool(count) << 7
    return framed(mode, body + plan.raw[: max(0, len(plan.raw) - tail)])


def framed(mode: int, body: bytes) -> bytes:
    return bytes([mode]) + (4 + len(body)).to_bytes(3, "little") + body


@dataclass(frozen=True)
class Plan:
    """A form that a chunk's values may take.

    `cost` is rule 8's, in bits; `head` lies between lanes and codes; `put` codes the values.
    """

    mode: int
    cost: int
    head: bytes
    raw: bytes
    put: Callable[[Coder], None]


def plan_coded(values: Sequence[int], d: Dtype, tables: Sequence[Lengths], p: Profile) -> Plan:
    """Form 1: sections 5 and 6."""
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
    differences = [
        [emax - e for e in exponents[span]] for emax, span in zip(maxima, spans, strict=True)
    ]
    chosen, made, bits = choose_tables(differences, tables, d, p)
    headers = [
        (0 if table == RAW else emax, table) for emax, table in zip(maxima, chosen, strict=True)
    ]

    common = choose_trailing([raws[span] for span in spans], d, p)
    trailing = any(common)
    raw = raw_strings(raws, spans, common, d)
    head = bytes([len(made)]) + b"".join(write_lengths(m) for m in made) if made else b""
    head += b"".join(
        emax.to_bytes(d.exponent_bytes, "little") + bytes([table, t] if trailing else [table])
        for (emax, table), t in zip(headers, common, strict=True)
    )
    named = dict(enumerate(tables)) | dict(enumerate(made, DYNAMIC))

    def put(coder: Coder) -> None:
        put_blocks(coder, exponents, spans, headers, d, named)

    mode = 1 | trailing << 5 | bool(made) << 6
    return Plan(mode, bits + 8 * (len(head) + len(raw)), head, raw, put)


def plan_scaled(values: Sequence[int], d: Dtype, width: int) -> Plan | None:
    """Form 2: section 4.4, in rows of `width`; None if the values are beyond it."""
    low = d.mantissa - 1
    nonzero = [value for value in values if value]
    raws = [
        value >> (d.mantissa + d.exponent) << low | value & ((1 << low) - 1) for value in nonzero
    ]
    trailing = trailing_zeros(raws, low)
    halves = [value >> low & 511 if value else None for value in values]
    scaled = scale.scale_values(halves, width, trailing)
    if scaled is None:
        return None
    raw = raw_string(raws, trailing, d.mantissa)
    found = scaled

    def put(coder: Coder) -> None:
        put_scaled(coder, found)

    return Plan(2, scaled.bits + 8 * len(raw), scaled.scale.write(), raw, put)


def plan_signed(values: Sequence[int], d: Dtype, width: int, taps: int) -> Plan | None:
    """Form 3: section 4.5, in rows of `width`; None if the values are beyond it.

    `values` are in the order of the chunk's places.
    """
    low = d.mantissa - 1
    raws = [value & ((1 << low) - 1) for value in values if value]
    trailing = trailing_zeros(raws, low - 1)
    tops = [divmod(value >> low, 512)[::-1] if value else None for value in values]
    signed = signs.sign_values(tops, width, taps, trailing)
    if signed is None:
        return None
    raw = raw_string(raws, trailing, low)
    found = signed

    def put(coder: Coder) -> None:
        put_signed(coder, found)

    return Plan(3, signed.bits + 8 * len(raw), signed.scale.write(), raw, put)


def trailing_zeros(raws: Sequence[int], mantissa: int) -> int:
    """t of rule 3: low mantissa bits that are 0 in every raw part."""
    union = 1 << mantissa
    for raw in raws:
        union |= raw
    return (union & -union).bit_length() - 1


def choose_trailing(blocks: Sequence[Sequence[int]], d: Dtype, p: Profile) -> list[int]:
    """Rule 3 of section 8: t of each block of these raw parts, all 0 if it does not pay."""
    if not p.trailing:
        return [0] * len(blocks)
    common = [trailing_zeros(raws, d.mantissa) for raws in blocks]
    if p.trailing > 1:
        return [min(common) // p.trailing * p.trailing] * len(blocks)
    saved = sum(
        len(raw_string(raws, 0, d.mantissa + 1)) - len(raw_string(raws, t, d.mantissa + 1))
        for raws, t in zip(blocks, common, strict=True)
    )
    return common if saved > len(blocks) else [0] * len(blocks)


def raw_strings(raws: Sequence[int], spans: list[slice], common: list[int], d: Dtype) -> bytes:
    """Section 5.1: all blocks' bit strings, joined."""
    joined = b""
    for span, t in zip(spans, common, strict=True):
        joined += raw_string(raws[span], t, d.mantissa + 1)
    return joined


def raw_string(raws: Sequence[int], t: int, part_bits: int) -> bytes:
    """Section 5.1: a block's bit string, its raw parts of `part_bits` without the lower t."""
    w = part_bits - t
    bits = sum(raw >> t << (i * w) for i, raw in enumerate(raws))
    return bits.to_bytes(-(-len(raws) * w // 8), "little")


def put_blocks(
    coder: Coder,
    exponents: Sequence[int],
    spans: Sequence[slice],
    headers: Sequence[tuple[int, int]],
    d: Dtype,
    tables: Mapping[int, Lengths],
) -> None:
    """Section 6, last value first."""
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


def put_scaled(coder: Coder, scaled: scale.Scaled) -> None:
    """Section 4.4, last value first, then the offsets, last row first."""
    tables = [codewords(lengths) for lengths in scaled.scale.tables]
    for column, table, d in reversed(scaled.steps):
        symbol = scale.CENTRE - d
        if not 0 <= symbol < scale.ESCAPE or symbol not in tables[table]:
            coder.put_bytes(d, 1)
            symbol = scale.ESCAPE
        coder.put(column, symbol, tables[table])
    put_offsets(coder, scaled.scale.offset_table, scaled.offsets)


def put_signed(coder: Coder, signed: signs.Signed) -> None:
    """Section 4.5: values, senses and offsets, each the last first."""
    tables = [codewords(lengths) for lengths in signed.scale.tables]
    for column, table, d, a in reversed(signed.steps):
        symbol = 2 * (scale.CENTRE - d) + a
        if not 0 <= symbol < signs.ESCAPE or symbol not in tables[table]:
            coder.put_bytes(2 * d + a, 1)
            symbol = signs.ESCAPE
        coder.put(column, symbol, tables[table])
    codes = codewords(signed.scale.sense_table)
    for row, sense in reversed(list(enumerate(signed.senses))):
        symbol = sense
        if symbol not in codes:
            coder.put_bytes(sense, 1)
            symbol = signs.SENSE_ESCAPE
        coder.put(row, symbol, codes)
    put_offsets(coder, signed.scale.offset_table, signed.offsets)


def put_offsets(coder: Coder, table: Lengths, offsets: Sequence[int]) -> None:
    """Section 4.4: all offsets but the first, last row first."""
    codes = codewords(table)
    symbols = scale.offset_symbols(offsets)
    for j, symbol in reversed(list(enumerate(symbols))):
        if symbol == scale.OFFSET_ESCAPE or symbol not in codes:
            coder.put_bytes(offsets[j + 1], 2)
            symbol = scale.OFFSET_ESCAPE
        coder.put(j, symbol, codes)


def put_tokens(coder: Coder, tokens: Tokens) -> None:
    """Section 4.2, last token first."""
    words = [codewords(table) for table in tokens.tables]
    for j, c in reversed(list(enumerate(tokens.classes))):
        symbol = c
        if c >= ESCAPE or c not in words[j % 2]:
            coder.put_bytes(c, 1)
            symbol = ESCAPE
        coder.put(j, symbol, words[j % 2])
