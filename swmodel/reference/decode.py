# SPDX-License-Identifier: Apache-2.0
"""A decoder in the order of FORMAT.md: plain, one value at a time, every refusal spelled out.

Sections 4 to 7 and whole streams; header.py, matrix.py and zeros.py have sections 1, 2 and 4.1.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reference import scale, signs
from reference.header import FOOTER, MAPPING, Header, Segment, read_footer, read_header
from reference.lanes import (
    Decoder,
    check_lanes,
    read_lanes,
    read_payload,
    read_raw,
    split_codes,
)
from reference.reader import CORRUPT, MODE, TRUNCATED, Dtype, Reader, Refused
from reference.tables import ESCAPE, Lengths, read_lengths
from reference.zeros import BITMAP, KNOWN_RUNS, MAX_CLASS, Runs, join_runs, read_bitmap, read_runs

RAW = 255
DYNAMIC = 128


def read_chunk(
    r: Reader, expected: int, h: Header, d: Dtype, tables: Sequence[Lengths]
) -> list[int]:
    """Section 4: the bit patterns of one chunk of `expected` values."""
    start = r.at
    mode = r.integer(1, "mode")
    size = r.integer(3, "size")
    if size < 4:
        raise Refused(CORRUPT, "size", start + 1, f"{size} is less than the chunk's own header")
    if size > len(r.data) - start:
        raise Refused(
            TRUNCATED,
            "size",
            start + 1,
            f"the chunk has {size} bytes, {len(r.data) - start} are left",
        )
    body = Reader(r.data, r.at, start + size, CORRUPT)
    r.at = start + size
    form, zeros = mode & 3, mode >> 2 & 7
    trailing, dynamic, short = (bool(mode >> bit & 1) for bit in (5, 6, 7))
    if form > (1 if h.version == 1 else 3):
        raise Refused(MODE, "mode", start, f"form {form} is reserved")
    if form == 0 and mode & 0x7C:
        raise Refused(CORRUPT, "mode", start, "a stored chunk has no other mode bits")
    if zeros > (BITMAP if h.version == 1 else KNOWN_RUNS):
        raise Refused(MODE, "mode", start, f"zeros {zeros} is reserved")
    if zeros == 1 and mode & 0x63 != 1:
        raise Refused(CORRUPT, "mode", start, "an all-zero chunk has no other mode bits")
    if form >= 2 and (mode & 0x60 or d.exponent != 8):
        raise Refused(CORRUPT, "mode", start, "a scaled or signed chunk of this kind cannot be")
    if dynamic and h.version == 1:
        raise Refused(MODE, "mode", start, "dynamic tables are reserved")
    count = 1 << h.log2_chunk
    if short:
        count = body.integer(4, "count")
        if not 0 < count < 1 << h.log2_chunk:
            raise Refused(CORRUPT, "count", body.at - 4, f"{count} values in a short chunk")
    if count != expected:
        raise Refused(
            CORRUPT, "count", start, f"{count} values where the directory implies {expected}"
        )

    width = d.bytes
    if form == 0:
        if body.end - body.at != count * width + (4 if h.check else 0):
            raise Refused(CORRUPT, "size", start + 1, "a stored chunk of another size")
        plain = body.take(count * width, "values")
        if h.check and body.integer(4, "check") != zlib.crc32(plain):
            raise Refused(CORRUPT, "check", body.at - 4, "the values do not match their check")
        return [int.from_bytes(plain[i : i + width], "little") for i in range(0, len(plain), width)]
    if zeros == 1:
        if body.at != body.end:
            raise Refused(CORRUPT, "size", start + 1, "an all-zero chunk with a body")
        return [0] * count

    full = 1 << h.log2_chunk
    runs = read_runs(body, count, full, zeros) if zeros > BITMAP else None
    is_zero = read_bitmap(body, count) if zeros == BITMAP else [False] * count
    if form >= 2:
        return read_rows(body, is_zero, runs, form == 3, h, d)
    return read_nonzeros(body, is_zero, runs, trailing, dynamic, h, d, tables)


@dataclass(frozen=True)
class Block:
    """A block's header (section 5)."""

    emax: int
    table: int
    trailing: int
    count: int


def read_tables(r: Reader) -> list[Lengths]:
    """Section 4.3."""
    count = r.integer(1, "table_count")
    if not 0 < count <= 64:
        raise Refused(CORRUPT, "table_count", r.at - 1, f"{count} tables")
    return [read_lengths(r, "tables") for _ in range(count)]


def read_blocks(
    r: Reader, nonzeros: int, trailing: bool, h: Header, d: Dtype, tables: Mapping[int, Lengths]
) -> list[Block]:
    """Section 5. `tables` are those that a block may name."""
    blocks = []
    full = 1 << h.log2_block
    for first in range(0, nonzeros, full):
        at = r.at
        emax = r.integer(d.exponent_bytes, "emax")
        table = r.integer(1, "table")
        t = r.integer(1, "trailing") if trailing else 0
        after = at + d.exponent_bytes
        if h.version == 1 and DYNAMIC <= table < RAW:
            raise Refused(MODE, "table", after, "dynamic tables are reserved")
        if table != RAW and table not in tables:
            raise Refused(CORRUPT, "table", after, f"there is no table {table}")
        if emax >> d.exponent or (table == RAW and emax):
            raise Refused(CORRUPT, "emax", at, f"{emax} cannot be")
        if t > d.mantissa:
            raise Refused(CORRUPT, "trailing", after + 1, f"{t} bits of {d.mantissa}")
        blocks.append(Block(emax, table, t, min(full, nonzeros - first)))
    return blocks


def read_nonzeros(
    r: Reader,
    is_zero: list[bool],
    runs: Runs | None,
    trailing: bool,
    dynamic: bool,
    h: Header,
    d: Dtype,
    tables: Sequence[Lengths],
) -> list[int]:
    """Sections 4.3 to 7: lanes, tables, blocks, codes and raw parts, joined with the zeros."""
    nonzeros = is_zero.count(False) if runs is None else runs.nonzeros
    lanes_at = r.at
    lanes = read_lanes(r, h)
    named = dict(enumerate(tables))
    if dynamic:
        named |= dict(enumerate(read_tables(r), DYNAMIC))
    blocks = read_blocks(r, nonzeros, trailing, h, d, named)

    widths = [d.mantissa + 1 - block.trailing for block in blocks]
    raw_bytes = sum(-(-block.count * w // 8) for block, w in zip(blocks, widths, strict=True))
    codes, raw_at = split_codes(r, raw_bytes, h)
    start = codes.at
    classes = read_classes(codes, lanes, runs) if runs is not None else []
    exponents = read_exponents(codes, lanes, blocks, d, named)
    check_lanes(codes, start, lanes)
    if runs is not None:
        is_zero = join_runs(runs, classes, len(is_zero))
    check, raw = read_payload(r, lanes, lanes_at, raw_at, raw_bytes, h)

    values: list[int] = []
    at = 0
    for block, w in zip(blocks, widths, strict=True):
        used = -(-block.count * w // 8)
        place = min(raw_at + at, r.end)  # a block may lie in the lanes whole
        for part in read_raw(raw[at : at + used], place, block.count, w):
            sign, mantissa = divmod(part << block.trailing, 1 << d.mantissa)
            exponent = exponents[len(values)]
            values.append((sign << d.exponent | exponent) << d.mantissa | mantissa)
        at += used
    return joined(values, is_zero, check, lanes_at, d)


def read_rows(
    r: Reader, is_zero: list[bool], runs: Runs | None, signed: bool, h: Header, d: Dtype
) -> list[int]:
    """Sections 4.4 and 4.5."""
    nonzeros = is_zero.count(False) if runs is None else runs.nonzeros
    lanes_at = r.at
    lanes = read_lanes(r, h)
    full = 1 << h.log2_chunk
    s = signs.read_signed_scale(r, d, full) if signed else scale.read_scale(r, d, full)
    w = d.mantissa - signed - s.trailing
    raw_bytes = -(-nonzeros * w // 8)
    codes, raw_at = split_codes(r, raw_bytes, h)
    start = codes.at
    classes = read_classes(codes, lanes, runs) if runs is not None else []
    rows = -(-len(is_zero) // s.width)
    offsets = read_offsets(codes, lanes, s, rows)
    senses = read_senses(codes, lanes, s, rows) if isinstance(s, signs.SignedScale) else []
    if runs is not None:
        is_zero = join_runs(runs, classes, len(is_zero))
    low = d.mantissa - 1
    if isinstance(s, signs.SignedScale):
        tops = read_signed_halves(codes, lanes, s, offsets, senses, is_zero)
    else:
        tops = read_half_octaves(codes, lanes, s, offsets, is_zero)
    check_lanes(codes, start, lanes)
    check, raw = read_payload(r, lanes, lanes_at, raw_at, raw_bytes, h)

    values = []
    for top, part in zip(tops, read_raw(raw, raw_at, nonzeros, w), strict=True):
        sign, mantissa = divmod(part << s.trailing, 1 << low)
        values.append((sign << (d.exponent + 1) | top) << low | mantissa)
    if not isinstance(s, signs.SignedScale):
        return joined(values, is_zero, check, lanes_at, d)
    order = signs.places(len(is_zero), s.width, s.taps)
    return joined(values, is_zero, check, lanes_at, d, order)


def joined(
    values: Sequence[int],
    is_zero: Sequence[bool],
    check: bytes,
    lanes_at: int,
    d: Dtype,
    order: Sequence[int] | None = None,
) -> list[int]:
    """The values with the zeros between them, checked.

    `order` says where in memory each lies, if not in order.
    """
    following = iter(values)
    whole = [0 if zero else next(following) for zero in is_zero]
    if order is not None:
        placed = dict(zip(order, whole, strict=True))
        whole = [placed[i] for i in range(len(whole))]
    plain = b"".join(value.to_bytes(d.bytes, "little") for value in whole)
    if check and int.from_bytes(check, "little") != zlib.crc32(plain):
        raise Refused(CORRUPT, "check", lanes_at, "the values do not match their check")
    return whole


def read_classes(codes: Reader, lanes: list[int], runs: Runs) -> list[int]:
    """The classes of section 4.2."""
    decoders = [Decoder(table) for table in runs.tables]
    classes = []
    for token in range(2 * runs.pairs):
        c = decoders[token % 2].take(lanes, token % len(lanes), codes)
        if c == ESCAPE:
            c = codes.integer(1, "codes")
        if c > MAX_CLASS:
            raise Refused(CORRUPT, "codes", codes.at, f"class {c} cannot be")
        classes.append(c)
    return classes


def read_offsets(
    codes: Reader, lanes: list[int], s: scale.Scale | signs.SignedScale, rows: int
) -> list[int]:
    """Section 4.4: the offset of every row."""
    decoder = Decoder(s.offset_table)
    offsets = [s.first_offset]
    for row in range(1, rows):
        symbol = decoder.take(lanes, (row - 1) % len(lanes), codes)
        if symbol == scale.OFFSET_ESCAPE:
            offset = int.from_bytes(codes.take(2, "codes"), "little", signed=True)
        else:
            offset = offsets[-1] + symbol - 7
        if not scale.LOWEST_OFFSET <= offset <= scale.HIGHEST_OFFSET:
            raise Refused(CORRUPT, "codes", codes.at, f"offset {offset} cannot be")
        offsets.append(offset)
    return offsets


def read_half_octaves(
    codes: Reader, lanes: list[int], s: scale.Scale, offsets: Sequence[int], is_zero: list[bool]
) -> list[int]:
    """Section 4.4: h of the values that are not zero."""
    decoders = [Decoder(table) for table in s.tables]
    columns = scale.Columns(s.width)
    half_octaves = []
    for i, zero in enumerate(is_zero):
        if zero:
            continue
        row, column = divmod(i, s.width)
        p = columns.prediction(column, offsets[row])
        q = p + 4 >> 3
        symbol = decoders[q % 2].take(lanes, column % len(lanes), codes)
        if symbol == scale.ESCAPE:
            d = int.from_bytes(codes.take(1, "codes"), "little", signed=True)
        else:
            d = scale.CENTRE - symbol
        if not 0 <= q + d < 512:
            raise Refused(CORRUPT, "codes", codes.at, f"half octave {q + d} cannot be")
        columns.learn(column, row, p, q + d)
        half_octaves.append(q + d)
    return half_octaves


def read_senses(codes: Reader, lanes: list[int], s: signs.SignedScale, rows: int) -> list[int]:
    """Section 4.5: the sense of every row, as a symbol."""
    decoder = Decoder(s.sense_table)
    senses = []
    for row in range(rows):
        symbol = decoder.take(lanes, row % len(lanes), codes)
        if symbol == signs.SENSE_ESCAPE:
            symbol = codes.integer(1, "codes")
        if symbol > 2 * signs.STRONGEST + 1:
            raise Refused(CORRUPT, "codes", codes.at, f"sense {symbol} cannot be")
        senses.append(symbol)
    return senses


def read_signed_halves(
    codes: Reader,
    lanes: list[int],
    s: signs.SignedScale,
    offsets: Sequence[int],
    senses: Sequence[int],
    is_zero: list[bool],
) -> list[int]:
    """Section 4.5: sign and h of the values that are not zero, 2^9 sign + h."""
    decoders = [Decoder(table) for table in s.tables]
    columns, leans = scale.Columns(s.width), signs.Leans(s.width)
    tops = []
    for i, zero in enumerate(is_zero):
        if zero:
            continue
        row, column = divmod(i, s.width)
        strength, sense = divmod(senses[row], 2)
        p = columns.prediction(column, offsets[row])
        q = p + 4 >> 3
        table = decoders[leans.table(column, strength)]
        symbol = table.take(lanes, column % len(lanes), codes)
        if symbol == signs.ESCAPE:
            d, a = divmod(int.from_bytes(codes.take(1, "codes"), "little", signed=True), 2)
        else:
            d, a = scale.CENTRE - symbol // 2, symbol % 2
        if not 0 <= q + d < 512:
            raise Refused(CORRUPT, "codes", codes.at, f"half octave {q + d} cannot be")
        sign = leans.agree(column, sense, a)
        columns.learn(column, row, p, q + d)
        leans.learn(column, sense, sign)
        tops.append(sign << 9 | q + d)
    return tops


def read_exponents(
    codes: Reader, lanes: list[int], blocks: list[Block], d: Dtype, tables: Mapping[int, Lengths]
) -> list[int]:
    """Section 6. `lanes` is left in the final states."""
    decoders = {t: Decoder(tables[t]) for t in {block.table for block in blocks} - {RAW}}
    exponents: list[int] = []
    for block in blocks:
        for _ in range(block.count):
            symbol = ESCAPE
            if block.table != RAW:
                k = len(exponents) % len(lanes)
                symbol = decoders[block.table].take(lanes, k, codes)
            if symbol == ESCAPE:
                exponent = codes.integer(d.exponent_bytes, "codes")
            else:
                exponent = block.emax - symbol
            if not 0 <= exponent < 1 << d.exponent:
                raise Refused(CORRUPT, "codes", codes.at, f"exponent {exponent} cannot be")
            exponents.append(exponent)
    return exponents


def read_segment(
    r: Reader, segment: Segment, h: Header, tables: Sequence[Lengths], sizes: list[int]
) -> list[list[int]]:
    """The bit patterns of a segment's tensors; the sizes of its chunks go to `sizes`."""
    values: list[int] = []
    for count in segment.chunks(1 << h.log2_chunk):
        start = r.at
        values += read_chunk(r, count, h, segment.dtype, tables)
        sizes.append(r.at - start)
    if segment.matrix is not None:
        (tensor,) = segment.tensors
        whole = [0] * tensor.values
        for position, value in zip(segment.matrix.order(), values, strict=True):
            whole[position] = value
        return [whole]
    tensors = []
    for tensor in segment.tensors:
        tensors.append(values[: tensor.values])
        values = values[tensor.values :]
    return tensors


Array = tuple[str, tuple[int, ...], list[int]]
"""The type's name, the shape, and the values' bit patterns in C order."""


def decode(data: bytes, tables: Sequence[Lengths]) -> Array | dict[str, Array]:
    """Decode a stream: an array, or a mapping of names to arrays if the stream is one.

    Raises Refused for every stream that FORMAT.md refuses.
    """
    r = Reader(data)
    h = read_header(r, tables)
    body = r.at
    sizes: list[int] = []
    found = []
    for segment in h.segments:
        patterns = read_segment(r, segment, h, tables, sizes)
        for tensor, values in zip(segment.tensors, patterns, strict=True):
            found.append((tensor.rank, tensor.name, (segment.dtype.name, tensor.shape, values)))
    if h.flags & FOOTER:
        read_footer(r, sizes, data[body : r.at])
    if r.at != len(data):
        raise Refused(CORRUPT, "trailing", r.at, f"{len(data) - r.at} bytes after the last chunk")
    found.sort(key=lambda entry: entry[0])
    if h.flags & MAPPING:
        return {name: array for _, name, array in found}
    return found[0][2]
