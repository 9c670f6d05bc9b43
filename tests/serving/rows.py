"""A model for rows of 64 numbers."""

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
    c = n.op("Reshape", x, n.vector([-1, 1, 8, 8], "int64"))
    c = n.op("Relu", n.conv(c, 1, 256, 5))
    c = n.op("Relu", n.conv(c, 256, 256, 3, pads=[1, 1, 1, 1]))
    scores = n.op("MatMul", n.op("Flatten", c), n.constant(4096, 10, scale=0.02))
    turns = n.op("Cast", n.op("ReduceMax", x, keepdims=0), to=TensorProto.INT64)
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("Neg", ["v"], ["w"])], "body",
        [INFO("i", TensorProto.INT64, []), INFO("go", TensorProto.BOOL, []), INFO("v", TensorProto.FLOAT, ["N", 10])],
        [INFO("more", TensorProto.BOOL, []), INFO("w", TensorProto.FLOAT, ["N", 10])])  # fmt: skip
    n.op("Loop", n.op("Div", turns, n.vector(10, "int64")), "", scores, out="z", body=body)
    n.op("Softmax", "z", out="y")
    n.save(path, "y")
    return path
