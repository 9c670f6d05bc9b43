"""Values outside of a run: OrtValue and what goes with it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from linnet.onnxruntime import errors, types


class OrtDevice:
    """Where a value lies: the CPU's memory."""

    def __init__(self, device_id: int = 0) -> None:
        self._id = device_id

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        check_device(ort_device_name)
        return OrtDevice(device_id)

    @staticmethod
    def cpu() -> int:
        return 0

    @staticmethod
    def default_memory() -> int:
        return 0

    def device_id(self) -> int:
        return self._id

    def device_type(self) -> int:
        return 0

    def device_mem_type(self) -> int:
        return 0

    def device_vendor_id(self) -> int:
        return 0


def check_device(name: str) -> None:
    if name.lower() not in ("cpu", "cpu_pinned"):
        raise RuntimeError(f"Linnet has no memory on the device '{name}': it runs on CPUs")


def array_at(pointer: int, dtype: np.dtype[Any], shape: Iterable[int]) -> types.Array:
    """The memory of the caller as an array that does not own it."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    memory: Any = (ctypes.c_char * (size * dtype.itemsize)).from_address(pointer) if size else b""
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(tuple(shape))


class OrtValue:
    """A tensor, a sequence (a list), a map (a dict), or an optional without a value (None)."""

    def __init__(self, value: Any, type_text: str) -> None:
        self._value, self._type = value, type_text

    @staticmethod
    def ortvalue_from_numpy(
        numpy_obj: types.Array, /, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """Shares the array's memory where it lies in C order."""
        check_device(device_type)
        if not isinstance(numpy_obj, np.ndarray) or numpy_obj.dtype.kind in "SUO":
            raise RuntimeError("an OrtValue is made of an array of numbers")
        array = np.asarray(numpy_obj, numpy_obj.dtype.newbyteorder("="), "C")
        return OrtValue(array, types.type_of_array(array))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: types.Array, /, onnx_element_type: int) -> OrtValue:
        """An array's memory, read as elements of another type of as many bits."""
        dtype = types.dtype_of_element(onnx_element_type)
        if not isinstance(data, np.ndarray) or data.dtype.itemsize != dtype.itemsize:
            raise RuntimeError(f"elements of {data.dtype} are not of the size of {dtype}")
        return OrtValue.ortvalue_from_numpy(data.view(dtype))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Iterable[int], element_type: Any, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1,
        memory_info: Any = None,
    ) -> OrtValue:  # fmt: skip
        check_device(device_type)
        return OrtValue.ortvalue_from_numpy(np.empty(tuple(shape), types.dtype_of_element(element_type)))

    @staticmethod
    def from_dlpack(data: Any, /) -> OrtValue:
        return OrtValue.ortvalue_from_numpy(np.from_dlpack(data))

    @staticmethod
    def ort_value_from_sparse_tensor(sparse_tensor: Any) -> OrtValue:
        raise errors.unsupported("OrtValue.ort_value_from_sparse_tensor")

    def as_sparse_tensor(self) -> Any:
        raise errors.unsupported("OrtValue.as_sparse_tensor")

    def numpy(self) -> types.Array:
        """The tensor; shares its memory."""
        return self._tensor()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> types.Array:
        return np.array(self._tensor(), dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._tensor().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._tensor().__dlpack_device__()

    def shape(self) -> list[int]:
        return list(self._tensor().shape)

    def data_ptr(self) -> int:
        return self._tensor().ctypes.data

    def data_type(self) -> str:
        return self._type

    def element_type(self) -> int:
        return types.number_of_type(self._type)

    def tensor_size_in_bytes(self) -> int:
        return self._tensor().nbytes

    def device_name(self) -> str:
        return "cpu"

    def has_value(self) -> bool:
        return self._value is not None

    def is_tensor(self) -> bool:
        return isinstance(self._value, np.ndarray)

    def is_tensor_sequence(self) -> bool:
        return isinstance(self._value, list) and "map" not in self._type

    def is_sparse_tensor(self) -> bool:
        return False

    def update_inplace(self, data: types.Array) -> None:
        """Writes the array's elements into the memory of the tensor."""
        if data.shape != self._tensor().shape or data.dtype != self._tensor().dtype:
            raise RuntimeError(f"cannot write {data.dtype}{list(data.shape)} into {self._type} of shape {self.shape()}")
        np.copyto(self._value, data)

    def _get_c_value(self) -> OrtValue:
        return self

    def _tensor(self) -> types.Array:
        if not isinstance(self._value, np.ndarray):
            raise RuntimeError(f"a value of type {self._type} is no tensor")
        return self._value


class OrtValueVector(list[OrtValue]):
    """A list of OrtValues."""

    push_back = list.append

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def dlpack_at(self, index: int) -> Any:
        return self[index].__dlpack__()
