"""run_model quantize: samples, its report, bad input. tests/differential compares the results of the files."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model, save_tensor


@pytest.fixture
def perceptron(tmp_path):
    """Two products with a Relu between them, y float32[N,4] from x float32[N,16]."""
    rng = np.random.default_rng(5)
    weights = [(rng.standard_normal(shape) / 4).astype(np.float32) for shape in ((16, 32), (4, 32), (4,))]
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h"], "first"),
        helper.make_node("Relu", ["h"], ["r"], "relu"),
        helper.make_node("Gemm", ["r", "w2", "b"], ["y"], "second", transB=1),
    ]
    return save_model(
        tmp_path / "perceptron.onnx", nodes, [("x", TensorProto.FLOAT, ["N", 16])], [("y", TensorProto.FLOAT, ["N", 4])],
        [numpy_helper.from_array(w, name) for w, name in zip(weights, ("w1", "w2", "b"))],
    )  # fmt: skip


def quantize(run_model, model, tmp_path, *flags, code=0):
    return run_model("quantize", model, "-o", tmp_path / "q.onnx", *flags, code=code)


def scale_of_input(path):
    """Returns the scale of the first QuantizeLinear."""
    graph = onnx.load(path).graph
    name = next(node for node in graph.node if node.op_type == "QuantizeLinear").input[1]
    return float(numpy_helper.to_array(next(tensor for tensor in graph.initializer if tensor.name == name)))


def test_names_and_other_nodes_stay(run_model, perceptron, tmp_path):
    quantize(run_model, perceptron, tmp_path, "--mode", "static", "--calibration", 2)
    model = onnx.load(tmp_path / "q.onnx")
    assert [node.name for node in model.graph.node if node.op_type in ("MatMul", "Relu", "Gemm")] == ["first", "relu", "second"]
    assert [value.name for value in (*model.graph.input, *model.graph.output)] == ["x", "y"]
    assert [(item.domain, item.version) for item in model.opset_import] == [("", 17)]


def test_samples_are_files_of_a_folder(run_model, perceptron, tmp_path):
    folder = tmp_path / "samples"
    save_tensor(folder / "test_data_set_0" / "input_0.pb", np.full((1, 16), 2, np.float32), "x")
    np.savez(folder / "b.npz", x=np.full((3, 16), -3, np.float32))
    (folder / "notes.txt").write_text("not a sample")
    quantize(run_model, perceptron, tmp_path, "--mode", "static", "--calibration", folder)
    assert scale_of_input(tmp_path / "q.onnx") == pytest.approx(5 / 255)


def test_a_number_of_samples_is_generated(run_model, perceptron, tmp_path):
    flags = ["--mode", "static", "--range", "-1,1", "--dim", "N=64"]
    scales = []
    for count in 1, 20:
        quantize(run_model, perceptron, tmp_path, *flags, "--calibration", count)
        scales.append(scale_of_input(tmp_path / "q.onnx"))
    assert 1.9 / 255 < scales[0] < scales[1] <= 2 / 255
    result = quantize(run_model, perceptron, tmp_path, *flags, "--calibration", 20, "--dim", "M=2")
    assert result.stderr == "note: no generated input has a dim 'M'\n"


def test_files_do_not_depend_on_threads_and_may_replace_the_model(run_model, perceptron, tmp_path):
    flags = ["--mode", "static", "--calibration", 3, "--dim", "N=50"]
    files = []
    for threads in 1, 2:
        quantize(run_model, perceptron, tmp_path, *flags, "--threads", threads)
        files.append((tmp_path / "q.onnx").read_bytes())
    run_model("quantize", perceptron, "-o", perceptron, *flags)
    assert files[0] == files[1] == perceptron.read_bytes()


@pytest.mark.parametrize("mode", ["static", "dynamic", "int4"])
def test_weights_that_are_no_numbers_are_named(run_model, perceptron, tmp_path, mode):
    model = onnx.load(perceptron)
    w1 = numpy_helper.to_array(model.graph.initializer[0]).copy()
    w1[3, 5] = np.nan
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(w1, "w1"))
    onnx.save(model, tmp_path / "nan.onnx")
    error = quantize(run_model, tmp_path / "nan.onnx", tmp_path, "--mode", mode, "--calibration", 1, code=3).stderr
    assert "the weights of 'first' hold nan: quantisation needs finite values" in error


def test_percentiles_clip(run_model, perceptron, tmp_path):
    flags = ["--mode", "static", "--dim", "N=1000", "--calibration", 1, "--method"]
    scales = []
    for method in ["minmax"], ["percentile", "--percentile", 90]:
        quantize(run_model, perceptron, tmp_path, *flags, *method)
        scales.append(scale_of_input(tmp_path / "q.onnx"))
    # The 5th and the 95th percentile of a normal distribution.
    assert scales[0] > 1.5 * scales[1] and scales[1] == pytest.approx(2 * 1.645 / 255, rel=0.05)


def test_the_report_names_the_worst_which_may_be_left_out(run_model, perceptron, tmp_path):
    flags = ["--mode", "dynamic", "--calibration", 2, "--dim", "N=8"]
    report = json.loads(quantize(run_model, perceptron, tmp_path, *flags, "--json", "-").stdout)
    layers = {layer["node"]: layer["snr_db"] for layer in report["layers"]}
    assert set(layers) == {"first", "second"} and report["worst"] == min(layers, key=layers.get)
    assert report["file_bytes"] == (tmp_path / "q.onnx").stat().st_size
    text = quantize(run_model, perceptron, tmp_path, *flags).stdout
    assert f"--exclude '{report['worst']}'" in text and "2 of 2 layers quantised" in text
    below = (layers["first"] + layers["second"]) / 2
    for exclusion in ["--exclude", report["worst"]], ["--exclude-below", below]:
        text = quantize(run_model, perceptron, tmp_path, *flags, *exclusion).stdout
        assert f"{report['worst']}  left in floats" in text and "1 of 2 layers quantised" in text
        assert [node.op_type for node in onnx.load(tmp_path / "q.onnx").graph.node].count("MatMulInteger") == 1


def test_without_samples_no_ratio_is_known(run_model, perceptron, tmp_path):
    report = json.loads(quantize(run_model, perceptron, tmp_path, "--mode", "int4", "--json", "-").stdout)
    assert [layer["snr_db"] for layer in report["layers"]] == [None, None] and report["worst"] is None


def test_half_precision_becomes_float32_inside(run_model, tmp_path):
    w = numpy_helper.from_array(np.random.default_rng(0).standard_normal((8, 8)).astype(np.float16), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    model = save_model(tmp_path / "half.onnx", nodes, [("x", TensorProto.FLOAT16, [2, 8])], [("y", TensorProto.FLOAT16, [2, 8])], [w])
    quantize(run_model, model, tmp_path, "--mode", "dynamic")
    written = onnx.load(tmp_path / "q.onnx")
    names = [node.name for node in written.graph.node if node.name]
    assert len(names) == len(set(names)) and written.graph.input[0].type.tensor_type.elem_type == TensorProto.FLOAT16
    x = np.random.default_rng(1).standard_normal((2, 8)).astype(np.float16)
    wanted, got = (run_model.outputs(path, {"x": x})["y"] for path in (model, tmp_path / "q.onnx"))
    np.testing.assert_allclose(got.astype(np.float32), wanted, atol=0.1)


@pytest.mark.parametrize("flags, code, message", [
    ([], 1, "--mode is required"),
    (["--mode", "int5"], 1, "int5"),
    (["--mode", "static"], 1, "add --calibration PATH or N"),
    (["--mode", "dynamic", "--exclude-below", 20], 1, "add --calibration PATH or N"),
    (["--mode", "static", "--calibration", "nowhere"], 1, "nowhere: expected a folder, an image"),
    (["--mode", "static", "--calibration", 0], 1, "expected a folder, an image"),
    (["--mode", "static", "--calibration", "EMPTY"], 1, "holds no image, .npy, .npz or test_data_set_N"),
    (["--mode", "static", "--calibration", "WRONG"], 3, "wrong.npz: the model has no input 'z'"),
    (["--mode", "static", "--calibration", "NAN"], 3, "'x' holds nan"),
    (["--mode", "dynamic", "--exclude", "nobody"], 3, "there is no node 'nobody' that would be quantised"),
    (["--mode", "int4", "--block-size", 24], 3, "powers of two from 16 on"),
])  # fmt: skip
def test_bad_input_is_an_error_of_one_line(run_model, perceptron, tmp_path, flags, code, message):
    for name, arrays in ("EMPTY", {}), ("WRONG", {"z": np.zeros(3, np.float32)}), ("NAN", {"x": np.full((1, 16), np.nan, np.float32)}):
        (tmp_path / name).mkdir()
        if arrays:
            np.savez(tmp_path / name / f"{name.lower()}.npz", **arrays)
    flags = [tmp_path / flag if flag in ("EMPTY", "WRONG", "NAN") else flag for flag in flags]
    error = quantize(run_model, perceptron, tmp_path, *flags, code=code).stderr
    assert message in error and error.count("\n") == 1
    assert not (tmp_path / "q.onnx").exists()


def test_only_float_models_are_quantised(run_model, perceptron, linear, tmp_path):
    quantize(run_model, perceptron, tmp_path, "--mode", "dynamic")
    error = run_model("quantize", tmp_path / "q.onnx", "-o", tmp_path / "again.onnx", "--mode", "dynamic", code=3).stderr
    assert "quantised already" in error and "DynamicQuantizeLinear" in error and error.count("\n") == 1
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    relu = save_model(tmp_path / "relu.onnx", nodes, [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])])
    error = run_model("quantize", relu, "-o", tmp_path / "again.onnx", "--mode", "dynamic", code=3).stderr
    assert "nothing to quantise" in error and error.count("\n") == 1
