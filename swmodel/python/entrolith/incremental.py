# SPDX-License-Identifier: Apache-2.0
"""One array to a stream and back, a piece at a time, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from entrolith import _core, dtypes, tensors
from entrolith.errors import ArgumentError, StateError
from entrolith.options import DEFAULT_LEVEL, check_profile, contiguous, plan
from entrolith.table_set import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from typing_extensions import Buffer

    from entrolith.codec import Tables


Core = TypeVar("Core", _core.Compressor, _core.Decompressor)


class _Unfinished(Generic[Core]):
    """What works until its stream is finished, or a `with` block ends; a cut stream stays cut."""

    _core: Core | None

    def _open(self) -> Core:
        if self._core is None:
            raise StateError("the stream is finished")
        return self._core

    def __enter__(self) -> Self:
        """The object itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of its memory."""
        self._core = None


class Compressor(_Unfinished[_core.Compressor]):
    """Values in, a stream out: the joined results of write() and finish().

    Memory is that of a chunk, whatever the array. A predictor would need the whole array first, so
    none is used: at levels 1 to 3, which have none, the stream is that of `compress`.

        with open(path, "wb") as file, entrolith.Compressor((1000, 4096), "fp32") as compressor:
            for rows in source:
                file.write(compressor.write(rows))
            file.write(compressor.finish())
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: str,
        *,
        level: int = DEFAULT_LEVEL,
        mode: str | None = None,
        check: bool = True,
        profile: str | None = None,
        tables: Tables = None,
    ) -> None:
        """Start a stream.

        Args:
            shape: of the array.
            dtype: of its values: "fp32", "bf16", "fp16", "fp64", "fp8e4m3" or "fp8e5m2".
            level: as for `compress`, like the others.
            mode: of code tables.
            check: write checks.
            profile: instead of a level.
            tables: to code with.

        Raises:
            As `compress`.
        """
        self._dtype = dtypes.of_name(dtype)
        if len(shape) > tensors.MAX_DIMENSIONS:
            raise ArgumentError(f"{len(shape)} dimensions; there are at most 32", "shape")
        if not all(0 <= n < 1 << 63 for n in shape):
            raise ArgumentError(f"{tuple(shape)} is no shape", "shape")
        chosen = plan(level, mode, profile, check=check)
        check_profile(profile, self._dtype)
        try:
            self._core = _core.Compressor(self._dtype.code, shape, chosen, compiled(tables))
        except ValueError as error:
            raise ArgumentError(f"shape: {error}", "shape") from None

    def write(self, values: Any) -> bytes:
        """Take the next values.

        Args:
            values: any number of them, as `compress` takes an array; in C order.

        Returns:
            What they complete of the stream, often nothing.

        Raises:
            StateError: the stream is finished.
            UnsupportedDtypeError: the values are of another type than the array.
            ArgumentError: they are more than the shape has; none of them is taken.
        """
        core = self._open()
        _, patterns = tensors.bit_patterns(values, self._dtype.name)
        if patterns.size > core.left:
            raise ArgumentError(
                f"{patterns.size} values, where the shape leaves {core.left}", "values"
            )
        return core.write(patterns)

    def finish(self) -> bytes:
        """The rest of the stream; nothing can be written after it.

        Raises:
            StateError: values are missing, or the stream is finished already.
        """
        core = self._open()
        if core.left:
            raise StateError(f"{core.left} values of the shape have not come")
        self._core = None
        return core.finish()


class Decompressor(_Unfinished[_core.Decompressor]):
    """The bytes of a stream in, values out, as they become complete.

    For streams of one array without a predictor, such as those of `Compressor` and of levels 1 to
    3. Every chunk is checked before its values are returned, and finish() checks the footer.

        decompressor = entrolith.Decompressor()
        for data in source:
            for values in decompressor.write(data):
                ...
        decompressor.finish()
    """

    def __init__(self, *, tables: Tables = None, as_bits: bool = False) -> None:
        """Start with the first byte.

        Args:
            tables: as for `decompress`.
            as_bits: return bit patterns.
        """
        self._as_bits = as_bits
        self._core = _core.Decompressor(compiled(tables))
        self._array: tuple[int, tuple[int, ...]] | None = None

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the array, once the header has come."""
        return None if self._array is None else self._array[1]

    @property
    def dtype(self) -> str | None:
        """The type of its values, once the header has come."""
        return None if self._array is None else dtypes.of_code(self._array[0]).name

    def write(self, data: Buffer) -> list[NDArray[Any]]:
        """Take the next bytes.

        Args:
            data: any number of them, in any contiguous buffer.

        Returns:
            The values that they complete, in C order: one array of one dimension, or none.

        Raises:
            StateError: the end has been reported by finish().
            UnsupportedModeError: the stream holds a mapping or uses a predictor.
            As `decompress`, of what has come. Values before a fault are returned first; the fault
            is raised by the next call.
        """
        core = self._open()
        count = core.feed(contiguous(data))
        self._array = core.array
        if not count or self._array is None:
            return []
        values = dtypes.of_code(self._array[0]).empty(count, as_bits=self._as_bits)
        core.drain(values, count)
        return [values]

    def finish(self) -> None:
        """Say that the stream ends here.

        Raises:
            StateError: that has been said.
            TruncatedStreamError: it does not end here.
            CorruptStreamError: its footer does not match.
        """
        core = self._open()
        core.finish()
        self._core = None
