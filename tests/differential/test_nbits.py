"""Compares products with weights of few bits, and files of ONNX Runtime's quantiser, with ONNX Runtime and float64."""

import itertools

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantFormat

# The greatest error of Linnet relative to float64, where ONNX Runtime's error is 1.
ERROR = 1.05
BITS, BLOCKS, ZEROS = (2, 4, 8), (16, 32, 128, 256), ("none", "packed", "floats")


def runtime(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # It would convert a DequantizeLinear and a MatMul to MatMulNBits of level 4.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


def codes(packed, bits, count):
    """Returns the first `count` codes of each row of bytes."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return (packed[..., None] >> shifts & ((1 << bits) - 1)).reshape(*packed.shape[:-1], -1)[..., :count]


class Product:
    """A model of one MatMulNBits, and its product in float64."""

    def __init__(self, rng, m, k, n, bits, block, zeros, level):
        blocks = -(-k // block)
        b = rng.integers(0, 256, (n, blocks, block * bits // 8), dtype=np.uint8)
        scales = rng.uniform(0.001, 0.02, (n, blocks)).astype(np.float32)
        self.a = rng.standard_normal((m, k)).astype(np.float32)
        constants = {"b": b, "scales": scales.ravel()}
        zero = np.full((n, blocks), 2.0 ** (bits - 1))
        if zeros == "packed":
            constants["zeros"] = rng.integers(0, 256, (n, -(-blocks * bits // 8)), dtype=np.uint8)
            zero = codes(constants["zeros"], bits, blocks)
        elif zeros == "floats":
            constants["zeros"] = rng.uniform(0, 1 << bits, (n, blocks)).astype(np.float32)
            zero = constants["zeros"]
        spread = [np.repeat(x.astype(np.float64), block, axis=1)[:, :k] for x in (zero, scales)]
        self.y = self.a.astype(np.float64) @ ((codes(b.reshape(n, -1), bits, k) - spread[0]) * spread[1]).T
        node = helper.make_node(
            "MatMulNBits", ["a", *constants], ["y"], domain="com.microsoft",
            K=k, N=n, bits=bits, block_size=block, accuracy_level=level,
        )  # fmt: skip
        graph = helper.make_graph(
            [node], "product", [helper.make_tensor_value_info("a", TensorProto.FLOAT, [m, k])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [m, n])],
            [numpy_helper.from_array(value, name) for name, value in constants.items()],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        self.model = helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def errors(self, run_model, path, compared=True):
        """Returns the root mean square errors of Linnet and, if compared, of ONNX Runtime."""
        onnx.save(self.model, path)
        results = [run_model.outputs(path, {"a": self.a})["y"]] + ([runtime(path, {"a": self.a})] if compared else [])
        return [float(np.sqrt(np.mean((y - self.y) ** 2))) for y in results]


@pytest.mark.parametrize("bits", BITS)
def test_in_floats(run_model, tmp_path, bits):
    """Both have only rounding errors. ONNX Runtime refuses floats as zero points of 8 bits."""
    rng = np.random.default_rng(bits)
    for m, block, zeros in itertools.product((1, 5, 40), BLOCKS, ZEROS):
        product = Product(rng, m, 300, 70, bits, block, zeros, 0)
        errors = product.errors(run_model, tmp_path / "model.onnx", compared=(bits, zeros) != (8, "floats"))
        assert max(errors) < 1e-6 * np.sqrt(np.mean(product.y**2)), (m, block, zeros, errors)


# ONNX Runtime computes with float zero points in floats at every level.
@pytest.mark.parametrize("bits", (4, 8))
def test_level_4_is_no_less_exact(run_model, tmp_path, bits):
    rng = np.random.default_rng(bits)
    for m, block, zeros in itertools.product((1, 5, 40), BLOCKS, ZEROS[:2]):
        product = Product(rng, m, 600, 300, bits, block, zeros, 4)
        ours, theirs = product.errors(run_model, tmp_path / "model.onnx")
        assert ours <= ERROR * theirs, (m, block, zeros, ours, theirs)


def test_fast_int4_is_level_4_where_the_model_leaves_it_open(run_model, tmp_path):
    outputs = {}
    for level, flags in ((0, []), (0, ["--fast-int4"]), (1, ["--fast-int4"]), (1, []), (4, [])):
        product = Product(np.random.default_rng(1), 3, 256, 40, 4, 32, "none", level)
        onnx.save(product.model, tmp_path / "model.onnx")
        outputs[level, *flags] = run_model.outputs(tmp_path / "model.onnx", {"a": product.a}, *flags)["y"]
    assert np.array_equal(outputs[0, "--fast-int4"], outputs[4,])
    assert not np.array_equal(outputs[0,], outputs[4,])
    assert np.array_equal(outputs[1, "--fast-int4"], outputs[1,]) and np.array_equal(outputs[1,], outputs[0,])


# The quantiser writes the QDQ form only for 4 bits.
FORMS = [(4, QuantFormat.QOperator), (4, QuantFormat.QDQ), (8, QuantFormat.QOperator)]


@pytest.mark.parametrize("bits, form", FORMS, ids=str)
@pytest.mark.parametrize("symmetric", (True, False))
def test_files_of_the_quantiser(run_model, tmp_path, bits, form, symmetric):
    pytest.importorskip("onnx_ir", reason="ONNX Runtime's quantiser needs it")
    from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer

    rng = np.random.default_rng(bits)
    # Enough weights that those after a DequantizeLinear are not folded into floats.
    weights = rng.standard_normal((1100, 260)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "linear",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 1100])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 260])], [numpy_helper.from_array(weights, "w")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    for block in (16, 32, 256):
        config = DefaultWeightOnlyQuantConfig(
            block_size=block, is_symmetric=symmetric, bits=bits, quant_format=form, accuracy_level=0
        )
        quantizer = MatMulNBitsQuantizer(onnx.ModelProto.FromString(model.SerializeToString()), algo_config=config)
        quantizer.process()
        path = tmp_path / f"{block}.onnx"
        onnx.save(quantizer.model.model, path)
        x = rng.standard_normal((3, 1100)).astype(np.float32)
        y = run_model.outputs(path, {"x": x})["y"]
        assert np.abs(y - x @ weights).mean() < 4, block  # roughly the exact product
        np.testing.assert_allclose(y, runtime(path, {"x": x}), rtol=1e-4, atol=1e-4)
        if form == QuantFormat.QDQ:
            assert "MatMulNBits" in run_model("inspect", path, "--show", "plan").stdout
