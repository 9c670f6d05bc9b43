"""Linnet as a backend of the onnx package: see https://onnx.ai/onnx/repo-docs/ImplementingAnOnnxBackend.html."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict

from linnet.session import Session


class Representation(BackendRep):
    """A loaded model, as prepare() returns it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Runs the model.

        Args:
            inputs: The inputs in the order of the model, or a dict of inputs by name. A single input needs no list.
            kwargs: Ignored.

        Returns:
            The outputs as a named tuple.

        Raises:
            Error: What Session.run raises.
        """
        if not isinstance(inputs, dict):
            values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            inputs = dict(zip([info.name for info in self._session.inputs], values))
        outputs = self._session.run(inputs)
        return namedtupledict("Outputs", list(outputs))(*outputs.values())


class LinnetBackend(Backend):
    """The functions that the onnx package asks of a backend; this module has them as functions, too."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> Representation:
        """Loads a model.

        Args:
            model: The model.
            device: "CPU", or "CPU:" and a number.
            kwargs: The options of Session.

        Returns:
            The loaded model.

        Raises:
            ValueError: Linnet does not run on the device.
            Error: What Session raises.
        """
        if not cls.supports_device(device):
            raise ValueError(f"Linnet runs on CPUs, not on {device}")
        return Representation(Session(model.SerializeToString(), **kwargs))

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Any, ...]:
        """Runs one node of the newest operator set that the onnx package knows.

        Args:
            node: The node.
            inputs: Its inputs in order.
            device: As in prepare().
            outputs_info: Ignored; the types of outputs are inferred.
            kwargs: Ignored.

        Returns:
            The outputs as a named tuple.

        Raises:
            Error: What Session and Session.run raise.
        """
        arrays = [np.asarray(value) for value in inputs]
        dtype = onnx.helper.np_dtype_to_tensor_dtype
        infos = [onnx.helper.make_tensor_value_info(name, dtype(x.dtype), x.shape) for name, x in zip(node.input, arrays)]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", infos, outputs)
        imports = [onnx.helper.make_opsetid(node.domain, onnx.defs.onnx_opset_version())]
        return cls.prepare(onnx.helper.make_model(graph, opset_imports=imports), device).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether Linnet runs on the device: "CPU", or "CPU:" and a number."""
        return device.split(":")[0] == "CPU"


prepare = LinnetBackend.prepare
run_model = LinnetBackend.run_model
run_node = LinnetBackend.run_node
supports_device = LinnetBackend.supports_device
is_compatible = LinnetBackend.is_compatible
