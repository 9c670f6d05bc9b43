"""Models as bytes, for the tests of the C API."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(3)


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def model_bytes(nodes, inputs, outputs, initializers=(), **fields):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid(domain, version) for domain, version in (("", 21), ("com.microsoft", 1), ("custom", 1), ("mine", 1))]
    return helper.make_model(graph, ir_version=10, opset_imports=imports, **fields).SerializeToString()


def identity(dtype, shape):
    """Returns a model whose output y is its input x."""
    node = helper.make_node("Identity", ["x"], ["y"])
    return model_bytes([node], [value("x", dtype, shape)], [value("y", dtype, shape)])


def node_model(inputs=("a", "b"), outputs=("y",), dtype=TensorProto.FLOAT, shape=("N", 3), **attributes):
    """Returns a model of one node mine::Op."""
    names = [name for name in inputs if name]
    node = helper.make_node("Op", inputs, outputs, "node", domain="mine", **attributes)
    return model_bytes([node], [value(name, dtype, shape) for name in names],
                       [value(name, dtype, None) for name in outputs if name])  # fmt: skip


# y = x w, and its negative z.
W = RNG.standard_normal((3, 2)).astype(np.float32)
LINEAR = model_bytes(
    [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Neg", ["y"], ["z"])],
    [value("x", TensorProto.FLOAT, ["N", 3])], [value(name, TensorProto.FLOAT, ["N", 2]) for name in "yz"],
    [numpy_helper.from_array(W, "w")], producer_name="me", doc_string="about")  # fmt: skip
X = RNG.standard_normal((4, 3)).astype(np.float32)

# A loop that negates x, endlessly if `go` is true.
ENDLESS = model_bytes(
    [helper.make_node("Loop", ["", "go", "x"], ["y"], body=helper.make_graph(
        [helper.make_node("Identity", ["on"], ["next"]), helper.make_node("Neg", ["s"], ["t"])], "body",
        [value("i", TensorProto.INT64, []), value("on", TensorProto.BOOL, []), value("s", TensorProto.FLOAT, [2])],
        [value("next", TensorProto.BOOL, []), value("t", TensorProto.FLOAT, [2])]))],
    [value("x", TensorProto.FLOAT, [2]), value("go", TensorProto.BOOL, [])],
    [value("y", TensorProto.FLOAT, [2])])  # fmt: skip
ENDLESS_INPUTS = [np.ones(2, np.float32), np.array(True)]
