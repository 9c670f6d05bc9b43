"""Compares models of ONNX Runtime's quantiser, in every format, with ONNX Runtime: on bytes, within a few scales."""

import itertools
import json

import numpy as np
import onnxruntime
import pytest
from networks import attention_network, dense_network, feed_forward_network, image_network
from onnxruntime.quantization import (
    CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static,
)  # fmt: skip
from processors import onnx_runtime_sums_bytes_exactly

# Values of earlier layers that are rounded the other way change the output by some scales.
SCALES = 3
TYPES = {"u8": QuantType.QUInt8, "s8": QuantType.QInt8}

# Weights of 7 bits, if sums of products of 8 bits saturate.
REDUCED = {"reduce_range": not onnx_runtime_sums_bytes_exactly()}


class Samples(CalibrationDataReader):
    def __init__(self, shape):
        rng = np.random.default_rng(2)
        self.samples = iter([{"x": rng.standard_normal(shape).astype(np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.samples, None)


def runtime(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Preserves products of floats where the file has them.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


def scale_of(y):
    """Returns the distance between two values of a quantised output."""
    values = np.unique(y)
    return np.diff(values)[np.diff(values) > 1e-5].min()


@pytest.mark.parametrize("network", (image_network, dense_network, feed_forward_network, attention_network))
@pytest.mark.parametrize("form", (QuantFormat.QDQ, QuantFormat.QOperator), ids=str)
@pytest.mark.parametrize("activations, weights", (("u8", "s8"), ("s8", "s8"), ("u8", "u8")))
def test_static(run_model, tmp_path, network, form, activations, weights):
    n, output = network()
    n.save(tmp_path / "float.onnx", output)
    x = np.random.default_rng(3).standard_normal(n.shape).astype(np.float32)
    for per_channel in (False, True):
        path = tmp_path / f"{per_channel}.onnx"
        quantize_static(
            tmp_path / "float.onnx", path, Samples(n.shape), quant_format=form, per_channel=per_channel,
            activation_type=TYPES[activations], weight_type=TYPES[weights], **REDUCED,
            extra_options={"WeightSymmetric": True},
        )  # fmt: skip
        want = runtime(path, {"x": x})
        for isa in ("auto", "baseline"):
            y = run_model.outputs(path, {"x": x}, "--isa", isa)[output]
            assert np.abs(y - want).max() <= (SCALES + 0.01) * scale_of(want), (per_channel, isa)
        plan = run_model("inspect", path, "--show", "plan").stdout
        assert "linnet::Conv" not in plan and " MatMul " not in plan and " Gemm " not in plan, plan


def test_products_are_the_same_bits_on_every_instruction_set(run_model, tmp_path):
    n, output = feed_forward_network()
    n.save(tmp_path / "float.onnx", output)
    quantize_static(tmp_path / "float.onnx", tmp_path / "q.onnx", Samples(n.shape), weight_type=QuantType.QInt8)
    x = np.random.default_rng(3).standard_normal(n.shape).astype(np.float32)
    machine = run_model("devices", "--json", "-").stdout
    isas = [isa["name"] for isa in json.loads(machine)["isas"] if isa["supported"]]
    results = [run_model.outputs(tmp_path / "q.onnx", {"x": x}, "--isa", isa)[output] for isa in ["auto", *isas]]
    assert all(np.array_equal(result, results[0]) for result in results)


@pytest.mark.parametrize("weights, per_channel", list(itertools.product(("u8", "s8"), (False, True))))
def test_dynamic(run_model, tmp_path, weights, per_channel):
    n, output = feed_forward_network()
    n.save(tmp_path / "float.onnx", output)
    path = tmp_path / "dynamic.onnx"
    quantize_dynamic(tmp_path / "float.onnx", path, weight_type=TYPES[weights], per_channel=per_channel, **REDUCED)
    x = np.random.default_rng(3).standard_normal(n.shape).astype(np.float32)
    want = runtime(path, {"x": x})
    for isa in ("auto", "baseline"):
        # The second product's activations are quantised again, and some are rounded the other way.
        np.testing.assert_allclose(run_model.outputs(path, {"x": x}, "--isa", isa)[output], want, rtol=0, atol=0.05)
    assert run_model("inspect", path, "--show", "plan").stdout.count("linnet::QLinearMatMul") == 2
