"""The inputs of a decoder: states, which it returns longer, and inputs of one step.

A state is an input past* whose output is present* with the same end; all else of the name of past are inputs that stay,
as the keys and values of an encoder.
"""

import dataclasses

import numpy as np
import onnx
from onnx import helper

PRODUCTS = {"MatMul", "Gemm", "MatMulNBits", "FusedMatMul", "QMoE", "MoE"}


@dataclasses.dataclass
class Feeds:
    """Of a batch of one. `states`: the output of each input; `past`: their first values, as many rows as asked for."""

    states: dict
    past: dict
    fixed: dict
    names: set
    length: int

    def step(self, i):
        """The inputs but states of the step with this number."""
        behind = self.length + i
        values = {
            "input_ids": np.array([[7 + i]]),
            "attention_mask": np.ones((1, behind + 1), np.int64),
            "position_ids": np.array([[behind]]),
        }
        return self.fixed | {name: value for name, value in values.items() if name in self.names}


def make(path, length):
    graph = onnx.load(path, load_external_data=False).graph
    outputs = {value.name for value in graph.output}
    inputs = {value.name: value for value in graph.input}
    random = np.random.default_rng(0)
    past, fixed, states = {}, {}, {}
    for name in (name for name in inputs if name.startswith("past")):
        output = "present" + name[name.index(".") :]
        kept = past if output in outputs else fixed
        kept[name] = random.standard_normal(shape_of(inputs[name], length)).astype(dtype_of(inputs[name]))
        if kept is past:
            states[name] = output
    return Feeds(states, past, fixed, set(inputs), length)


def shape_of(value, length):
    """The first dim is the batch; all others that are symbolic are lengths."""
    _, *dims = value.type.tensor_type.shape.dim
    return [1, *(dim.dim_value or length for dim in dims)]


def dtype_of(value):
    return helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)


def weight_bytes(path):
    """Of constants that products multiply by: what a step must read of them."""
    graph = onnx.load(path, load_external_data=False).graph
    read = {name for node in graph.node if node.op_type in PRODUCTS for name in node.input}
    return sum(size_of(weight) for weight in graph.initializer if weight.name in read)


def size_of(weight):
    bits = helper.tensor_dtype_to_np_dtype(weight.data_type).itemsize * 8
    return int(np.prod(weight.dims)) * bits // 8


def shares_buffers(path):
    """Whether ONNX Runtime may write new rows after past ones in place."""
    graph = onnx.load(path, load_external_data=False).graph
    return any(node.op_type == "GroupQueryAttention" for node in graph.node)
