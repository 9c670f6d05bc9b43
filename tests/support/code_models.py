"""The models that the documentation uses."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

IMAGE = ("x", TensorProto.FLOAT, [1, 3, 224, 224])


def save_models(folder):
    mean = helper.make_node("ReduceMean", ["x"], ["y"], axes=[1, 2], keepdims=0)
    save_model(folder / "model.onnx", [mean], [IMAGE], [("y", TensorProto.FLOAT, [1, 224])])

    layers = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("GlobalMaxPool", ["c"], ["y"])]
    weights = numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    save_model(folder / "classifier.onnx", layers, [IMAGE], [("y", TensorProto.FLOAT, [1, 4, 1, 1])], [weights])

    relu = helper.make_node("Relu", ["x"], ["y"])
    save_model(folder / "rows.onnx", [relu], *([(name, TensorProto.FLOAT, ["N", 64])] for name in "xy"))

    save_decoder(folder / "decoder.onnx")
    save_detector_of_speech(folder / "speech.onnx")

    random = helper.make_node("RandomNormal", [], ["y"], shape=[100])
    save_model(folder / "random.onnx", [random], [], [("y", TensorProto.FLOAT, [100])])

    pair = helper.make_node("SequenceConstruct", ["x", "x"], ["y"])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([pair], "test", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "sequence.onnx")

    twice = helper.make_node("twice", ["x"], ["y"], domain="my_domain")
    values = [(name, TensorProto.FLOAT, [3]) for name in "xy"]
    save_model(folder / "twice.onnx", [twice], values[:1], values[1:], domains={"my_domain": 1})


def save_decoder(path):
    """Saves attention with 4 heads over 2 heads of keys and values, which are past ones followed by x times a
    matrix."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["rows"])]
    inputs = ["x", "rows", "rows", "", "past.0.key", "past.0.value"]
    nodes.append(helper.make_node("Attention", inputs, ["y", "present.0.key", "present.0.value"], q_num_heads=4, kv_num_heads=2))
    weights = numpy_helper.from_array(np.random.default_rng(0).standard_normal((32, 16)).astype(np.float32), "w")
    caches = [[(f"{side}.0.{name}", TensorProto.FLOAT, [1, 2, rows, 8]) for name in ("key", "value")]
              for side, rows in (("past", "P"), ("present", "T"))]  # fmt: skip
    x, y = ((name, TensorProto.FLOAT, [1, "S", 32]) for name in "xy")
    save_model(path, nodes, [x, *caches[0]], [y, *caches[1]], [weights], opset=23)


def save_detector_of_speech(path):
    """The inputs and outputs of silero-vad: the probability is the largest sample."""
    nodes = [
        helper.make_node("ReduceMax", ["input"], ["output"], axes=[1]),
        helper.make_node("Add", ["state", "output"], ["stateN"]),
    ]
    inputs = [("input", TensorProto.FLOAT, [1, 576]), ("state", TensorProto.FLOAT, [2, 1, 128]), ("sr", TensorProto.INT64, [])]
    outputs = [("output", TensorProto.FLOAT, [1, 1]), ("stateN", TensorProto.FLOAT, [2, 1, 128])]
    save_model(path, nodes, inputs, outputs)
