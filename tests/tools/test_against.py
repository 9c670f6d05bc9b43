"""run_model compare --against: a model and another form of it."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


@pytest.fixture
def perceptron(tmp_path):
    """Two products with a Relu between them, y float32[N,4] from x float32[N,16]."""
    rng = np.random.default_rng(5)
    weights = {"w1": (16, 32), "w2": (32, 4)}
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h"], "first"),
        helper.make_node("Relu", ["h"], ["r"], "relu"),
        helper.make_node("MatMul", ["r", "w2"], ["y"], "second"),
    ]
    return save_model(
        tmp_path / "float.onnx", nodes, [("x", TensorProto.FLOAT, ["N", 16])], [("y", TensorProto.FLOAT, ["N", 4])],
        [numpy_helper.from_array((rng.standard_normal(shape) / 4).astype(np.float32), name) for name, shape in weights.items()],
    )  # fmt: skip


def changed(model, path, change):
    """Returns a copy of the model in which change(graph) was called."""
    document = onnx.load(model)
    change(document.graph)
    onnx.save(document, path)
    return path


def rename(names):
    def change(graph):
        for values in (graph.input, graph.output):
            for value in values:
                value.name = names.get(value.name, value.name)
        for node in graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]

    return change


def scale_second(graph):
    weight = next(tensor for tensor in graph.initializer if tensor.name == "w2")
    weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) * np.float32(1.5), "w2"))


def compare(run_model, *arguments, code=0):
    return json.loads(run_model("compare", *arguments, "--json", "-", code=code).stdout)


def test_quantised_form_differs_by_its_noise(run_model, perceptron, tmp_path):
    quantised = tmp_path / "q.onnx"
    run_model("quantize", perceptron, "-o", quantised, "--mode", "static", "--calibration", 4, "--dim", "N=8")
    flags = ["--against", perceptron, "--dim", "N=8", "--per-node"]
    result = compare(run_model, quantised, *flags, "--atol", 1, "--rtol", 0)
    (output,) = result["outputs"]
    assert (output["output"], output["reference"], output["agrees"]) == ("y", str(perceptron), True)
    assert 20 < output["snr_db"] < 80 and 0 < output["max_difference"] < 1
    assert [node["node"] for node in result["nodes"]] == ["first", "relu", "second"]
    assert all(node["snr_db"] > 20 for node in result["nodes"])
    assert compare(run_model, quantised, *flags, "--atol", 1e-9, code=4)["outputs"][0]["agrees"] is False


def test_the_first_layer_that_differs_is_named(run_model, perceptron, tmp_path):
    other = changed(perceptron, tmp_path / "other.onnx", scale_second)
    result = compare(run_model, perceptron, "--against", other, "--first-diff", code=4)
    assert result["first_difference"]["node"] == "second"
    assert result["outputs"][0]["snr_db"] == pytest.approx(20 * np.log10(1.5 / 0.5), rel=1e-3)


def test_other_names_count_by_their_places(run_model, perceptron, tmp_path):
    other = changed(perceptron, tmp_path / "other.onnx", rename({"x": "input.1", "h": "inner", "y": "output"}))
    result = compare(run_model, perceptron, "--against", other, "--per-node")
    assert result["outputs"][0]["agrees"] and result["outputs"][0]["snr_db"] == "Infinity"
    assert ([node["value"] for node in result["nodes"]], result["skipped"]) == (["r"], 2)


def test_inputs_and_outputs_are_matched_by_their_names(run_model, tmp_path):
    nodes = [helper.make_node("Neg", ["a"], ["na"]), helper.make_node("Exp", ["b"], ["eb"])]
    sides = [[(name, TensorProto.FLOAT, [3]) for name in names] for names in ("ab", ["na", "eb"])]
    one = save_model(tmp_path / "one.onnx", nodes, *sides)
    two = save_model(tmp_path / "two.onnx", nodes, sides[0][::-1], sides[1][::-1])
    result = compare(run_model, one, "--against", two, "--per-node")
    assert [output["max_difference"] for output in result["outputs"]] == [0, 0]
    assert [node["max_difference"] for node in result["nodes"]] == [0, 0]


def test_other_numbers_of_inputs_are_refused(run_model, perceptron, tmp_path):
    node = helper.make_node("Add", ["a", "b"], ["y"])
    other = save_model(
        tmp_path / "other.onnx", [node], [(name, TensorProto.FLOAT, [3]) for name in "ab"], [("y", TensorProto.FLOAT, [3])]
    )
    error = run_model("compare", perceptron, "--against", other, code=1).stderr
    assert "different inputs: a, b; x" in error


def test_errors_of_the_other_model_name_it(run_model, perceptron, tmp_path):
    assert "none.onnx" in run_model("compare", perceptron, "--against", "none.onnx", code=2).stderr
    node = helper.make_node("Identity", ["x"], ["y"])
    values = [[(name, TensorProto.FLOAT, [1, 5])] for name in "xy"]
    other = save_model(tmp_path / "other.onnx", [node], *values)
    error = run_model("compare", perceptron, "--against", other, code=3).stderr
    assert f"run_model: {other}: " in error and str(perceptron) not in error


def test_nodes_are_compared_with_one_reference(run_model, perceptron):
    error = run_model("compare", perceptron, "--against", perceptron, "--verify-opt", "--per-node", code=1).stderr
    assert "--per-node needs one reference" in error
