# SPDX-License-Identifier: Apache-2.0
"""What the decoder reads with: integers that cannot run over, types, refusals."""

from __future__ import annotations

from dataclasses import dataclass

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

    @property
    def exponent_bytes(self) -> int:
        """Bytes of an exponent where one is written whole."""
        return -(-self.exponent // 8)


DTYPES = {
    1: Dtype("fp32", 8, 23, 4),
    2: Dtype("bf16", 8, 7, 2),
    3: Dtype("fp16", 5, 10, 2),
    4: Dtype("fp64", 11, 52, 8),
    5: Dtype("fp8e4m3", 4, 3, 1),
    6: Dtype("fp8e5m2", 5, 2, 1),
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
