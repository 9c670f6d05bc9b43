"""Small ONNX files for the tests of run_model."""

import numpy as np
import onnx
from onnx import helper, numpy_helper


def save_model(path, nodes, inputs, outputs, initializers=(), opset=17, domains=None):
    """Writes a model. inputs and outputs: (name, TensorProto type, shape). domains: additional opset imports."""
    values = [[helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "test", *values, initializer=list(initializers))
    imports = [helper.make_opsetid(*item) for item in {"": opset, **(domains or {})}.items()]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    onnx.save(model, str(path))
    return path


def save_tensor(path, array, name=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(numpy_helper.from_array(np.asarray(array), name).SerializeToString())


def identity(path, dtype, shape):
    """Writes a model whose output y is its input x."""
    node = helper.make_node("Identity", ["x"], ["y"])
    return save_model(path, [node], [("x", dtype, shape)], [("y", dtype, shape)])
