"""Bodies of operators of control flow."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def info(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def branch(operator):
    """operator(c0), of the value that the case captures."""
    return helper.make_graph([helper.make_node(operator, ["c0"], ["y"])], operator, [], [info("y")])


def accumulate():
    """Of Loop: v = v * 0.5 + c0, which is an output of each round, too."""
    half = numpy_helper.from_array(np.float32(0.5), "half")
    nodes = [
        helper.make_node("Identity", ["again"], ["more"]),
        helper.make_node("Mul", ["v", "half"], ["scaled"]),
        helper.make_node("Add", ["scaled", "c0"], ["next"]),
        helper.make_node("Identity", ["next"], ["row"]),
    ]
    inputs = [info("i", TensorProto.INT64, []), info("again", TensorProto.BOOL, []), info("v")]
    return helper.make_graph(
        nodes, "body", inputs, [info("more", TensorProto.BOOL, []), info("next"), info("row")], [half]
    )


def running_sum():
    """Of Scan."""
    nodes = [helper.make_node("Add", ["sum", "row"], ["next"]), helper.make_node("Identity", ["next"], ["copy"])]
    return helper.make_graph(nodes, "body", [info("sum"), info("row")], [info("next"), info("copy")])


def each_element(operator):
    """Of SequenceMap."""
    return helper.make_graph([helper.make_node(operator, ["e"], ["y"])], operator, [info("e")], [info("y")])
