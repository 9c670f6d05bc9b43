"""run_model ops --needed: the parts of Linnet that models need, for reduced builds (tests/package/test_reduced.py)."""

import numpy as np
import pytest
from code_models import save_decoder
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

FLAT = [("x", TensorProto.FLOAT, [4])], [("y", TensorProto.FLOAT, [4])]


def needed(run_model, *arguments):
    """Returns (domain, operator) -> dtypes, and the other lines by their first word."""
    operators, rest = {}, {}
    for line in run_model("ops", "--needed", *arguments).stdout.splitlines():
        kind, *words = line.split(" ")
        if kind == "operator":
            operators[words[1], words[2]] = words[4]
        elif kind != "#":
            rest.setdefault(kind, set()).add(words[0])
    return operators, rest


def branch(op_type):
    output = helper.make_tensor_value_info("b", TensorProto.FLOAT, [4])
    return helper.make_graph([helper.make_node(op_type, ["x"], ["b"])], op_type, [], [output])


def test_operators_of_both_branches_are_needed(run_model, tmp_path):
    nodes = [helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0), helper.make_node("Cast", ["m"], ["c"], to=TensorProto.BOOL),
             helper.make_node("If", ["c"], ["y"], then_branch=branch("Erf"), else_branch=branch("Sqrt"))]  # fmt: skip
    operators, _ = needed(run_model, save_model(tmp_path / "if.onnx", nodes, *FLAT))
    assert {"ReduceMax", "Cast", "If", "Erf", "Sqrt"} <= {name for _, name in operators}
    assert operators["ai.onnx", "Cast"] == "bool,float32"


def test_operators_that_optimisation_removes_or_makes_are_needed(run_model, tmp_path):
    nodes = [helper.make_node("Identity", ["x"], ["i"]), helper.make_node("Conv", ["i", "w"], ["c"]),
             helper.make_node("Relu", ["c"], ["y"])]  # fmt: skip
    weights = numpy_helper.from_array(np.ones((16, 8, 3, 3), np.float32), "w")
    x, y = ("x", TensorProto.FLOAT, [1, 8, 20, 20]), ("y", TensorProto.FLOAT, [1, 16, 18, 18])
    path = save_model(tmp_path / "conv.onnx", nodes, [x], [y], [weights])
    operators, rest = needed(run_model, path)
    assert {("ai.onnx", "Identity"), ("ai.onnx", "Conv"), ("ai.onnx", "Relu"), ("linnet", "Conv")} <= set(operators)
    assert "fuse_activation" in rest["rewrite"]
    as_written, rest = needed(run_model, path, "--opt", 0)
    assert {domain for domain, _ in as_written} == {"ai.onnx"} and "rewrite" not in rest


def test_operators_that_only_shape_rules_ask_for_are_needed(run_model, tmp_path):
    """QLinearConv is an expansion, whose facts are those of a graph of ConvInteger and others."""
    parts = {"xs": np.float32(0.1), "xz": np.uint8(3), "w": np.ones((16, 8, 3, 3), np.int8), "ws": np.float32(0.2),
             "wz": np.int8(0), "ys": np.float32(0.5), "yz": np.uint8(7)}  # fmt: skip
    node = helper.make_node("QLinearConv", ["x", *parts], ["y"])
    x, y = ("x", TensorProto.UINT8, [1, 8, 20, 20]), ("y", TensorProto.UINT8, [1, 16, 18, 18])
    constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in parts.items()]
    operators, _ = needed(run_model, save_model(tmp_path / "qlinear.onnx", [node], [x], [y], constants))
    assert ("ai.onnx", "ConvInteger") in operators


def test_a_cache_hides_nothing(run_model, tmp_path):
    nodes = [helper.make_node("Identity", ["x"], ["i"]), helper.make_node("Erf", ["i"], ["y"])]
    path = save_model(tmp_path / "i.onnx", nodes, *FLAT)
    flags = ["--pack-cache", tmp_path / "cache"]
    run_model(path, *flags)
    assert needed(run_model, path, *flags) == needed(run_model, path)


def test_lists_of_several_models_are_one(run_model, tmp_path):
    paths = [save_model(tmp_path / f"{op}.onnx", [helper.make_node(op, ["x"], ["y"])], *FLAT) for op in ("Erf", "Sqrt")]
    operators, _ = needed(run_model, *paths)
    assert {("ai.onnx", "Erf"), ("ai.onnx", "Sqrt")} <= set(operators)


def test_states_need_what_their_steps_need(run_model, tmp_path):
    save_decoder(tmp_path / "decoder.onnx")
    once, _ = needed(run_model, tmp_path / "decoder.onnx", "--dim", "P=4")
    steps, _ = needed(run_model, tmp_path / "decoder.onnx", "--dim", "P=4", "--state", "present.*=past.*", "--steps", 8)
    assert set(once) <= set(steps)


@pytest.mark.parametrize("precision, listed", [("float32", False), ("bf16", True)])
def test_products_in_other_dtypes_need_these(run_model, tmp_path, precision, listed):
    path = save_model(tmp_path / "one.onnx", [helper.make_node("Sqrt", ["x"], ["y"])], *FLAT)
    assert ("bfloat16" in needed(run_model, path, "--precision", precision)[1].get("dtype", ())) is listed
