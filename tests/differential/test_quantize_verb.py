"""The files of `run_model quantize`: ONNX Runtime runs them with the same results, and Linnet runs them on bytes."""

import json

import numpy as np
import onnx
import pytest
from processors import onnx_runtime_sums_bytes_exactly
from test_quantizer import feed_forward_network, image_network, runtime

MODES = {"static": ["--calibration", 3], "dynamic": ["--calibration", 1], "int4": ["--calibration", 1, "--block-size", 16]}
FLOAT_PRODUCTS = {"linnet::Conv", "linnet::MatMul", "linnet::Gemm", "Conv", "MatMul", "Gemm"}


def snr(wanted, got):
    return 10 * np.log10(np.square(wanted, dtype=np.float64).sum() / np.square(got.astype(np.float64) - wanted).sum())


def quantized(run_model, tmp_path, network, mode, *flags):
    """Returns the float model, the quantised one, an input, the output's name, and the report of quantize."""
    n, output = network()
    n.save(tmp_path / "float.onnx", output)
    report = run_model("quantize", tmp_path / "float.onnx", "-o", tmp_path / "q.onnx", "--mode", mode, *MODES[mode], "--json", "-", *flags)
    onnx.checker.check_model(onnx.load(tmp_path / "q.onnx"))
    x = np.random.default_rng(3).standard_normal(n.shape).astype(np.float32)
    return tmp_path / "float.onnx", tmp_path / "q.onnx", x, output, json.loads(report.stdout)


def operators_of_plan(run_model, model):
    lines = run_model("inspect", model, "--show", "plan").stdout.split("plan\n")[1].splitlines()
    return [line.split()[0] for line in lines]


@pytest.mark.parametrize("network", (image_network, feed_forward_network))
@pytest.mark.parametrize("method", ("minmax", "percentile", "entropy"))
@pytest.mark.parametrize("per_channel", ([], ["--per-channel"]), ids=("per_tensor", "per_channel"))
def test_static(run_model, tmp_path, network, method, per_channel):
    original, model, x, output, report = quantized(run_model, tmp_path, network, "static", "--method", method, *per_channel)
    wanted = runtime(model, {"x": x})
    got = run_model.outputs(model, {"x": x})[output]
    # A value that one of them rounds the other way changes the output slightly.
    assert np.abs(got - wanted).max() <= 0.02 * np.abs(wanted).max()
    assert snr(run_model.outputs(original, {"x": x})[output], got) > (20 if method == "minmax" else 10)
    assert all(layer["quantized"] and layer["snr_db"] > 10 for layer in report["layers"])
    operators = operators_of_plan(run_model, model)
    assert (FLOAT_PRODUCTS | {"DequantizeLinear"}).isdisjoint(operators)
    assert sum(name.startswith("linnet::QLinear") for name in operators) == len(report["layers"])


@pytest.mark.skipif(not onnx_runtime_sums_bytes_exactly(), reason="ONNX Runtime's sums of bytes saturate here")
@pytest.mark.parametrize("network", (image_network, feed_forward_network))
@pytest.mark.parametrize("per_channel", ([], ["--per-channel"]), ids=("per_tensor", "per_channel"))
def test_dynamic(run_model, tmp_path, network, per_channel):
    original, model, x, output, report = quantized(run_model, tmp_path, network, "dynamic", *per_channel)
    wanted = runtime(model, {"x": x})
    got = run_model.outputs(model, {"x": x})[output]
    assert np.abs(got - wanted).max() <= 0.02 * np.abs(wanted).max()
    assert snr(run_model.outputs(original, {"x": x})[output], got) > 20
    assert FLOAT_PRODUCTS.isdisjoint(operators_of_plan(run_model, model))


@pytest.mark.parametrize("network", (image_network, feed_forward_network))
@pytest.mark.parametrize("mode", ("dynamic", "static"))
def test_reduced_range_is_the_same_where_sums_of_bytes_saturate(run_model, tmp_path, network, mode):
    _, model, x, output, _ = quantized(run_model, tmp_path, network, mode, "--per-channel", "--reduce-range")
    weights = [onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(model).graph.initializer]
    weights = [w.astype(int) for w in weights if w.dtype == np.int8 and w.ndim > 1]
    assert weights and all(np.abs(w).max() == 64 for w in weights)
    wanted = runtime(model, {"x": x})
    assert np.abs(run_model.outputs(model, {"x": x})[output] - wanted).max() <= 0.02 * np.abs(wanted).max()


@pytest.mark.parametrize("network", (image_network, feed_forward_network))
def test_int4(run_model, tmp_path, network):
    original, model, x, output, report = quantized(run_model, tmp_path, network, "int4")
    got = run_model.outputs(model, {"x": x})[output]
    np.testing.assert_allclose(got, runtime(model, {"x": x}), rtol=1e-4, atol=1e-4)
    assert snr(run_model.outputs(original, {"x": x})[output], got) > 12
    nodes = [node.op_type for node in onnx.load(model).graph.node]
    assert nodes.count("MatMulNBits") == len(report["layers"]) > 0
