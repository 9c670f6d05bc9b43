"""run_model --save-optimized and --pack-cache, and comparisons of intermediate values of a model."""

import json

import numpy as np
import onnx
import pytest
from locations import REAL_MODELS
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


@pytest.fixture
def conv_chain(tmp_path):
    """Conv, Relu, Conv + residual, Relu, mean: y float32[N,4,1,1] from x float32[N,3,8,8]."""
    rng = np.random.default_rng(5)
    weights = [(rng.standard_normal(shape) / 4).astype(np.float32) for shape in ((4, 3, 3, 3), (4, 4, 3, 3), (4,))]
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b"], ["c1"], "first", pads=[1] * 4),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], "second", pads=[1] * 4),
        helper.make_node("Add", ["c2", "r1"], ["s"], "sum"),
        helper.make_node("Relu", ["s"], ["r2"], "relu2"),
        helper.make_node("GlobalAveragePool", ["r2"], ["y"], "mean"),
    ]
    return save_model(
        tmp_path / "chain.onnx", nodes, [("x", TensorProto.FLOAT, ["N", 3, 8, 8])], [("y", TensorProto.FLOAT, ["N", 4, 1, 1])],
        [numpy_helper.from_array(w, name) for w, name in zip(weights, ("w1", "w2", "b"))],
    )  # fmt: skip


def expect_same_when_saved(run_model, model, tmp_path, *arguments):
    """Saves the optimised model, and expects bitwise equal outputs from it. Returns the saved ModelProto."""
    expected = run_model.outputs(model, {}, "--save-optimized", tmp_path / "saved.onnx", *arguments)
    got = run_model.outputs(tmp_path / "saved.onnx", {}, *arguments)
    assert expected.keys() == got.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(got[name], value)
    return onnx.load(tmp_path / "saved.onnx")


def test_fused_convolutions_survive_the_round_trip(run_model, conv_chain, tmp_path):
    saved = expect_same_when_saved(run_model, conv_chain, tmp_path, "--dim", "N=2")
    fused = [node for node in saved.graph.node if node.domain == "linnet" and node.op_type == "Conv"]
    assert len(fused) == 2 and all("activation" in {a.name for a in node.attribute} for node in fused)
    assert {(item.domain, item.version) for item in saved.opset_import} == {("", 17), ("linnet", 17)}
    onnx.checker.check_model(saved)


def test_saved_without_rewrites_is_a_standard_model(run_model, conv_chain, tmp_path):
    saved = expect_same_when_saved(run_model, conv_chain, tmp_path, "--opt", 0)
    assert [node.op_type for node in saved.graph.node] == ["Conv", "Relu", "Conv", "Add", "Relu", "GlobalAveragePool"]
    assert [item.domain for item in saved.opset_import] == [""]
    pytest.importorskip("onnxruntime")
    from onnx_runtime import OnnxRuntime

    x = np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype(np.float32)
    a, b = (OnnxRuntime(path).run({"x": x})[0] for path in (conv_chain, tmp_path / "saved.onnx"))
    np.testing.assert_array_equal(a, b)


@pytest.fixture
def half_chain(tmp_path):
    """y = x a b of float16."""
    rng = np.random.default_rng(5)
    weights = [numpy_helper.from_array((rng.standard_normal((80, 80)) / 8).astype(np.float16), name) for name in "ab"]
    nodes = [helper.make_node("MatMul", ["x", "a"], ["z"]), helper.make_node("MatMul", ["z", "b"], ["y"])]
    ends = [[(name, TensorProto.FLOAT16, [5, 80])] for name in "xy"]
    return save_model(tmp_path / "half.onnx", nodes, *ends, weights)


def test_weights_of_16_bits_survive_the_round_trip(run_model, half_chain, tmp_path):
    saved = expect_same_when_saved(run_model, half_chain, tmp_path)
    assert [w.data_type for w in saved.graph.initializer] == [TensorProto.FLOAT16] * 2
    standard = expect_same_when_saved(run_model, half_chain, tmp_path, "--opt", 1)
    assert {node.domain for node in standard.graph.node} == {""}


def test_a_prepared_model_keeps_weights_of_16_bits(run_model, half_chain, tmp_path):
    expected = run_model.outputs(half_chain, {})
    for _ in range(2):
        got = run_model.outputs(half_chain, {}, "--pack-cache", tmp_path / "cache")
        np.testing.assert_array_equal(got["y"], expected["y"])
    (packed,) = (tmp_path / "cache").glob("*/*.packs")
    assert 2 * 2 * 80 * 80 <= packed.stat().st_size < 4 * 2 * 80 * 80


def test_the_plan_says_what_products_are_computed_of(run_model, linear):
    plan = run_model("inspect", linear[0], "--show", "plan", "--precision", "bf16").stdout
    assert "bfloat16" in plan
    plan = run_model("inspect", linear[0], "--show", "plan", "--precision", "bf16", "--isa", "baseline").stdout
    assert "float32: the instruction set has no products of bfloat16" in plan
    assert "bfloat16" not in run_model("inspect", linear[0], "--show", "plan").stdout
    assert "--precision" in run_model("inspect", linear[0], "--precision", "half", code=1).stderr


def test_the_plan_says_what_keeps_attention_from_being_fused(run_model, tmp_path):
    def plan(axis):
        nodes = [
            helper.make_node("MatMul", ["q", "k"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["p"], axis=axis),
            helper.make_node("MatMul", ["p", "v"], ["y"], "last"),
        ]
        shapes = [("q", [1, 2, 4, 8]), ("k", [1, 2, 8, 4]), ("v", [1, 2, 4, 8])]
        inputs = [(name, TensorProto.FLOAT, shape) for name, shape in shapes]
        path = save_model(tmp_path / "attention.onnx", nodes, inputs, [("y", TensorProto.FLOAT, [1, 2, 4, 8])], [])
        return run_model("inspect", path, "--show", "plan").stdout

    assert "not fused into Attention: 'last': its Softmax is not along the keys" in plan(2)
    assert "not fused" not in plan(-1)


@pytest.mark.parametrize("verb", [["bench", "-r", "1"], ["inspect"], ["compare", "--verify-opt"]])
def test_every_verb_with_a_model_saves_it(run_model, conv_chain, tmp_path, verb):
    run_model(*verb, conv_chain, "--save-optimized", tmp_path / "saved.onnx")
    assert any(node.domain == "linnet" for node in onnx.load(tmp_path / "saved.onnx").graph.node)


def test_place_that_cannot_be_written_is_an_error_of_one_line(run_model, linear, tmp_path):
    error = run_model("inspect", linear[0], "--save-optimized", tmp_path / "none/m.onnx", code=3).stderr
    assert "cannot write" in error and error.count("\n") == 1


def test_a_prepared_model_is_kept_and_gives_the_same(run_model, conv_chain, tmp_path):
    expected = run_model.outputs(conv_chain, {})
    written = []
    for _ in range(2):
        got = run_model.outputs(conv_chain, {}, "--pack-cache", tmp_path / "cache")
        np.testing.assert_array_equal(got["y"], expected["y"])
        written.append({path: path.stat().st_ino for path in (tmp_path / "cache").glob("*/*") if path.parent.name != "files"})
    assert written[0] == written[1]
    assert {path.suffix or path.name for path in written[0]} == {"model", "constants", ".packs"}


def test_without_a_place_for_it_the_model_runs_with_a_warning(run_model, conv_chain, tmp_path):
    (tmp_path / "file").write_text("")
    result = run_model("run", conv_chain, "--pack-cache", tmp_path / "file")
    assert str(tmp_path / "file") in result.stderr and result.stderr.count("\n") == 1


def test_saved_bodies_read_the_values_around_them(run_model, tmp_path):
    if_node = helper.make_node("If", ["c"], ["y"], then_branch=branch("Sub"), else_branch=branch("Mul"))
    model = save_model(
        tmp_path / "m.onnx", [helper.make_node("Abs", ["x"], ["a"]), if_node],
        [("c", TensorProto.BOOL, []), ("x", TensorProto.FLOAT, [3])], [("y", TensorProto.FLOAT, [3])],
    )  # fmt: skip
    for condition in (True, False):
        np.save(tmp_path / "c.npy", np.array(condition))
        saved = expect_same_when_saved(run_model, model, tmp_path, "-i", f"c={tmp_path}/c.npy", "--fill", "random")
    assert [len(a.g.input) for node in saved.graph.node for a in node.attribute] == [0, 0]


def branch(op_type):
    output = helper.make_tensor_value_info("r", TensorProto.FLOAT, [3])
    return helper.make_graph([helper.make_node(op_type, ["a", "x"], ["r"])], op_type, [], [output])


@pytest.mark.parametrize("model, arguments", [
    ("silero_vad/silero_vad_16k_op15.onnx", ["--shape", "input:1x576", "--shape", "state:2x1x128", "--fill", "ones"]),
    ("mnist_8/model.onnx", []), ("super_resolution_10/model.onnx", []), ("fastest_det/FastestDet.onnx", []),
])  # fmt: skip
def test_real_models_survive_the_round_trip(run_model, tmp_path, model, arguments):
    if not (REAL_MODELS / model).exists():
        pytest.skip(f"{REAL_MODELS / model} is not there")
    expect_same_when_saved(run_model, REAL_MODELS / model, tmp_path, *arguments)


def document(result):
    return json.loads(result.stdout)


def test_per_node_compares_what_the_rewrites_left(run_model, conv_chain):
    result = document(run_model("compare", conv_chain, "--verify-opt", "--per-node", "--atol", 1e-5, "--json", "-"))
    assert [node["value"] for node in result["nodes"]] == ["r1", "r2", "y"]
    assert [(node["op"], node["agrees"]) for node in result["nodes"][:2]] == [("Relu", True)] * 2
    assert (result["compared"], result["skipped"], result["first_difference"]) == (3, 3, None)
    text = run_model("compare", conv_chain, "--verify-opt", "--per-node", "--atol", 1e-5).stdout
    assert "Relu 'relu1'  r1" in text and "3 values compared, 0 differ; 3 have no counterpart" in text


def test_per_node_sees_every_value_where_nothing_is_rewritten(run_model, linear):
    result = document(run_model("compare", linear[0], "--verify-opt", "--per-node", "--opt", 1, "--json", "-"))
    assert [(node["value"], node["max_difference"]) for node in result["nodes"]] == [("xw", 0), ("y", 0)]


@pytest.fixture
def rounding(tmp_path):
    """The convolutions with channels first and channels last round differently, which a tolerance of 0 detects."""
    rng = np.random.default_rng(6)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv"), helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], "norm"),
             helper.make_node("IsNaN", ["n"], ["y"], "nan")]  # fmt: skip
    constants = {"w": (8, 64, 3, 3), "s": (8,), "b": (8,), "m": (8,), "v": (8,)}
    return save_model(
        tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [1, 64, 8, 8])], [("y", TensorProto.BOOL, [1, 8, 6, 6])],
        [numpy_helper.from_array(rng.uniform(0.5, 1, shape).astype(np.float32), name) for name, shape in constants.items()],
    )  # fmt: skip


def test_first_diff_names_the_node_and_its_inputs(run_model, rounding):
    arguments = ["compare", rounding, "--verify-opt", "--first-diff", "--rtol", 0, "--atol", 0]
    first = document(run_model(*arguments, "--json", "-", code=4))["first_difference"]
    assert (first["value"], first["node"], first["op"]) == ("n", "norm", "BatchNormalization")
    assert first["inputs"] == "float32[1,8,6,6], " + ", ".join(["float32[8]"] * 4)
    text = run_model(*arguments, code=4).stdout
    assert "first difference: value 'n' of BatchNormalization 'norm' (opset 17)" in text


def test_tolerances_may_be_given_per_value(run_model, rounding):
    arguments = ["compare", rounding, "--verify-opt", "--first-diff", "--rtol", 0]
    first = document(run_model(*arguments, "--atol", 1, "--atol", "n:0", "--json", "-", code=4))["first_difference"]
    assert first["value"] == "n"
    run_model(*arguments, "--atol", 1)


@pytest.mark.parametrize("flag", ["--per-node", "--first-diff"])
def test_values_inside_need_a_reference_that_has_them(run_model, linear, tmp_path, flag):
    for reference in ([], ["--test-data", tmp_path]):
        assert f"{flag} needs one reference" in run_model("compare", linear[0], flag, *reference, code=1).stderr
