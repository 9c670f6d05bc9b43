"""Models that ONNX Runtime's quantiser makes, in every format, against ONNX Runtime: on bytes, and within a few steps."""

import itertools
import json

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static,
)  # fmt: skip

# Roundings of earlier layers that fall to the other side move the output by some steps.
STEPS = 3
TYPES = {"u8": QuantType.QUInt8, "s8": QuantType.QInt8}


class Network:
    """A model of float32 operators with random weights."""

    def __init__(self, shape):
        self.rng = np.random.default_rng(1)
        self.shape, self.nodes, self.constants = shape, [], []

    def vector(self, values, dtype):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def constant(self, *shape, scale=1.0, positive=False):
        value = scale * self.rng.standard_normal(shape)
        return self.vector(np.abs(value) + 0.5 if positive else value, np.float32)

    def op(self, op_type, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x, channels, out, kernel, **attributes):
        depth = channels // attributes.get("group", 1)
        w = self.constant(out, depth, kernel, kernel, scale=(depth * kernel * kernel) ** -0.5)
        return self.op("Conv", x, w, self.constant(out, scale=0.1), kernel_shape=[kernel, kernel], **attributes)

    def save(self, path, output):
        graph = helper.make_graph(
            self.nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.constants,
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def image_network():
    """An image's convolution, pools, a residual, a depthwise convolution, squeeze and excitation, a classifier."""
    n = Network([2, 3, 23, 22])
    x = n.op("Relu", n.conv("x", 3, 8, 5, strides=[2, 2], pads=[2, 2, 2, 2]))
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = n.op("Relu", n.conv(x, 8, 12, 1))
    y = n.conv(y, 12, 8, 3, pads=[1, 1, 1, 1])
    x = n.op("Relu", n.op("Add", y, x))
    x = n.op("HardSwish", n.conv(x, 8, 8, 3, pads=[1, 1, 1, 1], group=8))
    gate = n.conv(n.op("GlobalAveragePool", x), 8, 8, 1)
    x = n.op("Mul", x, n.op("Sigmoid", gate))
    x = n.op("Concat", x, n.op("LeakyRelu", x, alpha=0.1), axis=1)
    x = n.op("Flatten", n.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]))
    return n, n.op("Gemm", x, n.constant(10, 144, scale=0.1), n.constant(10), transB=1)


def dense_network():
    """Batch normalisations behind Concat, groups of few channels, an image that is resized."""
    n = Network([2, 6, 12, 10])
    x = n.op("Relu", n.conv("x", 6, 8, 3, pads=[1, 1, 1, 1], group=2))
    y = n.op("Relu", n.conv(x, 8, 4, 1))
    x = n.op("Concat", x, y, axis=1)
    x = n.op("BatchNormalization", x, n.constant(12), n.constant(12), n.constant(12), n.constant(12, positive=True))
    x = n.op("MaxPool", n.op("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    x = n.op("Relu", n.conv(x, 12, 12, 3, pads=[1, 1, 1, 1]))
    x = n.op("Resize", x, "", n.vector([1, 1, 2, 2], np.float32), mode="nearest")
    return n, n.conv(x, 12, 5, 1)


def attention_network():
    n = Network([2, 9, 24])
    heads = n.vector([0, 0, 3, 8], np.int64)
    q, k, v = (n.op("Reshape", n.op("MatMul", "x", n.constant(24, 24, scale=0.2)), heads) for _ in range(3))
    scores = n.op("MatMul", n.op("Transpose", q, perm=[0, 2, 1, 3]), n.op("Transpose", k, perm=[0, 2, 3, 1]))
    y = n.op("MatMul", n.op("Softmax", scores, axis=-1), n.op("Transpose", v, perm=[0, 2, 1, 3]))
    y = n.op("Reshape", n.op("Transpose", y, perm=[0, 2, 1, 3]), n.vector([0, 0, 24], np.int64))
    return n, n.op("MatMul", y, n.constant(24, 24, scale=0.2))


def feed_forward_network():
    n = Network([2, 7, 24])
    x = n.op("Add", n.op("MatMul", "x", n.constant(24, 40, scale=0.2)), n.constant(40))
    x = n.op("Add", n.op("MatMul", n.op("Relu", x), n.constant(40, 24, scale=0.2)), n.constant(24))
    return n, n.op("Add", x, "x")


class Samples(CalibrationDataReader):
    def __init__(self, shape):
        rng = np.random.default_rng(2)
        self.samples = iter([{"x": rng.standard_normal(shape).astype(np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.samples, None)


def runtime(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Sums of products are exact on every machine then: its fast kernels saturate where there is no VNNI.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


def step_of(y):
    """The distance between two values that a quantised output can have."""
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
            activation_type=TYPES[activations], weight_type=TYPES[weights],
            extra_options={"WeightSymmetric": True},
        )  # fmt: skip
        want = runtime(path, {"x": x})
        for isa in ("auto", "baseline"):
            y = run_model.outputs(path, {"x": x}, "--isa", isa)[output]
            assert np.abs(y - want).max() <= (STEPS + 0.01) * step_of(want), (per_channel, isa)
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
    quantize_dynamic(tmp_path / "float.onnx", path, weight_type=TYPES[weights], per_channel=per_channel)
    x = np.random.default_rng(3).standard_normal(n.shape).astype(np.float32)
    want = runtime(path, {"x": x})
    for isa in ("auto", "baseline"):
        # The second product's activations are quantised anew: some fall to the other side.
        np.testing.assert_allclose(run_model.outputs(path, {"x": x}, "--isa", isa)[output], want, rtol=0, atol=0.05)
    assert run_model("inspect", path, "--show", "plan").stdout.count("linnet::QLinearMatMul") == 2
