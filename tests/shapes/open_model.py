"""A model whose dims are open, and the inputs of other sizes that tests give it."""

from dataclasses import dataclass
from functools import cached_property

import linnet_of_build  # noqa: F401
import linnet
import numpy as np
import onnx
from onnx import helper
from onnx_runtime import OnnxRuntime


@dataclass
class OpenModel:
    model: onnx.ModelProto
    feeds: list  # dicts of arrays by name, one for each binding
    rtol: float = 0  # of floats, against the largest of an output

    @cached_property
    def bytes(self):
        return self.model.SerializeToString()

    @cached_property
    def with_all_values(self):
        """The model with all values of its graph as outputs."""
        result = onnx.ModelProto()
        result.CopyFrom(self.model)
        made = [name for node in result.graph.node for name in node.output if name]
        del result.graph.output[:]
        result.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in made)
        return result

    def answers(self, model):
        """What ONNX Runtime makes of each of the feeds: outputs by name, None where it refuses them."""
        reference = OnnxRuntime(model.SerializeToString(), optimized=False, threads=1)
        return [_answer(reference.outputs, feeds) for feeds in self.feeds]

    def with_numbers(self, model, feeds):
        """What Linnet makes of the feeds where the file has their sizes; None where it refuses them."""
        made = onnx.ModelProto()
        made.CopyFrom(model)
        for value in made.graph.input:
            value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, feeds[value.name].shape))
        for value in made.graph.output:
            value.CopyFrom(helper.make_empty_tensor_value_info(value.name))
        return _answer(lambda x: linnet.Session(made.SerializeToString(), threads=1).run(x), feeds)

    def agree(self, got, want):
        got, want = np.asarray(got), np.asarray(want)
        if got.dtype != want.dtype or got.shape != want.shape:
            return False
        if got.dtype.kind != "f" or not self.rtol:
            return np.array_equal(got, want, equal_nan=got.dtype.kind == "f")
        finite = np.isfinite(want)
        scale = np.abs(want[finite]).max(initial=1e-3)
        return np.array_equal(np.isnan(got), np.isnan(want)) and np.allclose(
            got[finite], want[finite], self.rtol, self.rtol * scale
        )


def _answer(run, feeds):
    try:
        return run(feeds)
    except Exception:  # noqa: BLE001 - each of the engines has errors of its own
        return None
