"""Exceptions, options, enumerations and functions under the module name that ONNX Runtime gives them."""

from typing import Any

from linnet.onnxruntime.binding import SessionIOBinding
from linnet.onnxruntime.devices import NativeDevice as OrtDevice
from linnet.onnxruntime.devices import OrtMemoryInfo
from linnet.onnxruntime.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtAllocatorType,
    OrtDeviceMemoryType,
    OrtMemoryInfoDeviceType,
    OrtMemType,
)
from linnet.onnxruntime.errors import (
    DeviceReset,
    EngineError,
    EPFail,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoadCanceled,
    ModelLoaded,
    ModelRequiresCompilation,
    NoModel,
    NoSuchFile,
    NotFound,
    NotImplemented,
    RuntimeException,
)
from linnet.onnxruntime.functions import (
    disable_telemetry_events,
    enable_telemetry_events,
    get_all_providers,
    get_available_providers,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    set_default_logger_callback,
    set_default_logger_severity,
    set_default_logger_verbosity,
    set_global_thread_pool_sizes,
    set_seed,
)
from linnet.onnxruntime.options import RunOptions, SessionOptions
from linnet.onnxruntime.types import ModelMetadata, NodeArg
from linnet.onnxruntime.unsupported import NAMES, refuse
from linnet.onnxruntime.values import OrtValue, OrtValueVector

__all__ = [
    "DeviceReset", "EPFail", "EngineError", "ExecutionMode", "ExecutionOrder", "Fail", "GraphOptimizationLevel",
    "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "ModelLoadCanceled", "ModelLoaded", "ModelMetadata",
    "ModelRequiresCompilation", "NoModel", "NoSuchFile", "NodeArg", "NotFound", "NotImplemented",
    "OrtAllocatorType", "OrtDevice", "OrtDeviceMemoryType", "OrtMemType", "OrtMemoryInfo", "OrtMemoryInfoDeviceType",
    "OrtValue", "OrtValueVector", "RunOptions", "RuntimeException", "SessionIOBinding", "SessionOptions", "disable_telemetry_events", "enable_telemetry_events", "get_all_providers",
    "get_available_providers", "get_build_info", "get_device", "get_version_string", "has_collective_ops",
    "set_default_logger_callback", "set_default_logger_severity", "set_default_logger_verbosity",
    "set_global_thread_pool_sizes", "set_seed",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return refuse(__name__, name, NAMES)
