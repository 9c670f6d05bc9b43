"""Linnet as a backend of the onnx package: see https://onnx.ai/onnx/repo-docs/ImplementingAnOnnxBackend.html."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict

from linnet.session import Session


class Representation(BackendRep):
    """A model that is ready to run."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Returns the outputs as a named tuple. inputs: values in the order of the model's inputs, or a dict by
        name."""
        if not isinstance(inputs, dict):
            values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            inputs = dict(zip([info.name for info in self._session.inputs], values))
        outputs = self._session.run(inputs)
        return namedtupledict("Outputs", list(outputs))(*outputs.values())


class LinnetBackend(Backend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> Representation:
        if not cls.supports_device(device):
            raise ValueError(f"Linnet runs on CPUs, not on {device}")
        return Representation(Session(model.SerializeToString(), **kwargs))

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Any, ...]:
        """Runs one node of the newest operator set. The types of outputs are inferred."""
        arrays = [np.asarray(value) for value in inputs]
        dtype = onnx.helper.np_dtype_to_tensor_dtype
        infos = [onnx.helper.make_tensor_value_info(name, dtype(x.dtype), x.shape) for name, x in zip(node.input, arrays)]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", infos, outputs)
        imports = [onnx.helper.make_opsetid(node.domain, onnx.defs.onnx_opset_version())]
        return cls.prepare(onnx.helper.make_model(graph, opset_imports=imports), device).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


prepare = LinnetBackend.prepare
run_model = LinnetBackend.run_model
run_node = LinnetBackend.run_node
supports_device = LinnetBackend.supports_device
is_compatible = LinnetBackend.is_compatible
