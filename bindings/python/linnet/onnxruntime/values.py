"""Values outside of a run: OrtValue and what goes with it."""

import ctypes
import math

import numpy as np

from linnet.onnxruntime import errors, types


class OrtDevice:
    """Where a value lies: the CPU's memory."""

    def __init__(self, device_id=0):
        self._id = device_id

    @staticmethod
    def make(ort_device_name, device_id, vendor_id=-1):
        check_device(ort_device_name)
        return OrtDevice(device_id)

    @staticmethod
    def cpu():
        return 0

    @staticmethod
    def default_memory():
        return 0

    def device_id(self):
        return self._id

    def device_type(self):
        return 0

    def device_mem_type(self):
        return 0

    def device_vendor_id(self):
        return 0


def check_device(name):
    if name.lower() not in ("cpu", "cpu_pinned"):
        raise RuntimeError(f"Linnet has no memory on the device '{name}': it runs on CPUs")


def array_at(pointer, dtype, shape):
    """The memory of the caller as an array that does not own it."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    memory = (ctypes.c_char * (size * dtype.itemsize)).from_address(pointer) if size else b""
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(tuple(shape))


class OrtValue:
    """A tensor, a sequence (a list), a map (a dict), or an optional without a value (None)."""

    def __init__(self, value, type_text):
        self._value, self._type = value, type_text

    @staticmethod
    def ortvalue_from_numpy(numpy_obj, /, device_type="cpu", device_id=0, vendor_id=-1):
        """Shares the array's memory where it lies in C order."""
        check_device(device_type)
        if not isinstance(numpy_obj, np.ndarray) or numpy_obj.dtype.kind in "SUO":
            raise RuntimeError("an OrtValue is made of an array of numbers")
        array = np.asarray(numpy_obj, numpy_obj.dtype.newbyteorder("="), "C")
        return OrtValue(array, types.type_of_array(array))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data, /, onnx_element_type):
        """An array's memory, read as elements of another type of as many bits."""
        dtype = types.dtype_of_element(onnx_element_type)
        if not isinstance(data, np.ndarray) or data.dtype.itemsize != dtype.itemsize:
            raise RuntimeError(f"elements of {data.dtype} are not of the size of {dtype}")
        return OrtValue.ortvalue_from_numpy(data.view(dtype))

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type, device_type="cpu", device_id=0, vendor_id=-1, memory_info=None):
        check_device(device_type)
        return OrtValue.ortvalue_from_numpy(np.empty(tuple(shape), types.dtype_of_element(element_type)))

    @staticmethod
    def from_dlpack(data, /):
        return OrtValue.ortvalue_from_numpy(np.from_dlpack(data))

    @staticmethod
    def ort_value_from_sparse_tensor(sparse_tensor):
        raise errors.unsupported("OrtValue.ort_value_from_sparse_tensor")

    def as_sparse_tensor(self):
        raise errors.unsupported("OrtValue.as_sparse_tensor")

    def numpy(self):
        """The tensor; shares its memory."""
        return self._tensor()

    def __array__(self, dtype=None, copy=None):
        return np.array(self._tensor(), dtype, copy=copy)

    def __dlpack__(self, **kwargs):
        return self._tensor().__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._tensor().__dlpack_device__()

    def shape(self):
        return list(self._tensor().shape)

    def data_ptr(self):
        return self._tensor().ctypes.data

    def data_type(self):
        return self._type

    def element_type(self):
        return types.number_of_type(self._type)

    def tensor_size_in_bytes(self):
        return self._tensor().nbytes

    def device_name(self):
        return "cpu"

    def has_value(self):
        return self._value is not None

    def is_tensor(self):
        return isinstance(self._value, np.ndarray)

    def is_tensor_sequence(self):
        return isinstance(self._value, list) and "map" not in self._type

    def is_sparse_tensor(self):
        return False

    def update_inplace(self, data):
        """Writes the array's elements into the memory of the tensor."""
        if data.shape != self._tensor().shape or data.dtype != self._tensor().dtype:
            raise RuntimeError(f"cannot write {data.dtype}{list(data.shape)} into {self._type} of shape {self.shape()}")
        np.copyto(self._value, data)

    def _get_c_value(self):
        return self

    def _tensor(self):
        if not self.is_tensor():
            raise RuntimeError(f"a value of type {self._type} is no tensor")
        return self._value


class OrtValueVector(list):
    """A list of OrtValues."""

    push_back = list.append

    def element_type_at(self, index):
        return self[index].element_type()

    def dlpack_at(self, index):
        return self[index].__dlpack__()
