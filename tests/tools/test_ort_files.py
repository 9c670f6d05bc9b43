"""Models in ONNX Runtime's own file format, .ort, written by its package."""

import json
import random
import subprocess

import numpy as np
import onnx
import pytest
from locations import RUN_MODEL
from onnx import TensorProto, helper, numpy_helper

onnxruntime = pytest.importorskip("onnxruntime", reason="the files are written by the package onnxruntime")
X = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32)


def model():
    """A convolution, a branch with bodies, and attributes and weights of many kinds."""
    node, weights = helper.make_node, np.random.default_rng(1)
    body = [helper.make_graph([node(op, ["pooled"], [f"out_{op}"])], op, [],
                              [helper.make_tensor_value_info(f"out_{op}", TensorProto.FLOAT, None)]) for op in ("Relu", "Neg")]  # fmt: skip
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], name="conv", pads=[1, 1, 1, 1]), node("LeakyRelu", ["c"], ["r"], alpha=0.25),
        node("GlobalAveragePool", ["r"], ["pooled"]), node("If", ["choose"], ["chosen"], then_branch=body[0], else_branch=body[1]),
        node("Cast", ["chosen"], ["d"], to=TensorProto.DOUBLE), node("Mul", ["d", "factor"], ["y"]),
        node("Identity", ["words"], ["z"]),
    ]  # fmt: skip
    values = {"w": weights.standard_normal((4, 3, 3, 3)).astype(np.float32), "b": np.ones(4, np.float32),
              "factor": np.array(2.0), "words": np.array(["a", "", "long" * 9], object)}  # fmt: skip
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, 8]),
                     helper.make_tensor_value_info("choose", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.DOUBLE, ["N", 4, 1, 1]),
         helper.make_tensor_value_info("z", TensorProto.STRING, [3])],
        [numpy_helper.from_array(array, name) for name, array in values.items()])  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="tests")
    proto.ir_version = 8
    helper.set_model_props(proto, {"key": "value"})
    return proto


def save(path, level="ORT_DISABLE_ALL", proto=None):
    """Writes the model as ONNX Runtime does. Returns what it computes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.optimized_model_filepath = str(path)
    options.add_session_config_entry("session.save_model_format", "ORT")
    session = onnxruntime.InferenceSession((proto or model()).SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)


@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED"])
@pytest.mark.parametrize("choose", [True, False])
def test_outputs(run_model, tmp_path, level, choose):
    feeds = {"x": X, "choose": np.array(choose)}
    expected = save(tmp_path / "m.ort", level)(feeds)
    got = run_model.outputs(tmp_path / "m.ort", feeds)
    np.testing.assert_allclose(got["y"], expected[0], 1e-5, 1e-6)


def test_what_the_file_says(run_model, tmp_path):
    save(tmp_path / "m.ort")
    found = json.loads(run_model("inspect", tmp_path / "m.ort", "--json", "-").stdout)
    assert [value["name"] for value in found["inputs"]] == ["x", "choose"]
    assert [value["name"] for value in found["outputs"]] == ["y", "z"]
    assert "N" in json.dumps(found["inputs"])


def test_saved_as_onnx(run_model, tmp_path):
    save(tmp_path / "m.ort")
    run_model("run", tmp_path / "m.ort", "--opt", 0, "--dim", "N=2", "--save-optimized", tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"))


def check_refused_or_loaded(path, data):
    path.write_bytes(data)
    result = subprocess.run([RUN_MODEL, "inspect", path, "--show", "io"], capture_output=True, timeout=30)
    assert result.returncode in (0, 2, 5), result.stderr
    if result.returncode:
        assert path.name in result.stderr.decode() and result.stderr.count(b"\n") == 1, result.stderr


def test_files_that_end_early(tmp_path):
    save(tmp_path / "m.ort")
    whole = (tmp_path / "m.ort").read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 40)):
        check_refused_or_loaded(tmp_path / "cut.ort", whole[:size])


def test_files_that_are_changed_at_random(tmp_path):
    save(tmp_path / "m.ort")
    whole, draw = (tmp_path / "m.ort").read_bytes(), random.Random(0)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 1, 4, 32])):
            data[draw.randrange(8, len(data))] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        check_refused_or_loaded(tmp_path / "changed.ort", bytes(data))
