"""Models that take their inputs as a list, in the order of the model."""

from __future__ import annotations

import os
from typing import Any

from onnx.backend.base import BackendRep

from linnet.onnxruntime.session import InferenceSession


class OnnxRuntimeBackendRep(BackendRep):
    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def run(self, inputs: Any, **kwargs: Any) -> Any:
        """Returns the outputs as a list. inputs: a list of inputs, or the only input of a model that has one."""
        values = inputs if isinstance(inputs, list) else [inputs]
        return self._session.run(None, dict(zip([arg.name for arg in self._session.get_inputs()], values)))


def prepare(model: Any, device: str | None = None, **kwargs: Any) -> OnnxRuntimeBackendRep:
    """Returns a model that is ready to run. model: a path, bytes, a ModelProto, an InferenceSession, or a result of
    this."""
    if isinstance(model, OnnxRuntimeBackendRep):
        return model
    if device is not None and not supports_device(device):
        raise RuntimeError(f"Linnet runs on CPUs, not on {device}")
    if isinstance(model, InferenceSession):
        return OnnxRuntimeBackendRep(model)
    if not isinstance(model, (str, bytes, os.PathLike)):
        model = model.SerializeToString()
    return OnnxRuntimeBackendRep(InferenceSession(model))


def run(model: Any, inputs: Any, device: str | None = None, **kwargs: Any) -> Any:
    return prepare(model, device, **kwargs).run(inputs)


def is_compatible(model: Any, device: str | None = None, **kwargs: Any) -> bool:
    return device is None or supports_device(device)


def supports_device(device: str) -> bool:
    return device.split(":")[0] == "CPU"
