# SPDX-License-Identifier: Apache-2.0
"""Sections 5.1 and 6 of FORMAT.md: lanes, their codes, and the raw parts that travel in them."""

from __future__ import annotations

from collections.abc import Sequence

from reference.header import Header
from reference.reader import CORRUPT, Reader, Refused
from reference.tables import Lengths, codewords, reverse


def read_lanes(r: Reader, h: Header) -> list[int]:
    """Section 6: the initial states."""
    start = r.at
    lanes = [r.integer(2, "lanes") for _ in range(1 << h.log2_lanes)]
    for k, state in enumerate(lanes):
        if state < 256:
            raise Refused(CORRUPT, "lanes", start + 2 * k, f"state {state} is below 256")
    return lanes


def split_codes(r: Reader, raw_bytes: int, h: Header) -> tuple[Reader, int]:
    """Section 5.1: the codes that `r` has come to, and where the raw part begins."""
    raw_at = r.end - max(0, raw_bytes - h.tail)
    if raw_at < r.at:
        raise Refused(CORRUPT, "size", r.at, "the chunk is too small for its raw parts")
    return Reader(r.data, r.at, raw_at, CORRUPT), raw_at


def check_lanes(codes: Reader, start: int, lanes: Sequence[int]) -> None:
    """Section 6, at the end."""
    if codes.at != codes.end:
        raise Refused(CORRUPT, "codes", codes.at, f"{codes.end - codes.at} bytes are left over")
    for k, state in enumerate(lanes):
        if state >= 512:
            raise Refused(CORRUPT, "codes", start, f"lane {k} ends in state {state}")


def read_payload(
    r: Reader, lanes: Sequence[int], lanes_at: int, raw_at: int, raw_bytes: int, h: Header
) -> tuple[bytes, bytes]:
    """Section 6: the check value (empty if there is none) and all raw bytes."""
    payload = bytes(state & 255 for state in lanes)
    check, payload = (payload[:4], payload[4:]) if h.check else (b"", payload)
    held = min(h.tail, raw_bytes)
    if any(payload[: h.tail - held]):
        raise Refused(CORRUPT, "lanes", lanes_at, "payload bytes without raw bytes are not 0")
    return check, r.data[raw_at : r.end] + payload[h.tail - held :]


def read_raw(raw: bytes, at: int, count: int, w: int) -> list[int]:
    """Section 5.1: the raw parts of a block."""
    bits = int.from_bytes(raw, "little")
    if bits >> (count * w):
        raise Refused(CORRUPT, "raw", at, "unused bits of a block are not 0")
    return [bits >> (i * w) & ((1 << w) - 1) for i in range(count)]


class Decoder:
    """A table as section 6 reads it: codewords by length and reversed bits."""

    def __init__(self, lengths: Lengths) -> None:
        self.symbols = {
            (length, reverse(code, length)): symbol
            for symbol, (length, code) in codewords(lengths).items()
        }

    def take(self, lanes: list[int], k: int, codes: Reader) -> int:
        """Steps 2 and 3 of section 6 in lane k: the symbol."""
        x = lanes[k]
        length = next(n for n in range(1, 9) if (n, x & ((1 << n) - 1)) in self.symbols)
        symbol = self.symbols[length, x & ((1 << length) - 1)]
        x >>= length
        if x < 256:
            x = x << 8 | codes.integer(1, "codes")
        lanes[k] = x
        return symbol


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
        self.reversed += (number & (1 << 8 * size) - 1).to_bytes(size, "big")

    def states(self) -> bytes:
        """The part `lanes`."""
        return b"".join(state.to_bytes(2, "little") for state in self.lanes)

    def codes(self) -> bytes:
        """The part `codes`."""
        return bytes(reversed(self.reversed))
