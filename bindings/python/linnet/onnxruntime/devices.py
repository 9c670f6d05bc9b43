"""Devices and their memory. The only device is the CPU."""

from __future__ import annotations

import operator
from typing import Any

from linnet.onnxruntime.enums import OrtAllocatorType, OrtDeviceMemoryType, OrtMemoryInfoDeviceType, OrtMemType


class NativeDevice:
    """OrtDevice of onnxruntime.capi, made from (type, memory, id) or (type, memory, vendor, id)."""

    def __init__(self, device_type: int, memory: int, *vendor_and_id: int) -> None:
        if len(vendor_and_id) not in (1, 2):
            raise TypeError(f"OrtDevice takes 3 or 4 numbers, got {2 + len(vendor_and_id)}")
        vendor, number = (0, *vendor_and_id)[-2:]
        check_device("cpu" if operator.index(device_type) == self.cpu() else f"of type {device_type}")
        self._memory, self._vendor, self._id = map(operator.index, (memory, vendor, number))

    @staticmethod
    def cpu() -> int:
        return 0

    @staticmethod
    def default_memory() -> int:
        return 0

    def device_id(self) -> int:
        return self._id

    def device_type(self) -> int:
        return self.cpu()

    def mem_type(self) -> int:
        return self._memory

    def vendor_id(self) -> int:
        return self._vendor


class OrtDevice:
    """Where a value is stored."""

    def __init__(self, c_ort_device: NativeDevice) -> None:
        if not isinstance(c_ort_device, NativeDevice):
            raise ValueError(f"an OrtDevice is made of that of onnxruntime.capi, got {type(c_ort_device)}")
        self._ort_device = c_ort_device

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        check_device(ort_device_name)
        return OrtDevice(NativeDevice(NativeDevice.cpu(), NativeDevice.default_memory(), max(vendor_id, 0), device_id))

    def _get_c_device(self) -> NativeDevice:
        return self._ort_device

    def device_id(self) -> int:
        return self._ort_device.device_id()

    def device_type(self) -> int:
        return self._ort_device.device_type()

    def device_mem_type(self) -> int:
        return self._ort_device.mem_type()

    def device_vendor_id(self) -> int:
        return self._ort_device.vendor_id()


def check_device(device: str | NativeDevice) -> None:
    """Raises RuntimeError for the name of a device that Linnet does not have."""
    if not isinstance(device, NativeDevice) and device.lower() not in ("cpu", "cpu_pinned"):
        raise RuntimeError(f"Linnet has no memory on the device '{device}': it runs on CPUs")


def _member(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"expected an {kind.__name__}, got {value!r}")
    return value


class OrtMemoryInfo:
    """The kind of memory that an allocator returns. Linnet treats all kinds equally."""

    def __init__(self, name: str, allocator_type: OrtAllocatorType, device_id: int, mem_type: OrtMemType) -> None:
        """name: "Cpu". The only id of this device is 0."""
        operator.index(device_id)
        if name != "Cpu":
            raise RuntimeError(f"Linnet has no memory on the device '{name}': the CPU's is \"Cpu\"")
        self._name, self._device_id, self._vendor_id = name, 0, 0
        self._allocator_type = _member(allocator_type, OrtAllocatorType)
        self._mem_type = _member(mem_type, OrtMemType)
        self._device_mem_type = OrtDeviceMemoryType.DEFAULT

    @staticmethod
    def create_v2(
        name: str, device_type: OrtMemoryInfoDeviceType, vendor_id: int, device_id: int,
        device_mem_type: OrtDeviceMemoryType, alignment: int, allocator_type: OrtAllocatorType,
    ) -> OrtMemoryInfo:  # fmt: skip
        """name: any. The alignment has no effect: Linnet's tensors start at multiples of 64 bytes."""
        if _member(device_type, OrtMemoryInfoDeviceType) != OrtMemoryInfoDeviceType.CPU:
            raise RuntimeError(f"Linnet has no memory on a device of type {device_type}: it runs on CPUs")
        operator.index(alignment)
        host = _member(device_mem_type, OrtDeviceMemoryType) == OrtDeviceMemoryType.HOST_ACCESSIBLE
        info = OrtMemoryInfo("Cpu", allocator_type, 0, OrtMemType.CPU if host else OrtMemType.DEFAULT)
        info._name, info._device_mem_type = name, device_mem_type
        info._device_id, info._vendor_id = operator.index(device_id), operator.index(vendor_id)
        return info

    @property
    def name(self) -> str:
        return self._name

    @property
    def device_id(self) -> int:
        return self._device_id

    @property
    def mem_type(self) -> OrtMemType:
        return self._mem_type

    @property
    def allocator_type(self) -> OrtAllocatorType:
        return self._allocator_type

    @property
    def device_mem_type(self) -> OrtDeviceMemoryType:
        return self._device_mem_type

    @property
    def device_vendor_id(self) -> int:
        return self._vendor_id


def of_the_cpu() -> OrtMemoryInfo:
    """Returns what ONNX Runtime reports for inputs and outputs in the CPU's memory."""
    return OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, OrtMemType.DEFAULT)
