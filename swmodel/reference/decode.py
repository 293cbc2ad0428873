# SPDX-License-Identifier: Apache-2.0
"""A decoder in the order of FORMAT.md: plain, one value at a time, every refusal spelled out."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from reference.tables import ESCAPE, Lengths, codewords, identity, reverse

MAGIC = b"\x8fELZ"
CORRUPT, TRUNCATED, VERSION, MODE, TABLE = "corrupt", "truncated", "version", "mode", "table"


class Refused(ValueError):
    """The stream may not be decoded: `cause` (a constant above), `field`, byte `offset`."""

    def __init__(self, cause: str, field: str, offset: int, why: str) -> None:
        super().__init__(f"{cause}: {field} at byte {offset}: {why}")
        self.cause, self.field, self.offset = cause, field, offset


@dataclass(frozen=True)
class Dtype:
    """A row of the dtype table of section 2: exponent bits, mantissa bits, bytes a value."""

    name: str
    exponent: int
    mantissa: int
    bytes: int


DTYPES = {
    1: Dtype("fp32", 8, 23, 4),
    2: Dtype("bf16", 8, 7, 2),
    3: Dtype("fp16", 5, 10, 2),
}


class Reader:
    """Takes integers from bytes `at` .. `end`; running out is a refusal with the field's name."""

    def __init__(
        self, data: bytes, at: int = 0, end: int | None = None, short: str = TRUNCATED
    ) -> None:
        self.data, self.at, self.end, self.short = (
            data,
            at,
            len(data) if end is None else end,
            short,
        )

    def take(self, size: int, field: str) -> bytes:
        if size > self.end - self.at:
            raise Refused(
                self.short, field, self.at, f"needs {size} bytes, {self.end - self.at} are left"
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def integer(self, size: int, field: str) -> int:
        return int.from_bytes(self.take(size, field), "little")

    def varint(self, field: str) -> int:
        start, value = self.at, 0
        for group in range(9):
            byte = self.integer(1, field)
            value |= (byte & 127) << (7 * group)
            if byte < 128:
                if byte == 0 and group:
                    raise Refused(CORRUPT, field, start, "varint is not in shortest form")
                return value
        raise Refused(CORRUPT, field, start, "varint exceeds 2^63 - 1")


@dataclass(frozen=True)
class Header:
    """Sections 1 and 2, for the one segment of one tensor that version 1 writers produce so far."""

    log2_chunk: int
    log2_block: int
    log2_lanes: int
    check: int
    dtype: Dtype
    shape: tuple[int, ...]

    @property
    def values(self) -> int:
        count = 1
        for dimension in self.shape:
            count *= dimension
        return count

    @property
    def tail(self) -> int:
        """T of section 5.1: raw bytes that travel in the lanes."""
        return (1 << self.log2_lanes) - (4 if self.check else 0)


def read_header(r: Reader, tables: Sequence[Lengths]) -> Header:
    """Section 1."""

    def ranged(field: str, low: int, high: int) -> int:
        value = r.integer(1, field)
        if not low <= value <= high:
            raise Refused(CORRUPT, field, r.at - 1, f"{value} is outside {low}..{high}")
        return value

    def only(field: str, allowed: tuple[int, ...]) -> int:
        value = r.integer(1, field)
        if value not in allowed:
            raise Refused(MODE, field, r.at - 1, f"{value} is reserved")
        return value

    if r.take(4, "magic") != MAGIC:
        raise Refused(CORRUPT, "magic", 0, "not an Entrolith stream")
    version = r.integer(1, "version")
    if version != 1:
        raise Refused(VERSION, "version", 4, f"version {version}; this decoder reads 1")
    probe = Reader(r.data, 20)
    end = 24 + probe.integer(4, "directory_bytes")
    probe = Reader(r.data, 24)
    probe.take(end - 24, "directory")
    if probe.integer(4, "header_check") != zlib.crc32(r.data[:end]):
        raise Refused(CORRUPT, "header_check", end, "does not match the header")
    only("kind", (1,))
    log2_chunk = ranged("log2_chunk", 9, 15)
    log2_block = ranged("log2_block", 5, log2_chunk)
    log2_lanes = ranged("log2_lanes", 3, 6)
    check = only("check", (0, 1))
    only("flags", (0,))
    only("flags2", (0,))
    if r.take(8, "table_set") != identity(tables):
        raise Refused(TABLE, "table_set", 12, "names a table set that is not at hand")
    r.take(4, "directory_bytes")
    dtype, shape = read_directory(Reader(r.data, r.at, end, CORRUPT))
    r.at = end + 4
    return Header(log2_chunk, log2_block, log2_lanes, check, dtype, shape)


def read_directory(r: Reader) -> tuple[Dtype, tuple[int, ...]]:
    """Section 2."""
    if r.varint("segment_count") != 1:
        raise Refused(MODE, "segment_count", r.at, "more or less than one segment")
    code = r.integer(1, "dtype")
    if not 1 <= code <= 6:
        raise Refused(CORRUPT, "dtype", r.at - 1, f"{code} is no type")
    if code not in DTYPES:
        raise Refused(MODE, "dtype", r.at - 1, f"{code} is reserved")
    predictor = r.integer(1, "predictor")
    if predictor > 4:
        raise Refused(CORRUPT, "predictor", r.at - 1, f"{predictor} is no predictor")
    if predictor:
        raise Refused(MODE, "predictor", r.at - 1, f"{predictor} is reserved")
    if r.varint("parameter_bytes"):
        raise Refused(CORRUPT, "parameter_bytes", r.at, "predictor 0 has no parameters")
    if r.varint("tensor_count") != 1:
        raise Refused(MODE, "tensor_count", r.at, "more or less than one tensor")
    name = r.take(r.varint("name_bytes"), "name")
    try:
        name.decode()
    except UnicodeDecodeError:
        raise Refused(CORRUPT, "name", r.at, "not UTF-8") from None
    if name:
        raise Refused(MODE, "name", r.at, "named tensors")
    ndim = r.varint("ndim")
    if ndim > 32:
        raise Refused(CORRUPT, "ndim", r.at, f"{ndim} is above 32")
    shape = tuple(r.varint("dimension") for _ in range(ndim))
    count = 1
    for dimension in sorted(shape):  # a zero first: a product of huge dimensions may still be 0
        count *= dimension
        if count > 1 << 48:
            raise Refused(CORRUPT, "dimension", r.at, "more than 2^48 values")
    if r.at != r.end:
        raise Refused(CORRUPT, "directory_bytes", r.at, "the directory ends early")
    return DTYPES[code], shape


def read_chunk(r: Reader, expected: int, h: Header, tables: Sequence[Lengths]) -> list[int]:
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
    if form > 1:
        raise Refused(MODE, "mode", start, f"form {form} is reserved")
    if form == 0 and mode & 0x7C:
        raise Refused(CORRUPT, "mode", start, "a stored chunk has no other mode bits")
    if zeros > 2:
        raise Refused(MODE, "mode", start, f"zeros {zeros} is reserved")
    if zeros == 1 and mode & 0x60:
        raise Refused(CORRUPT, "mode", start, "an all-zero chunk has no other mode bits")
    if dynamic:
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

    width = h.dtype.bytes
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

    is_zero = read_zeros(body, count) if zeros == 2 else [False] * count
    return read_nonzeros(body, is_zero, trailing, h, tables)


def read_zeros(r: Reader, count: int) -> list[bool]:
    """Section 4.1."""
    start = r.at
    words = -(-count // 32)
    summary = r.integer(4 * -(-words // 32), "zeros")
    if summary >> words:
        raise Refused(CORRUPT, "zeros", start, "the summary names words beyond the chunk")
    bitmap = 0
    for w in range(words):
        if summary >> w & 1:
            word = r.integer(4, "zeros")
            if word == 0:
                raise Refused(CORRUPT, "zeros", r.at - 4, "an empty word is stored")
            bitmap |= word << (32 * w)
    if bitmap >> count:
        raise Refused(CORRUPT, "zeros", r.at - 4, "a bit beyond the chunk is set")
    if bitmap == 0:
        raise Refused(CORRUPT, "zeros", start, "a bitmap without a zero")
    if bitmap == (1 << count) - 1:
        raise Refused(CORRUPT, "zeros", start, "every value is zero")
    return [bool(bitmap >> i & 1) for i in range(count)]


@dataclass(frozen=True)
class Block:
    """A block's header (section 5)."""

    emax: int
    table: int
    trailing: int
    count: int


def read_blocks(
    r: Reader, nonzeros: int, trailing: bool, h: Header, tables: Sequence[Lengths]
) -> list[Block]:
    """Section 5."""
    blocks = []
    full = 1 << h.log2_block
    for first in range(0, nonzeros, full):
        at = r.at
        emax = r.integer(1, "emax")
        table = r.integer(1, "table")
        t = r.integer(1, "trailing") if trailing else 0
        if 128 <= table < 255:
            raise Refused(MODE, "table", at + 1, "dynamic tables are reserved")
        if table != 255 and table >= len(tables):
            raise Refused(CORRUPT, "table", at + 1, f"table {table} of {len(tables)}")
        if emax >> h.dtype.exponent or (table == 255 and emax):
            raise Refused(CORRUPT, "emax", at, f"{emax} cannot be")
        if t > h.dtype.mantissa:
            raise Refused(CORRUPT, "trailing", at + 2, f"{t} bits of {h.dtype.mantissa}")
        blocks.append(Block(emax, table, t, min(full, nonzeros - first)))
    return blocks


def read_nonzeros(
    r: Reader, is_zero: list[bool], trailing: bool, h: Header, tables: Sequence[Lengths]
) -> list[int]:
    """Sections 5 to 7: lanes, blocks, codes and raw parts, joined with the zeros."""
    nonzeros = is_zero.count(False)
    lane_count = 1 << h.log2_lanes
    lanes_at = r.at
    lanes = [r.integer(2, "lanes") for _ in range(lane_count)]
    for k, state in enumerate(lanes):
        if state < 256:
            raise Refused(CORRUPT, "lanes", lanes_at + 2 * k, f"state {state} is below 256")
    blocks = read_blocks(r, nonzeros, trailing, h, tables)

    widths = [h.dtype.mantissa + 1 - block.trailing for block in blocks]
    raw_bytes = sum(-(-block.count * w // 8) for block, w in zip(blocks, widths, strict=True))
    stored = max(0, raw_bytes - h.tail)
    raw_at = r.end - stored
    if raw_at < r.at:
        raise Refused(CORRUPT, "size", r.at, "the chunk is too small for its raw parts")
    codes = Reader(r.data, r.at, raw_at, CORRUPT)
    exponents = read_exponents(codes, lanes, blocks, h, tables)

    payload = bytes(state & 255 for state in lanes)
    check, payload = (payload[:4], payload[4:]) if h.check else (b"", payload)
    held = min(h.tail, raw_bytes)
    if any(payload[: h.tail - held]):
        raise Refused(CORRUPT, "lanes", lanes_at, "payload bytes without raw bytes are not 0")
    raw = r.data[raw_at : r.end] + payload[h.tail - held :]

    values: list[int] = []
    at = 0
    for block, w in zip(blocks, widths, strict=True):
        used = -(-block.count * w // 8)
        bits = int.from_bytes(raw[at : at + used], "little")
        if bits >> (block.count * w):
            raise Refused(CORRUPT, "raw", raw_at + at, "unused bits of a block are not 0")
        at += used
        for i in range(block.count):
            part = (bits >> (i * w) & ((1 << w) - 1)) << block.trailing
            sign, mantissa = part >> h.dtype.mantissa, part & ((1 << h.dtype.mantissa) - 1)
            exponent = exponents[len(values)]
            values.append((sign << h.dtype.exponent | exponent) << h.dtype.mantissa | mantissa)

    following = iter(values)
    joined = [0 if zero else next(following) for zero in is_zero]
    plain = b"".join(value.to_bytes(h.dtype.bytes, "little") for value in joined)
    if h.check and int.from_bytes(check, "little") != zlib.crc32(plain):
        raise Refused(CORRUPT, "check", lanes_at, "the values do not match their check")
    return joined


def read_exponents(
    codes: Reader, lanes: list[int], blocks: list[Block], h: Header, tables: Sequence[Lengths]
) -> list[int]:
    """Section 6. `lanes` is left in the final states."""
    start = codes.at
    decoders = [
        {(length, reverse(code, length)): symbol for symbol, (length, code) in codewords(t).items()}
        for t in tables
    ]
    exponents: list[int] = []
    for block in blocks:
        for _ in range(block.count):
            if block.table == 255:
                exponent = codes.integer(1, "codes")
            else:
                k = len(exponents) % len(lanes)
                x, decoder = lanes[k], decoders[block.table]
                length = next(n for n in range(1, 9) if (n, x & ((1 << n) - 1)) in decoder)
                symbol = decoder[length, x & ((1 << length) - 1)]
                x >>= length
                if x < 256:
                    x = x << 8 | codes.integer(1, "codes")
                lanes[k] = x
                exponent = codes.integer(1, "codes") if symbol == ESCAPE else block.emax - symbol
            if not 0 <= exponent < 1 << h.dtype.exponent:
                raise Refused(CORRUPT, "codes", codes.at, f"exponent {exponent} cannot be")
            exponents.append(exponent)
    if codes.at != codes.end:
        raise Refused(CORRUPT, "codes", codes.at, f"{codes.end - codes.at} bytes are left over")
    for k, state in enumerate(lanes):
        if state >= 512:
            raise Refused(CORRUPT, "codes", start, f"lane {k} ends in state {state}")
    return exponents


def decode(data: bytes, tables: Sequence[Lengths]) -> tuple[str, tuple[int, ...], list[int]]:
    """Decode a stream: the type's name, the shape, and the values' bit patterns in C order.

    Raises Refused for every stream that FORMAT.md refuses.
    """
    r = Reader(data)
    h = read_header(r, tables)
    values: list[int] = []
    chunk = 1 << h.log2_chunk
    while len(values) < h.values:
        values += read_chunk(r, min(chunk, h.values - len(values)), h, tables)
    if r.at != len(data):
        raise Refused(CORRUPT, "trailing", r.at, f"{len(data) - r.at} bytes after the last chunk")
    return h.dtype.name, h.shape, values
