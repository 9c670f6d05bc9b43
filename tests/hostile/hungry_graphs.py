"""Models whose names, attributes, functions, nodes or outputs take more memory than their file has bytes."""

import numpy as np
from demanding import FLOAT, INT64, STRING, constant, info, node
from hungry import HUNGRY, MICROSOFT, ML
from onnx import AttributeProto, helper

IMPORTS = [helper.make_opsetid("", 21), helper.make_opsetid(ML, 5), helper.make_opsetid(MICROSOFT, 1), helper.make_opsetid("f", 1)]
Kind = AttributeProto


def model(nodes, inputs, outputs=(("y", FLOAT, None),), initializers=(), functions=()):
    graph = helper.make_graph(nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=IMPORTS, functions=list(functions), ir_version=10)


def hungry_graph(function):
    HUNGRY[function.__name__] = function


def chain(op_type, count, **attributes):
    names = ["x", *(f"t{i}" for i in range(count - 1)), "y"]
    return [node(op_type, [names[i]], [names[i + 1]], **attributes) for i in range(count)]


# Names.


@hungry_graph
def long_names_of_dims():
    return model(chain("Relu", 3000), [("x", FLOAT, [f"{'d' * 400_000}{i}" for i in range(4)])])
