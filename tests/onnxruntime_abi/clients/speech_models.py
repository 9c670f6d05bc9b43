"""Models with the interface that sherpa-onnx requires of voice activity detectors and recognisers."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
TOKENS = ["<blk>", "\u2581the", "\u2581cat", "\u2581sat", "\u2581on", "a", "b", "s"]


def save(path, nodes, inputs, outputs, weights, metadata=None):
    inputs, outputs = ([helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs))
    weights = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    model = helper.make_model(helper.make_graph(nodes, "speech", inputs, outputs, weights),
                              opset_imports=[helper.make_opsetid("", 16)], ir_version=8)  # fmt: skip
    helper.set_model_props(model, metadata or {})
    onnx.save(model, path)
    return path


def write_detector(path):
    """A detector that treats loud sound as a voice. Its state depends slightly on the past."""
    nodes = [
        helper.make_node("Abs", ["input"], ["loud"]),
        helper.make_node("ReduceMean", ["loud"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("ReduceMean", ["state"], ["past"], axes=[0, 2], keepdims=0),
        helper.make_node("Unsqueeze", ["past", "one"], ["column"]),
        helper.make_node("Add", ["mean", "column"], ["both"]),
        helper.make_node("Mul", ["both", "steep"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "middle"], ["centred"]),
        helper.make_node("Sigmoid", ["centred"], ["output"]),
        helper.make_node("Mul", ["state", "half"], ["faded"]),
        helper.make_node("Mul", ["mean", "half"], ["fresh"]),
        helper.make_node("Add", ["faded", "fresh"], ["stateN"]),
    ]
    weights = {"one": np.array([1]), "steep": np.float32(60), "middle": np.float32(4), "half": np.float32(0.1)}
    return save(path, nodes, [("input", FLOAT, [None, None]), ("state", FLOAT, [2, None, 128]), ("sr", INT64, [])],
                [("output", FLOAT, [None, 1]), ("stateN", FLOAT, [None, None, None])], weights)  # fmt: skip


def write_recogniser(path):
    """Computes log probabilities of tokens from features, with two convolutions that halve the length and a product,
    all random."""
    random = np.random.default_rng(2)
    weights = {"c1": random.standard_normal((32, 80, 3)) * 0.1, "c2": random.standard_normal((32, 32, 3)) * 0.1,
               "w": random.standard_normal((32, len(TOKENS)))}  # fmt: skip
    weights = {name: array.astype(np.float32) for name, array in weights.items()} | {"four": np.array(4)}
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["level"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["x", "level"], ["centred"]),
        helper.make_node("Transpose", ["centred"], ["channels"], perm=[0, 2, 1]),
        helper.make_node("Conv", ["channels", "c1"], ["y1"], strides=[2], pads=[1, 1]),
        helper.make_node("Relu", ["y1"], ["z1"]),
        helper.make_node("Conv", ["z1", "c2"], ["y2"], strides=[2], pads=[1, 1]),
        helper.make_node("Relu", ["y2"], ["z2"]),
        helper.make_node("Transpose", ["z2"], ["rows"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["rows", "w"], ["scores"]),
        helper.make_node("LogSoftmax", ["scores"], ["log_probs"], axis=-1),
        helper.make_node("Div", ["x_lens", "four"], ["log_probs_len"]),
    ]
    return save(path, nodes, [("x", FLOAT, ["N", "T", 80]), ("x_lens", INT64, ["N"])],
                [("log_probs", FLOAT, ["N", None, len(TOKENS)]), ("log_probs_len", INT64, ["N"])], weights,
                {"model_type": "zipformer2_ctc", "subsampling_factor": "4", "comment": "random weights"})  # fmt: skip


def write_tokens(path):
    path.write_text("".join(f"{token} {i}\n" for i, token in enumerate(TOKENS)), encoding="utf-8")
    return path
