"""Bodies of control-flow operators."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def info(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def branch(operator):
    """Returns operator(c0), of the value that the case captures."""
    return helper.make_graph([helper.make_node(operator, ["c0"], ["y"])], operator, [], [info("y")])


def accumulate():
    """Returns a body of Loop: v = v * 0.5 + c0, which is also an output of each round."""
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
    """Returns a body of Scan."""
    nodes = [helper.make_node("Add", ["sum", "row"], ["next"]), helper.make_node("Identity", ["next"], ["copy"])]
    return helper.make_graph(nodes, "body", [info("sum"), info("row")], [info("next"), info("copy")])


def each_element(operator):
    """Returns a body of SequenceMap."""
    return helper.make_graph([helper.make_node(operator, ["e"], ["y"])], operator, [info("e")], [info("y")])


def decoder(vocabulary, width):
    """Returns the decoder of BeamSearch and similar operators: logits that depend on each token alone, and one row of
    keys and values for each."""
    rng = np.random.default_rng(0)
    rows, columns = ((rng.standard_normal(dims) * 0.3).astype(np.float32) for dims in ((vocabulary, width), (width, vocabulary)))
    weights = [numpy_helper.from_array(value, name) for name, value in (("rows", rows), ("columns", columns))]
    weights += [numpy_helper.from_array(np.array(axes), name) for name, axes in (("axes", [0, 2]), ("twice", [2, 1, 1, 1, 1]))]
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["x"]),
        helper.make_node("MatMul", ["x", "columns"], ["logits"]),
        helper.make_node("Unsqueeze", ["x", "axes"], ["keys"]),
        helper.make_node("Tile", ["keys", "twice"], ["pair"]),
        helper.make_node("Concat", ["past_0", "pair"], ["present_0"], axis=3),
    ]
    inputs = [info(name, TensorProto.INT32, ["b", "s"]) for name in ("input_ids", "position_ids", "attention_mask")]
    inputs.append(info("past_0", shape=[2, "b", 1, "p", width]))
    outputs = [info("logits", shape=["b", "s", vocabulary]), info("present_0", shape=[2, "b", 1, "t", width])]
    return helper.make_graph(nodes, "decoder", inputs, outputs, weights)


def language_model(vocabulary, width):
    """Returns attributes of a search that no token ends."""
    return {"decoder": decoder(vocabulary, width), "eos_token_id": vocabulary, "pad_token_id": vocabulary}
