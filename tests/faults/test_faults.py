"""Memory, files and threads that fail at any point: runs test_faults on all kinds of models."""

import subprocess

import numpy as np
import onnx
import pytest
from locations import BUILD
from onnx import TensorProto, helper, numpy_helper

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
PROGRAM = BUILD / "bin" / "test_faults"
LIVES = 100  # of each kind of fault, with failing calls at equal distances
node, info = helper.make_node, helper.make_tensor_value_info


def weights(name, *shape):
    return numpy_helper.from_array(np.random.default_rng(1).standard_normal(shape).astype(np.float32), name)


def constant(name, values, dtype=np.int64):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def model(nodes, inputs, outputs=(("y", FLOAT, None),), initializers=(), **more):
    graph = helper.make_graph(nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs], initializers)
    domains = [helper.make_opsetid(domain, version) for domain, version in (("", 18), ("local", 1), ("test", 1))]
    return helper.make_model(graph, opset_imports=domains, ir_version=10, **more)


def body(name, nodes, inputs, outputs):
    return helper.make_graph(nodes, name, [info(*i) for i in inputs], [info(*o) for o in outputs])


def conv():
    nodes = [node("Conv", ["x", "w"], ["c"]), node("Relu", ["c"], ["r"]), node("GlobalAveragePool", ["r"], ["y"])]
    return model(nodes, [("x", FLOAT, ["N", 3, 9, 9])], initializers=[weights("w", 8, 3, 3, 3)])


def branches():
    then = body("then", [node("Exp", ["x"], ["t"])], [], [("t", FLOAT, None)])
    other = body("else", [node("Neg", ["x"], ["e"])], [], [("e", FLOAT, None)])
    nodes = [node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    return model(nodes, [("c", BOOL, []), ("x", FLOAT, ["N", 4])])


def loop():
    nodes = [node("Identity", ["go"], ["on"]), node("Tanh", ["v"], ["next"]), node("Identity", ["next"], ["row"])]
    inputs, outputs = [("i", INT64, []), ("go", BOOL, []), ("v", FLOAT, None)], [("on", BOOL, []), ("next", FLOAT, None), ("row", FLOAT, None)]
    nodes = [node("Loop", ["n", "", "x"], ["v", "rows"], body=body("body", nodes, inputs, outputs)),
             node("NonZero", ["rows"], ["places"]), node("Cast", ["places"], ["cast"], to=FLOAT),
             node("ReduceSum", ["cast"], ["sum"], keepdims=0), node("Add", ["v", "sum"], ["y"])]  # fmt: skip
    return model(nodes, [("n", INT64, []), ("x", FLOAT, [4])])


def quantised():
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("MatMulInteger", ["q", "w", "z"], ["p"]),
             node("Cast", ["p"], ["f"], to=FLOAT), node("Mul", ["f", "s"], ["y"])]  # fmt: skip
    return model(nodes, [("x", FLOAT, ["N", 8])], initializers=[constant("w", np.arange(40).reshape(8, 5) - 20, np.int8)])


def sparse():
    proto = model([node("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, ["N", 6])])
    values, places = weights("w", 3), constant("places", [1, 7, 20])
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [6, 4]))
    return proto


def functions():
    twice = [node("Add", ["a", "a"], ["t"]), node("Sigmoid", ["t"], ["b"])]
    function = helper.make_function("local", "F", ["a"], ["b"], twice, [helper.make_opsetid("", 18)])
    nodes = [node("F", ["x"], ["h"], domain="local"), node("F", ["h"], ["y"], domain="local")]
    return model(nodes, [("x", FLOAT, ["N", 4])], functions=[function])


def external():
    return model([node("MatMul", ["x", "w"], ["y"])], [("x", FLOAT, ["N", 200])], initializers=[weights("w", 200, 100)])


def custom():
    nodes = [node("Doubled", ["x"], ["d"], domain="test"), node("MatMul", ["d", "w"], ["y"])]
    return model(nodes, [("x", FLOAT, ["N", 4])], initializers=[weights("w", 4, 4)])


MODELS = [conv, branches, loop, quantised, sparse, functions, external, custom]


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_whatever_fails_is_an_error_and_nothing_is_lost(make, tmp_path):
    (tmp_path / "work").mkdir()
    path = tmp_path / "model.onnx"
    onnx.save_model(make(), path, save_as_external_data=make is external, location="weights.bin", size_threshold=0)
    result = subprocess.run([PROGRAM, path, tmp_path / "work", str(LIVES)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
