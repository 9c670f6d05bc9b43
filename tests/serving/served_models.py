"""The models that the tests serve."""

import onnx
from networks import Network
from onnx import TensorProto, helper

ROWS = 64
BUSY = 2e6  # as the first number of a row, makes the model take a second or more
INFO = helper.make_tensor_value_info


def save_rows_model(path):
    """Scores of 10 classes for images of 8 x 8. Without batch_invariant=True, bits depend on the batch on processors
    whose caches make Winograd's tiles faster only for some batches."""
    n = Network()
    x = n.input("x", TensorProto.FLOAT, ["N", ROWS])
    scores = image_scores(n, n.op("Reshape", x, n.vector([-1, 1, 8, 8], "int64")))
    turns = n.op("Cast", n.op("ReduceMax", x, keepdims=0), to=TensorProto.INT64)
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("Neg", ["v"], ["w"])], "body",
        [INFO("i", TensorProto.INT64, []), INFO("go", TensorProto.BOOL, []), INFO("v", TensorProto.FLOAT, ["N", 10])],
        [INFO("more", TensorProto.BOOL, []), INFO("w", TensorProto.FLOAT, ["N", 10])])  # fmt: skip
    n.op("Loop", n.op("Div", turns, n.vector(10, "int64")), "", scores, out="z", body=body)
    n.op("Softmax", "z", out="y")
    n.save(path, "y")
    return path


def image_scores(n, images):
    c = n.op("Relu", n.conv(images, 1, 256, 5))
    c = n.op("Relu", n.conv(c, 256, 256, 3, pads=[1, 1, 1, 1]))
    return n.op("MatMul", n.op("Flatten", c), n.constant(4096, 10, scale=0.02))


def save_pairs_model(path):
    """Scores of an image of 8 x 8 with 6 ids below 50, and the ids in reverse."""
    n = Network()
    images = n.input("input", TensorProto.FLOAT, ["batch", 1, 8, 8])
    ids = n.input("input.ids", TensorProto.INT64, ["batch", 6])
    words = n.op("ReduceMean", n.op("Gather", n.constant(50, 10), ids), axes=[1], keepdims=0)
    n.op("Mul", image_scores(n, images), words, out="scores")
    n.op("Slice", ids, *(n.vector([value], "int64") for value in (-1, -7, 1, -1)), out="reversed")
    return save(n, path, scores=TensorProto.FLOAT, reversed=TensorProto.INT64)


def save_lengths_model(path):
    """The mean of the vectors of ids; the number of ids is open."""
    n = Network()
    ids = n.input("ids", TensorProto.INT64, ["batch", "length"])
    n.op("ReduceMean", n.op("Gather", n.constant(50, 10), ids), axes=[1], keepdims=0, out="mean")
    return save(n, path, mean=TensorProto.FLOAT)


def save(n, path, **outputs):
    values = [INFO(name, kind, None) for name, kind in outputs.items()]
    graph = helper.make_graph(n.nodes, "served", n.inputs, values, n.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    return path
