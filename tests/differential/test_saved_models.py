"""Compares models that ONNX Runtime saved after optimising them, and models of its transformer optimiser, with ONNX
Runtime."""

import collections

import numpy as np
import onnx
import onnxruntime
import pytest
from networks import (
    HEADS, HIDDEN, NETWORKS, decoder_network, dense_network, encoder_network, feed_forward_network, image_network,
    inputs_of,
)  # fmt: skip
from onnx_files import save_model
from onnx_runtime import OnnxRuntime
from onnxruntime.quantization import quantize_dynamic, quantize_static
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from test_quantizer import REDUCED, SCALES, Samples, runtime, scale_of

# Other tests cover the attention of com.microsoft.
ATTENTION = ["AttentionFusion"]


@pytest.fixture
def network(request, tmp_path):
    """Returns the path of the model, its inputs and the name of its output."""
    n, output = request.param()
    n.save(tmp_path / "float.onnx", output)
    return tmp_path / "float.onnx", inputs_of(n), output


def saved(path, level):
    """Returns the model that ONNX Runtime saves at this level."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
    options.optimized_model_filepath = str(path.with_suffix(f".{level}.onnx"))
    providers = ["CPUExecutionProvider"]
    onnxruntime.InferenceSession(path, options, providers=providers, disabled_optimizers=ATTENTION)
    return path.with_suffix(f".{level}.onnx")


def operators(path):
    """Returns the number of nodes of each operator. Those of other domains are named like com.microsoft.Gelu."""
    nodes = onnx.load(path).graph.node
    return collections.Counter(".".join(filter(None, (node.domain, node.op_type))) for node in nodes)


def is_refused(run_model, file):
    """Whether the file contains operators for one machine. Checks that the refusal names them."""
    blocked = sorted(name for name in operators(file) if name.startswith("com.microsoft.nchwc"))
    if blocked:
        refusal = run_model("run", file, code=None).stderr
        assert len(refusal.strip().splitlines()) == 1 and "level 'extended'" in refusal
        assert all(name.replace("nchwc.", "nchwc::") in refusal for name in blocked)
    return bool(blocked)


@pytest.mark.parametrize("network", NETWORKS, indirect=True)
@pytest.mark.parametrize("level", ("BASIC", "EXTENDED", "ALL"))
def test_saved_models_run(run_model, network, level):
    path, inputs, output = network
    file = saved(path, level)
    if is_refused(run_model, file):
        return
    want = OnnxRuntime(path, optimized=False).run(inputs)[0]
    np.testing.assert_allclose(run_model.outputs(file, inputs)[output], want, rtol=1e-4, atol=1e-4)


def test_operators_for_one_machine_are_refused(run_model, tmp_path):
    node = onnx.helper.make_node("ReorderInput", ["x"], ["y"], name="n", domain="com.microsoft.nchwc")
    sides = [[(name, onnx.TensorProto.FLOAT, [1, 16, 2, 2])] for name in "xy"]
    model = save_model(tmp_path / "model.onnx", [node], *sides, domains={"com.microsoft.nchwc": 1})
    refusal = run_model("run", model, code=None).stderr
    assert "com.microsoft.nchwc::ReorderInput (opset 1) at node 'n'" in refusal
    assert "level 'extended' (ORT_ENABLE_EXTENDED)" in refusal and len(refusal.splitlines()) == 1


@pytest.mark.parametrize("network, expected", (
    (image_network, {"FusedConv"}), (encoder_network, {"BiasGelu", "SkipLayerNormalization"}),
    (decoder_network, {"FastGelu", "SkipLayerNormalization"}),
), indirect=["network"])  # fmt: skip
def test_saved_models_hold_fused_operators(network, expected):
    """Ensures that the models are useful for the tests above."""
    assert expected <= {name.split(".")[-1] for name in operators(saved(network[0], "EXTENDED"))}


@pytest.mark.parametrize("network", (image_network, dense_network, feed_forward_network), indirect=True)
@pytest.mark.parametrize("level", ("BASIC", "EXTENDED", "ALL"))
def test_saved_quantised_models_run(run_model, network, level):
    path, inputs, output = network
    whole = path.with_suffix(".static.onnx")
    quantize_static(path, whole, Samples(inputs["x"].shape), extra_options={"WeightSymmetric": True})
    file = saved(whole, level)
    if is_refused(run_model, file):
        return
    want = runtime(whole, inputs)
    y = run_model.outputs(file, inputs)[output]
    assert np.abs(y - want).max() <= (SCALES + 0.01) * scale_of(want)


@pytest.mark.parametrize("network", (feed_forward_network, encoder_network), indirect=True)
@pytest.mark.parametrize("level", ("BASIC", "EXTENDED", "ALL"))
def test_saved_dynamically_quantised_models_run(run_model, network, level):
    path, inputs, output = network
    whole = path.with_suffix(".dynamic.onnx")
    quantize_dynamic(path, whole, **REDUCED)
    # Values that are quantised again after a product are occasionally rounded the other way.
    y = run_model.outputs(saved(whole, level), inputs)[output]
    np.testing.assert_allclose(y, runtime(whole, inputs), rtol=0, atol=0.05)


def optimized(path, kind, half):
    options = FusionOptions(kind)
    options.enable_attention = False
    # Level 0 performs only its own fusions, which do not need PyTorch.
    sizes = {"num_heads": HEADS, "hidden_size": HIDDEN}
    model = optimizer.optimize_model(str(path), kind, optimization_options=options, opt_level=0, **sizes)
    if half:
        model.convert_float_to_float16(keep_io_types=True)
    file = path.with_suffix(f".{kind}.{half}.onnx")
    model.save_model_to_file(str(file))
    return file


TRANSFORMERS = ((encoder_network, "bert", {"EmbedLayerNormalization", "SkipLayerNormalization", "BiasGelu"}),
                (decoder_network, "gpt2", {"SkipLayerNormalization", "FastGelu"}))  # fmt: skip


@pytest.mark.parametrize("network, kind, expected", TRANSFORMERS, indirect=["network"])
@pytest.mark.parametrize("half", (False, True), ids=("float32", "float16"))
def test_optimised_transformers_run(run_model, network, kind, expected, half):
    path, inputs, output = network
    file = optimized(path, kind, half)
    assert expected <= {name.split(".")[-1] for name in operators(file)}
    names = {entry.name: entry.type.tensor_type.elem_type for entry in onnx.load(file).graph.input}
    given = {k: v.astype(onnx.helper.tensor_dtype_to_np_dtype(names[k])) for k, v in inputs.items()}
    want = OnnxRuntime(path, optimized=False).run(inputs)[0]
    tolerance = 2e-2 if half else 1e-4
    np.testing.assert_allclose(run_model.outputs(file, given)[output], want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("network, kind, expected", TRANSFORMERS, indirect=["network"])
def test_optimised_transformers_are_as_fused_as_others(run_model, network, kind, expected):
    """Products include biases, residuals and Gelu; normalisations remain."""
    path, inputs, _ = network
    shapes = [f"--shape={name}:{'x'.join(map(str, value.shape))}" for name, value in inputs.items()]
    counts = []
    for file in (path, optimized(path, kind, False), optimized(path, kind, True)):
        plan = run_model("inspect", file, "--show", "plan", *shapes).stdout
        names = ("linnet::MatMul", "LayerNormalization", " MatMul", " Add", " Gelu", "Erf", "Tanh")
        plan = plan.replace("linnet::Elementwise", "Add")  # combined with casts of halves
        counts.append({name: plan.count(f"{name} '") for name in names})
    assert counts[0] == counts[1]
    counts[0].pop(" Add"), counts[2].pop(" Add")  # a Cast of halves to floats rounds within the chain
    assert counts[0] == counts[2]
    assert counts[0]["linnet::MatMul"] == 12 - 4 * (kind == "gpt2") and not counts[0][" Gelu"]
