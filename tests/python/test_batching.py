"""linnet.batched: any number of rows. The bits of a row do not depend on the others."""

import linnet
import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

RNG = np.random.default_rng(11)
SIZE = 8


def weights(name, *shape):
    return numpy_helper.from_array((RNG.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)


def load(folder, nodes, x, y, initializers=(), **options):
    """Returns the session of a float32 model with an input x and an output y of these shapes."""
    values = [("x", TensorProto.FLOAT, x)], [("y", TensorProto.FLOAT, y)]
    return linnet.Session(save_model(folder / "model.onnx", nodes, *values, initializers), **options)


def mlp(folder):
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"], transB=1), helper.make_node("Erf", ["h"], ["e"]),
             helper.make_node("MatMul", ["e", "v"], ["s"]), helper.make_node("Softmax", ["s"], ["y"])]  # fmt: skip
    return load(folder, nodes, ["N", 19], ["N", 5], [weights("w", 33, 19), weights("b", 33), weights("v", 33, 5)])


def cnn(folder):
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4), helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("Conv", ["r", "d"], ["p"], group=16), helper.make_node("Conv", ["p", "v"], ["q"]),
             helper.make_node("GlobalAveragePool", ["q"], ["g"]), helper.make_node("Flatten", ["g"], ["y"])]  # fmt: skip
    kernels = [weights("w", 16, 3, 3, 3), weights("d", 16, 1, 3, 3), weights("v", 21, 16, 3, 3)]
    return load(folder, nodes, ["N", 3, 11, 13], ["N", 21], kernels)


def attention(folder):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["q"]), helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 1]),
             helper.make_node("MatMul", ["q", "t"], ["s"]), helper.make_node("Softmax", ["s"], ["p"]),
             helper.make_node("MatMul", ["p", "x"], ["o"]), helper.make_node("Tanh", ["o"], ["h"]),
             helper.make_node("LayerNormalization", ["h", "g"], ["y"])]  # fmt: skip
    return load(folder, nodes, ["N", 7, 12], ["N", 7, 12], [weights("w", 12, 12), weights("g", 12)])


def recurrent(folder):
    nodes = [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
             helper.make_node("LSTM", ["t", "w", "r"], ["", "h"], hidden_size=9),
             helper.make_node("Squeeze", ["h", "first"], ["y"])]  # fmt: skip
    first = numpy_helper.from_array(np.array([0]), "first")
    return load(folder, nodes, ["N", 6, 5], ["N", 9], [weights("w", 1, 36, 5), weights("r", 1, 36, 9), first])


@pytest.mark.parametrize("make", [mlp, cnn, attention, recurrent])
def test_a_row_has_the_same_bits_alone_and_among_others(tmp_path, make):
    session = make(tmp_path)
    x = RNG.standard_normal((2 * SIZE + 3, *session.inputs[0].shape[1:])).astype(np.float32)
    y = linnet.batched(session, {"x": x}, SIZE)["y"]
    np.testing.assert_allclose(y, session.run({"x": x})["y"], rtol=1e-4, atol=1e-5)
    for i in range(len(x)):
        np.testing.assert_array_equal(linnet.batched(session, {"x": x[i : i + 1]}, SIZE)["y"], y[i : i + 1])
    order = RNG.permutation(len(x))
    np.testing.assert_array_equal(linnet.batched(session, {"x": x[order]}, SIZE)["y"], y[order])


@pytest.mark.parametrize("rows", [0, 1, 4, 5, 8])
def test_every_run_is_of_one_size(linear, rows):
    path, function = linear
    sizes = []

    class Noted(linnet.Session):
        def run(self, inputs):
            sizes.append(len(inputs["x"]))
            return super().run(inputs)

    x = RNG.standard_normal((rows, 3)).astype(np.float32)
    y = linnet.batched(Noted(path), {"x": x}, 4)["y"]
    assert sizes == [4] * max(1, -(-rows // 4)) and y.dtype == np.float32 and y.shape == (rows, 2)
    np.testing.assert_allclose(y, function(x), rtol=1e-5)


@pytest.mark.parametrize("rows", [0, 1, 4, 6])
def test_a_fixed_batch_takes_any_number_of_rows(tmp_path, rows):
    session = load(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], [4, 2], [4, 2])
    x = RNG.standard_normal((rows, 2)).astype(np.float32)
    np.testing.assert_array_equal(linnet.batched(session, {"x": x}, 4)["y"], -x)
    with pytest.raises(linnet.ShapeError, match="input 'x' has 4 rows by the model, not 3"):
        linnet.batched(session, {"x": x}, 3)


@pytest.mark.parametrize("x, dtype", [
    (np.array(["a", "", "ü"], object), TensorProto.STRING), (np.arange(3) > 1, TensorProto.BOOL),
    (np.array([1, -8, 7], ml_dtypes.int4), TensorProto.INT4), (np.arange(3), TensorProto.INT64),
], ids=lambda value: str(value.dtype) if isinstance(value, np.ndarray) else "")  # fmt: skip
@pytest.mark.parametrize("rows", [0, 3])
def test_every_dtype_is_joined(tmp_path, x, dtype, rows):
    path = save_model(tmp_path / "m.onnx", [helper.make_node("Identity", ["x"], ["y"])], [("x", dtype, ["N"])],
                      [("y", dtype, ["N"])], opset=21)  # fmt: skip
    y = linnet.batched(linnet.Session(path), {"x": x[:rows]}, 2)["y"]
    assert y.dtype == x.dtype and y.tolist() == x[:rows].tolist()


def test_sequences_of_a_value_for_each_row_are_joined():
    labels = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["no", "yes"])
    score = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    scores = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.STRING, score))
    graph = helper.make_graph([labels], "test", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
                              [helper.make_value_info("y", scores)])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 1)], ir_version=8)
    x = RNG.random((5, 2), np.float32)
    y = linnet.batched(linnet.Session(model.SerializeToString()), {"x": x}, 2)["y"]
    assert y == [{"no": a, "yes": b} for a, b in x.tolist()]


@pytest.mark.parametrize("inputs, size, kind, text", [
    ({"x": (3, 2), "z": (4, 2)}, 2, linnet.ShapeError, "equally many rows, got {'x': 3, 'z': 4}"),
    ({"x": (3, 2), "z": ()}, 2, linnet.ShapeError, "equally many rows, got {'x': 3, 'z': None}"),
    ({}, 2, linnet.ShapeError, "equally many rows, got {}"),
    ({"x": (3, 2), "z": (3, 2)}, 0, ValueError, "size must be from 1 to 2147483647, got 0"),
    ({"x": (3, 2), "z": (3, 2)}, 2, linnet.ShapeError, r"output 's' has no row for each of 2 rows: it is \(\)"),
    ({"x": (3, 2), "z": (3, 4)}, 2, linnet.ShapeError, "'z'"),
    ({"x": (3, 2)}, 2, linnet.ModelError, "input 'z' is missing"),
])  # fmt: skip
def test_what_is_no_batch_is_named(tmp_path, inputs, size, kind, text):
    values = [("x", TensorProto.FLOAT, ["N", 2]), ("z", TensorProto.FLOAT, ["N", 2])]
    nodes = [helper.make_node("Add", ["x", "z"], ["y"]), helper.make_node("ReduceSum", ["y"], ["s"], keepdims=0)]
    path = save_model(tmp_path / "m.onnx", nodes, values, [("y", *values[0][1:]), ("s", TensorProto.FLOAT, [])])
    with pytest.raises(kind, match=text):
        linnet.batched(linnet.Session(path), {name: np.ones(shape, np.float32) for name, shape in inputs.items()}, size)
