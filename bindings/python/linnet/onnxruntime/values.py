"""Values outside of a run: OrtValue and related classes."""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from linnet.onnxruntime import errors, types
from linnet.onnxruntime.devices import NativeDevice, OrtMemoryInfo, check_device


def array_at(pointer: int, dtype: np.dtype[Any], shape: Iterable[int]) -> types.Array:
    """Returns the caller's memory as an array that does not own it."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    memory: Any = (ctypes.c_char * (size * dtype.itemsize)).from_address(pointer) if size else b""
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(tuple(shape))


class OrtValue:
    """A tensor, a sequence (a list), a map (a dict), or an optional without a value (None).

    The same class is in onnxruntime.capi, whose functions take an OrtDevice instead of the name of a device.
    """

    _value: Any
    _type: str

    def __init__(self, ortvalue: OrtValue, numpy_obj: types.Array | None = None) -> None:
        """Makes another reference to a value. The value keeps what it needs of `numpy_obj` alive."""
        if not isinstance(ortvalue, OrtValue):
            raise ValueError(f"an OrtValue is made of another one, or by one of its functions, got {type(ortvalue)}")
        self._value, self._type = ortvalue._value, ortvalue._type

    @classmethod
    def _of(cls, value: Any, type_text: str) -> OrtValue:
        made = object.__new__(cls)
        made._value, made._type = value, type_text
        return made

    @property
    def _ortvalue(self) -> OrtValue:
        return self

    @staticmethod
    def ortvalue_from_numpy(
        numpy_obj: types.Array, /, device_type: str | NativeDevice = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """Shares the array's memory if it is in C order."""
        check_device(device_type)
        if not isinstance(numpy_obj, np.ndarray) or numpy_obj.dtype.kind in "SUO":
            raise RuntimeError("an OrtValue is made of an array of numbers")
        array = np.asarray(numpy_obj, numpy_obj.dtype.newbyteorder("="), "C")
        return OrtValue._of(array, types.type_of_array(array))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: types.Array, /, onnx_element_type: int) -> OrtValue:
        """Reinterprets an array's memory as elements of another type of the same size."""
        dtype = types.dtype_of_element(onnx_element_type)
        if not isinstance(data, np.ndarray) or data.dtype.itemsize != dtype.itemsize:
            raise RuntimeError(f"elements of {data.dtype} are not of the size of {dtype}")
        return OrtValue.ortvalue_from_numpy(data.view(dtype))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Iterable[int], element_type: Any, device_type: str | NativeDevice = "cpu", device_id: int = 0,
        vendor_id: int = -1, memory_info: OrtMemoryInfo | None = None,
    ) -> OrtValue:  # fmt: skip
        """Allocates uninitialised memory. All CPU memory is the same, so `memory_info` has no effect."""
        if memory_info is None:
            check_device(device_type)
        elif not isinstance(memory_info, OrtMemoryInfo):
            raise TypeError(f"memory_info is an OrtMemoryInfo, got {type(memory_info)}")
        elif (device_type, device_id, vendor_id) != ("cpu", 0, -1):
            warnings.warn("device_type, device_id, and vendor_id are ignored when memory_info is provided.", stacklevel=2)
        return OrtValue.ortvalue_from_numpy(np.empty(tuple(shape), types.dtype_of_element(element_type)))

    @staticmethod
    def ortvalue_from_shape_and_onnx_type(shape: Iterable[int], element_type: int, device: NativeDevice) -> OrtValue:
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device)

    @staticmethod
    def from_dlpack(data: Any, /) -> OrtValue:
        """data: an object that has __dlpack__, or the capsule that it returns."""
        return OrtValue.ortvalue_from_numpy(np.from_dlpack(data if hasattr(data, "__dlpack__") else _Capsule(data)))

    @staticmethod
    def ort_value_from_sparse_tensor(sparse_tensor: Any) -> OrtValue:
        raise errors.unsupported("OrtValue.ort_value_from_sparse_tensor")

    def as_sparse_tensor(self) -> Any:
        raise errors.unsupported("OrtValue.as_sparse_tensor")

    def numpy(self) -> types.Array:
        """Returns the tensor as an array that shares its memory."""
        return self._tensor()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> types.Array:
        return np.array(self._tensor(), dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._tensor().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._tensor().__dlpack_device__()

    def to_dlpack(self) -> Any:
        return self.__dlpack__()

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
            raise RuntimeError(f"a value of type {self._type} is not a tensor")
        return self._value


class _Capsule:
    """Wraps a DLPack capsule in an object with __dlpack__."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        cpu = 1
        return cpu, 0


class OrtValueVector(list[OrtValue]):
    """A list of OrtValues."""

    push_back = list.append

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def dlpack_at(self, index: int) -> Any:
        return self[index].__dlpack__()
