"""ONNX Runtime's Python API on Linnet: import linnet.onnxruntime as onnxruntime.

docs/coming_from_onnxruntime.md lists the calls and the differences.
"""

from typing import Any

from linnet import __version__ as linnet_version
from linnet.onnxruntime import capi
from linnet.onnxruntime.adapters import AdapterFormat, LoraAdapter
from linnet.onnxruntime.binding import IOBinding, SessionIOBinding
from linnet.onnxruntime.devices import OrtDevice, OrtMemoryInfo
from linnet.onnxruntime.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtAllocatorType,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtMemoryInfoDeviceType,
    OrtMemType,
)
from linnet.onnxruntime.functions import VERSION as __version__
from linnet.onnxruntime.functions import (
    disable_telemetry_events,
    enable_telemetry_events,
    get_all_providers,
    get_available_providers,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    preload_dlls,
    print_debug_info,
    set_default_logger_callback,
    set_default_logger_severity,
    set_default_logger_verbosity,
    set_global_thread_pool_sizes,
    set_seed,
)
from linnet.onnxruntime.installing import install
from linnet.onnxruntime.options import RunOptions, SessionOptions
from linnet.onnxruntime.session import InferenceSession
from linnet.onnxruntime.types import ModelMetadata, NodeArg
from linnet.onnxruntime.unsupported import NAMES, refuse
from linnet.onnxruntime.values import OrtValue

__all__ = [
    "AdapterFormat", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession",
    "LoraAdapter", "ModelMetadata", "NodeArg", "OrtAllocatorType", "OrtDevice", "OrtDeviceMemoryType",
    "OrtDeviceVendorId", "OrtMemType", "OrtMemoryInfo", "OrtMemoryInfoDeviceType", "OrtValue", "RunOptions",
    "SessionIOBinding", "SessionOptions", "__version__", "capi", "disable_telemetry_events", "enable_telemetry_events",
    "get_all_providers", "get_available_providers", "get_build_info", "get_device", "get_version_string",
    "has_collective_ops", "install", "linnet_version", "preload_dlls", "print_debug_info",
    "set_default_logger_callback", "set_default_logger_severity", "set_default_logger_verbosity",
    "set_global_thread_pool_sizes", "set_seed",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return refuse(__name__, name, NAMES)
