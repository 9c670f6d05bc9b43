"""Features of public models that the specification lacks or contradicts, and that ONNX Runtime supports."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_runtime import OnnxRuntime

rng = np.random.default_rng(0)


def node(name, inputs, outputs=("y",), **attributes):
    return helper.make_node(name, inputs, list(outputs), **attributes)


def model(nodes, feeds, outputs=("y",), constants=None, imports=(("", 18),), shapes=None):
    """Returns a model whose inputs are `feeds`, with the given shapes or those of the feeds."""
    shapes = shapes or {}
    given = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), shapes.get(name, x.shape))
        for name, x in feeds.items()
    ]
    made = [helper.make_empty_tensor_value_info(name) for name in outputs]
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(nodes, "public", given, made, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*entry) for entry in imports], ir_version=9)


def branches(taken):
    """Returns, by a condition, x without its first axis, which it does not have, or x unchanged."""
    bodies = [
        helper.make_graph([made], f"b{i}", [], [helper.make_empty_tensor_value_info(f"o{i}")])
        for i, made in enumerate((node("Squeeze", ["s", "axes"], ["o0"]), node("Identity", ["s"], ["o1"])))
    ]
    nodes = [
        node("ReduceSum", ["x"], ["s"], keepdims=0),
        node("If", ["c"], then_branch=bodies[0], else_branch=bodies[1]),
    ]
    return model(nodes, {"x": X[0]}, constants={"c": np.array(taken), "axes": np.array([0])})


def linear_classifier(coefficients, scores):
    attributes = {"coefficients": [float(i) for i in range(coefficients)], "intercepts": [0.5] * scores}
    attributes["classlabels_ints"] = list(range(max(2, scores)))
    made = node("LinearClassifier", ["x"], ["label", "y"], domain="ai.onnx.ml", **attributes)
    return model([made], {"x": X[0]}, ("label", "y"), imports=(("", 18), ML), shapes={"x": ["N", 3]})


def qlinear_matmul(scales, zeros):
    constants = {
        "xs": np.float32(0.02), "xz": np.uint8(128), "w": rng.integers(-99, 99, (4, 3)).astype(np.int8),
        "ws": np.full(scales, 0.013, np.float32), "wz": np.full(zeros, 3, np.int8), "ys": np.float32(0.5),
        "yz": np.uint8(128),
    }  # fmt: skip
    return model([node("QLinearMatMul", ["x", *constants])], {"x": BYTES}, constants=constants, imports=(("", 13),))


def variadic(name, count):
    feeds = {f"x{i}": (X[0] * 0 + i % 7).astype(np.float32) for i in range(count)}
    return model([node(name, list(feeds))], feeds), feeds


def vectorizer(*widths):
    names = [f"x{i}" for i in range(len(widths))]
    made = node("FeatureVectorizer", names, domain="ai.onnx.ml", inputdimensions=list(widths))
    return model([made], {name: X for name in names}, imports=(("", 18), ML)), {name: X for name in names}


ML = ("ai.onnx.ml", 3)
X = rng.standard_normal((2, 2, 3)).astype(np.float32)
IMAGE = rng.standard_normal((1, 1, 3, 3)).astype(np.float32)
BYTES = rng.integers(0, 255, (2, 4)).astype(np.uint8)
NOTHING = np.zeros((0, 2, 2, 0, 0), np.float32)
ONE = X[:, :1]
AXES = {"axes": np.array([1, -2])}
WIDE = {"kernel_shape": [5, 5], "strides": [5, 5]}

CASES = {
    "a zero point for scales of columns": (qlinear_matmul((3,), ()), BYTES),
    "zero points of columns for a scale": (qlinear_matmul((), (3,)), BYTES),
    "one zero point in a vector": (qlinear_matmul((3,), (1,)), BYTES),
    "a reshape of nothing that copies zeros": (
        model([node("Reshape", ["x", "s"])], {"x": NOTHING}, constants={"s": np.array([0, 2, 0, 0])}), NOTHING),
    "a domain that is not imported": (
        model([node("Scaler", ["x"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0])], {"x": X[0]}), X[0]),
    "com.microsoft, not imported": (model([node("Gelu", ["x"], domain="com.microsoft")], {"x": X}), X),
    "no import of ai.onnx": (model([node("Softmax", ["x"])], {"x": X}, imports=(ML,)), X),
    "two imports, the later one last": (
        model([node("Softmax", ["x"])], {"x": X}, imports=(("", 11), ("", 13))), X),
    "two imports, the later one first": (
        model([node("Softmax", ["x"])], {"x": X}, imports=(("", 13), ("ai.onnx", 11))), X),
    "a window larger than the data": (model([node("MaxPool", ["x"], **WIDE)], {"x": IMAGE}), IMAGE),
    "a mean of a window larger than the data": (model([node("AveragePool", ["x"], **WIDE)], {"x": IMAGE}), IMAGE),
    "a window larger by one": (model([node("MaxPool", ["x"], kernel_shape=[4, 4])], {"x": IMAGE}), IMAGE),
    "an axis that is squeezed twice": (model([node("Squeeze", ["x", "axes"])], {"x": ONE}, constants=AXES), ONE),
    "an axis that is reduced twice": (
        model([node("ReduceMean", ["x", "axes"], keepdims=0)], {"x": X}, constants=AXES), X),
    "an axis that is reduced twice, an attribute": (
        model([node("ReduceSum", ["x"], axes=[1, 1])], {"x": X}, imports=(("", 11),)), X),
    "a type for the mean that is undefined": (
        model([node("LayerNormalization", ["x", "w"], stash_type=0)], {"x": X},
              constants={"w": np.ones(3, np.float32)}), X),
    "a type for the mean that nobody reads": (
        model([node("LayerNormalization", ["x", "w"], stash_type=11)], {"x": X},
              constants={"w": np.ones(3, np.float32)}), X),
    "features of rank 3": (vectorizer(6)[0], {"x0": X}),
    "features of rank 3 that are cut": (vectorizer(4, 5)[0], {"x0": X, "x1": X}),
    "features before dims of 1, scaled": (
        model([node("Scaler", ["x"], domain="ai.onnx.ml", offset=[1.0, 2.0, 3.0], scale=[2.0, 3.0, 4.0])],
              {"x": X[0].reshape(2, 3, 1, 1)}, imports=(("", 18), ML)), X[0].reshape(2, 3, 1, 1)),
    "features before dims of 1, imputed": (
        model([node("Imputer", ["x"], domain="ai.onnx.ml", imputed_value_floats=[1.0, 2.0, 3.0],
                    replaced_value_float=0.0)],
              {"x": X[0].round().reshape(2, 3, 1, 1)}, imports=(("", 18), ML)), X[0].round().reshape(2, 3, 1, 1)),
    "more coefficients than features": (linear_classifier(12, 3), X[0]),
    "more coefficients than features, one score": (linear_classifier(5, 1), X[0]),
    **{f"{name} of {n}": variadic(name, n) for name in ("Sum", "Mean", "Max", "Min") for n in (65, 300)}, }  # fmt: skip


def feeds_of(made, given):
    return given if isinstance(given, dict) else {made.graph.input[0].name: given}


@pytest.mark.parametrize("name", CASES)
def test_runs_as_in_onnx_runtime(run_model, tmp_path, name):
    made, given = CASES[name]
    feeds = feeds_of(made, given)
    onnx.save(made, tmp_path / "model.onnx")
    want = OnnxRuntime(made.SerializeToString()).outputs(feeds)
    got = run_model.outputs(tmp_path / "model.onnx", feeds)
    for output, value in want.items():
        np.testing.assert_allclose(got[output], value, 1e-5, 1e-6, strict=True)


@pytest.mark.parametrize("taken", (True, False))
def test_a_scalar_is_squeezed_in_a_body_as_in_pytorch(run_model, tmp_path, taken):
    """ONNX Runtime accepts such a body as long as it is not executed."""
    onnx.save(branches(taken), tmp_path / "model.onnx")
    got = run_model.outputs(tmp_path / "model.onnx", {"x": X[0]})["y"]
    np.testing.assert_allclose(got, X[0].sum(), 1e-5, strict=False)


def test_pads_as_large_as_the_window(run_model, tmp_path):
    """ONNX Runtime refuses them. The result must be as if the zeros were part of the data."""
    window = {"kernel_shape": [2, 2], "count_include_pad": 1}
    onnx.save(model([node("AveragePool", ["x"], pads=[2, 3, 2, 0], **window)], {"x": IMAGE}), tmp_path / "pads.onnx")
    padded = np.pad(IMAGE, ((0, 0), (0, 0), (2, 2), (3, 0)))
    want = OnnxRuntime(model([node("AveragePool", ["x"], **window)], {"x": padded}).SerializeToString())
    got = run_model.outputs(tmp_path / "pads.onnx", {"x": IMAGE})["y"]
    np.testing.assert_allclose(got, want.run({"x": padded})[0], 1e-5, 1e-6, strict=True)


def test_words_are_bools(run_model, tmp_path):
    """Linnet writes bools as words. ONNX Runtime reads only numbers."""
    words = np.array(["False", "true", " 1", "0.0"], object)
    nodes = [node("Cast", ["w"], [kind], to=TensorProto.DataType.Value(kind)) for kind in ("BOOL", "INT64", "FLOAT")]
    onnx.save(model(nodes, {}, ("BOOL", "INT64", "FLOAT"), {"w": words}), tmp_path / "model.onnx")
    got = run_model.outputs(tmp_path / "model.onnx")
    for output in got.values():
        np.testing.assert_array_equal(output.astype(np.int64), [0, 1, 1, 0])
