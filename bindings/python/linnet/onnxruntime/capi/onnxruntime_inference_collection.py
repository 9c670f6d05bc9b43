"""Sessions and values under the module name that ONNX Runtime gives them."""

from typing import Any

from linnet.onnxruntime.binding import IOBinding
from linnet.onnxruntime.devices import OrtDevice
from linnet.onnxruntime.enums import OrtDeviceVendorId
from linnet.onnxruntime.session import InferenceSession, Session
from linnet.onnxruntime.unsupported import NAMES, refuse
from linnet.onnxruntime.values import OrtValue

__all__ = ["IOBinding", "InferenceSession", "OrtDevice", "OrtDeviceVendorId", "OrtValue", "Session"]


def __getattr__(name: str) -> Any:
    return refuse(__name__, name, NAMES)
