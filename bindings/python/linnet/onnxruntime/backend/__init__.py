"""The backend of the onnx package, as onnxruntime.backend."""

from linnet.onnxruntime.backend.backend import is_compatible, prepare, run, supports_device

__all__ = ["is_compatible", "prepare", "run", "supports_device"]
