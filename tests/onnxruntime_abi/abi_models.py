"""The models of the tests, as bytes."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, TEXT = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def value(name, kind=FLOAT, shape=(2, 3)):
    return helper.make_tensor_value_info(name, kind, shape)


def model_proto(nodes, inputs, outputs, weights=(), domains=(), properties=None, opset=17, ir=8, **attributes):
    """Returns a model. weights: arrays by name; domains: versions by name."""
    weights = [numpy_helper.from_array(array, name) for name, array in dict(weights).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*item) for item in dict(domains).items())]
    model = helper.make_model(graph, opset_imports=opsets, **attributes)
    model.ir_version = ir
    helper.set_model_props(model, properties or {})
    return model


def model(*arguments, **keywords):
    """Returns the bytes of model_proto()."""
    return model_proto(*arguments, **keywords).SerializeToString()


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def one(operator, kind=FLOAT, shape=(2, 3), **attributes):
    """z = operator(x)."""
    return model([node(operator, "x", "z", **attributes)], [value("x", kind, shape)], [value("z", kind, shape)])


ADD = model([node("Add", "x y", "z", name="sum")], [value("x", shape=["N", 3]), value("y", shape=["N", 3])],
            [value("z", shape=["N", 3])])  # fmt: skip
IDENTITY = one("Identity", shape=["N", 3])
W = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
WEIGHTED = model([node("Add", "x w", "z")], [value("x")], [value("z")], {"w": W})
# An input may override w.
OVERRIDABLE = model([node("Add", "x w", "z")], [value("x"), value("w")], [value("z")], {"w": W})
X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.ones((2, 3), np.float32)
