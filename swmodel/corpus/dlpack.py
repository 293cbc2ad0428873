# SPDX-License-Identifier: Apache-2.0
"""A tensor of no library in particular, which hands its memory over by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

from numpy.typing import NDArray

FLOAT, BFLOAT, INT, UINT, COMPLEX, BOOL, FLOAT8_E4M3FN, FLOAT8_E5M2 = 2, 4, 0, 1, 5, 6, 10, 12
"""DLPack's codes of types."""


class _Managed(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Tensor:
    """The memory of an array, under another type.

    Attributes:
        lent: how many capsules have been taken and not given back.
    """

    def __init__(
        self,
        array: NDArray[Any],
        code: int,
        *,
        device: int = 1,
        lanes: int = 1,
        plain: bool = False,
    ) -> None:
        """Lend `array` as values of the type `code`; `plain` leaves out the strides."""
        self.array = array
        self.lent = 0
        self._device, self._plain = device, plain
        self._shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self._strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        self._type = code, 8 * array.itemsize, lanes
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._take_back)
        self._managed: list[_Managed] = []

    def _take_back(self, _: int) -> None:
        self.lent -= 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device, 0

    def __dlpack__(self) -> object:
        strides = None if self._plain else self._strides
        managed = _Managed(
            self.array.ctypes.data - 8,
            self._device,
            0,
            self.array.ndim,
            *self._type,
            self._shape,
            strides,
            8,  # as if the memory began before the tensor
            None,
            ctypes.cast(self._deleter, ctypes.c_void_p),
        )
        self._managed.append(managed)
        self.lent += 1
        return _new_capsule(ctypes.addressof(managed), b"dltensor", None)
