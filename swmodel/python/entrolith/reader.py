# SPDX-License-Identifier: Apache-2.0
"""Some of a stream's values, without decoding the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from entrolith import _core, dtypes
from entrolith.errors import ArgumentError, StateError
from entrolith.options import contiguous, thread_count
from entrolith.table_set import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    from entrolith.codec import Tables


class Reader:
    """Random access to a stream: tensors by name, and ranges of values.

    With a footer (FORMAT.md section 1.1) its index says where chunks are; without, all chunks'
    sizes are read once. Only chunks that hold wanted values are decoded, and only they are checked.

        with entrolith.Reader(mapped) as reader:
            weight = reader["layer1.weight"]
            some = reader.read("layer2.weight", 1000, 2000)

    Attributes:
        mapping: whether the stream is one of names to arrays.
        names: of its tensors, in the mapping's order. The only array of another stream has none,
            and is called None below.
    """

    def __init__(self, data: Buffer, *, tables: Tables = None, threads: int = 1) -> None:
        """Find the chunks.

        Args:
            data: a stream: any contiguous buffer, such as mmap; it is held until close().
            tables: as for `decompress`.
            threads: how many decode; 0 is one for each core.

        Raises:
            As `decompress`. Damage inside chunks goes unseen until they are read.
        """
        self._threads = thread_count(threads)
        self._tables = compiled(tables)
        self._data: memoryview | None = contiguous(data)
        self._index = _core.look_up(self._data, self._tables)
        header = self._index.header
        self.mapping = header.mapping
        self._tensors = {
            name if header.mapping else None: (number, dtypes.of_code(code), shape)
            for number, (name, code, shape, _) in enumerate(header.tensors)
        }
        self.names: tuple[str, ...] = tuple(name for name in self._tensors if name is not None)

    def shape(self, name: str | None = None) -> tuple[int, ...]:
        """The shape of a tensor.

        Raises:
            KeyError: there is no tensor of this name.
        """
        return self._tensors[name][2]

    def dtype(self, name: str | None = None) -> str:
        """The type of a tensor's values, a name of `entrolith.dtypes.DTYPES`.

        Raises:
            KeyError: there is no tensor of this name.
        """
        return self._tensors[name][1].name

    def __getitem__(self, name: str | None) -> NDArray[Any]:
        """A whole tensor, in its shape."""
        return self.read(name).reshape(self.shape(name))

    def read(
        self,
        name: str | None = None,
        start: int = 0,
        stop: int | None = None,
        *,
        as_bits: bool = False,
    ) -> NDArray[Any]:
        """Values `start` to `stop` - 1 of a tensor in C order, flat.

        Args:
            name: of the tensor; None in the stream of one array.
            start: the first value.
            stop: the value after the last; None: up to the end.
            as_bits: as for `decompress`.

        Returns:
            A new array of one dimension.

        Raises:
            KeyError: there is no tensor of this name.
            ArgumentError: the tensor has no such values.
            StateError: the reader is closed.
            CorruptStreamError: a chunk is damaged, or is not the one that the index says.
        """
        if self._data is None:
            raise StateError("the reader is closed")
        number, dtype, shape = self._tensors[name]
        count = math.prod(shape)
        end = count if stop is None else stop
        if not 0 <= start <= end <= count:
            raise ArgumentError(f"values {start} to {end} of {count}", "start")
        _core.justify(self._data, self._index, number, start, end)
        values = dtype.empty(end - start, as_bits=as_bits)
        _core.read(self._data, self._index, self._tables, number, start, end, values, self._threads)
        return values

    def close(self) -> None:
        """Let go of the stream's memory."""
        self._data = None

    def __enter__(self) -> Self:
        """The reader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()
