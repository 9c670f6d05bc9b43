"""Names that ONNX Runtime has and Linnet does not support. They exist, but raise an exception when they are used."""

from __future__ import annotations

from typing import Any, NoReturn

from linnet.onnxruntime import errors

NAMES = {
    "ModelCompiler", "ModelPackage", "ModelPackageComponentContext",
    "ModelPackageContext", "ModelPackageOptions", "ModelPackageWriteMode", "OrtArenaCfg", "OrtCompileApiFlags",
    "OrtEpAssignedNode", "OrtEpAssignedSubgraph", "OrtEpContextData", "OrtEpContextDataBuffer",
    "OrtEpDevice", "OrtExecutionProviderDevicePolicy", "OrtExternalInitializerInfo", "OrtHardwareDevice",
    "OrtHardwareDeviceType", "OrtSparseFormat", "OrtSyncStream", "SparseTensor", "copy_tensors", "create_and_register_allocator",
    "create_and_register_allocator_v2", "get_ep_devices", "register_execution_provider_library",
    "unregister_execution_provider_library",
}  # fmt: skip


class _Unsupported(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise errors.unsupported(cls.__name__)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise errors.unsupported(f"{cls.__name__}.{name}")


def refuse(module: str, name: str, names: set[str]) -> Any:
    """Implements a module's __getattr__. Returns a class that has no instances and raises NotImplemented when it is
    used."""
    if name not in names:
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    return _Unsupported(name, (), {})
