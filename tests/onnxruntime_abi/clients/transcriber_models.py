"""Models with random weights in the layout of moonshine's smallest one, written in ONNX Runtime's own file format."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
WIDTH, LAYERS, HEADS, HEAD, VOCABULARY, RANK = 288, 6, 8, 36, 32768, 16


class Graph:
    """Nodes and random weights of a model."""

    def __init__(self, seed):
        self.random, self.nodes, self.weights = np.random.default_rng(seed), [], []

    def weight(self, name, *shape):
        return self.constant(name, (self.random.standard_normal(shape) * 0.2).astype(np.float32))

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def model(self, inputs, outputs):
        sides = ([helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs))
        graph = helper.make_graph(self.nodes, "speech", *sides, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8).SerializeToString()


def encoder():
    """Computes features, each for 24 ms of sound."""
    graph = Graph(1)
    sound = graph.node("Unsqueeze", ["input_values", graph.constant("one", [1])], "sound")
    features = graph.node("Conv", [sound, graph.weight("filters", WIDTH, 1, 384)], "features", strides=[384])
    graph.node("Transpose", [graph.node("Tanh", [features], "bounded")], "last_hidden_state", perm=[0, 2, 1])
    return graph.model(
        [("input_values", FLOAT, ["batch", "samples"])], [("last_hidden_state", FLOAT, ["batch", None, WIDTH])]
    )


def heads(graph, x, name):
    split = graph.node("Reshape", [x, "heads"], f"{name}.split")
    return graph.node("Transpose", [split], f"{name}.heads", perm=[0, 2, 1, 3])


def decoder():
    """Computes scores of the next token from the last one and the mean of the features, and growing caches."""
    graph = Graph(2)
    graph.constant("heads", [0, 0, HEADS, HEAD])
    token = graph.node("Gather", [graph.weight("embedding", VOCABULARY, RANK), "input_ids"], "token")
    token = graph.node("MatMul", [token, graph.weight("widen", RANK, WIDTH)], "wide")
    mean = graph.node("ReduceMean", ["encoder_hidden_states"], "mean", axes=[1], keepdims=1)
    past = graph.node(
        "ReduceSum", ["past_key_values.0.decoder.key", graph.constant("axes", [1, 2, 3])], "past", keepdims=0
    )
    past = graph.node("Mul", [past, graph.constant("small", np.float32(0.002))], "small_past")
    past = graph.node("Reshape", [graph.node("Sin", [past], "wave"), graph.constant("column", [-1, 1, 1])], "moving")
    x = graph.node("Add", [graph.node("Add", [token, mean], "both"), past], "x")
    narrow = graph.node("MatMul", [x, graph.weight("narrow", WIDTH, RANK)], "narrow_x")
    graph.node("MatMul", [narrow, graph.weight("head", RANK, VOCABULARY)], "logits")
    inputs = [("input_ids", INT64, ["batch", "tokens"]), ("encoder_hidden_states", FLOAT, ["batch", "features", WIDTH])]
    outputs = [("logits", FLOAT, ["batch", "tokens", VOCABULARY])]
    fresh = {"decoder": heads(graph, x, "own"), "encoder": heads(graph, "encoder_hidden_states", "other")}
    for i in range(LAYERS):
        for side, values in fresh.items():
            for kind in ("key", "value"):
                old, new = f"past_key_values.{i}.{side}.{kind}", f"present.{i}.{side}.{kind}"
                (
                    graph.node("Concat", [old, values], new, axis=2)
                    if side == "decoder"
                    else graph.node("Identity", [values], new)
                )
                inputs.append((old, FLOAT, ["batch", HEADS, f"past_{side}", HEAD]))
                outputs.append((new, FLOAT, ["batch", HEADS, None, HEAD]))
    return graph.model([*inputs, ("use_cache_branch", TensorProto.BOOL, [1])], outputs)


def write_models(ort, folder):
    """Writes both models to a folder in ONNX Runtime's format, with objects of its library."""
    for name, contents in (("encoder_model", encoder()), ("decoder_model_merged", decoder())):
        options = ort.options(session__save_model_format="ORT")
        ort.api.SetSessionGraphOptimizationLevel(options, 1)
        ort.api.SetOptimizedModelFilePath(options, str(folder / f"{name}.ort").encode())
        ort.session(contents, options)
    return folder
