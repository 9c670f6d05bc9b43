"""The costs of nodes in --profile and --profile-table."""

import json

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


def profile(run_model, model, folder, *flags):
    path = folder / "trace.json"
    run_model("run", model, "-p", path, "--print", 0, *flags)
    return json.loads(path.read_text())


def cost_of(trace, key):
    return sum(event["args"][key] for event in trace["traceEvents"])


@pytest.fixture
def blocks(tmp_path):
    """Inverted residual blocks, which rewrites fuse in several ways, and a dense layer. Returns the model and its
    multiply-adds."""
    rng = np.random.default_rng(5)
    nodes, weights, count, last, pixels = [], [], 0, "x", 28 * 28
    for i in range(3):
        e, d, p = (f"{name}{i}" for name in "edp")
        for name, shape in ((e, (96, 16, 1, 1)), (d, (96, 1, 3, 3)), (p, (16, 96, 1, 1))):
            weights.append(numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), f"w{name}"))
            count += pixels * int(np.prod(shape))
        nodes += [
            helper.make_node("Conv", [last, f"w{e}"], [f"{e}c"]), helper.make_node("Relu", [f"{e}c"], [e]),
            helper.make_node("Conv", [e, f"w{d}"], [f"{d}c"], group=96, pads=[1] * 4), helper.make_node("Relu", [f"{d}c"], [d]),
            helper.make_node("Conv", [d, f"w{p}"], [f"{p}c"]), helper.make_node("Add", [f"{p}c", last], [p]),
        ]  # fmt: skip
        last = p
    nodes += [helper.make_node("GlobalAveragePool", [last], ["g"]), helper.make_node("Flatten", ["g"], ["flat"]),
              helper.make_node("Gemm", ["flat", "wg"], ["y"])]  # fmt: skip
    weights.append(numpy_helper.from_array(rng.standard_normal((16, 10)).astype(np.float32), "wg"))
    model = save_model(tmp_path / "blocks.onnx", nodes, [("x", TensorProto.FLOAT, [1, 16, 28, 28])],
                       [("y", TensorProto.FLOAT, None)], weights)  # fmt: skip
    return model, count + 160


@pytest.mark.parametrize("level", [0, 1, 2])
def test_fused_nodes_cost_as_many_multiply_adds_as_the_model(run_model, blocks, tmp_path, level):
    model, count = blocks
    trace = profile(run_model, model, tmp_path, "--opt", level)
    assert cost_of(trace, "multiply_adds") == count
    if level == 2:
        assert {e["name"] for e in trace["traceEvents"]} & {"linnet::PointwiseDepthwiseConv", "linnet::DepthwisePointwiseConv"}


def test_rates_follow_from_the_counts_and_the_roofline(run_model, blocks, tmp_path):
    trace = profile(run_model, blocks[0], tmp_path)
    machine = trace["otherData"]
    assert all(machine[key] > 0 for key in ("float32_gflop_per_s", "float64_gflop_per_s", "int8_gflop_per_s", "memory_gb_per_s"))
    for event in trace["traceEvents"]:
        args, us = event["args"], event["dur"]
        assert args["gflop_per_s"] == pytest.approx(2e-3 * args["multiply_adds"] / us)
        assert args["gb_per_s"] == pytest.approx(1e-3 * args["bytes"] / us)
        reached = max(args["gflop_per_s"] / machine["float32_gflop_per_s"], args["gb_per_s"] / machine["memory_gb_per_s"])
        assert args["roofline_percent"] == pytest.approx(100 * reached)


def test_the_table_has_a_column_for_each_rate(run_model, linear):
    lines = run_model("bench", linear[0], "-r", 3, "--dim", "N=7", "--opt", 0, "--profile-table").stdout.splitlines()
    header = next(i for i, line in enumerate(lines) if "share" in line)
    assert lines[header].split() == ["share", "time/call", "calls", "GFLOP/s", "bytes/call", "GB/s", "roofline", "node"]
    matmul, add = (next(line for line in lines if node in line).split() for node in ("MatMul 'product'", "Add 'sum'"))
    assert matmul[5:7] == [str(4 * (7 * 3 + 3 * 2 + 7 * 2)), "B"]
    assert add[4] == "-" and add[5:7] == [str(4 * (7 * 2 + 2 + 7 * 2)), "B"]
    assert lines[-1].startswith("roofline: float32 ")


def test_a_loop_leaves_its_cost_to_its_nodes(run_model, tmp_path):
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("MatMul", ["a", "w"], ["b"], "inside")], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("a", TensorProto.FLOAT, [4, 4])],
        [helper.make_tensor_value_info("on", TensorProto.BOOL, []), helper.make_tensor_value_info("b", TensorProto.FLOAT, [4, 4])],
    )  # fmt: skip
    constants = [numpy_helper.from_array(np.array(5, np.int64), "n"), numpy_helper.from_array(np.array(True), "true"),
                 numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")]  # fmt: skip
    model = save_model(tmp_path / "loop.onnx", [helper.make_node("Loop", ["n", "true", "x"], ["y"], body=body)],
                       [("x", TensorProto.FLOAT, [4, 4])], [("y", TensorProto.FLOAT, [4, 4])], constants)  # fmt: skip
    trace = profile(run_model, model, tmp_path, "--opt", 0)
    assert cost_of(trace, "multiply_adds") == 5 * 64
    assert [e["args"]["bytes"] for e in trace["traceEvents"] if e["name"] == "Loop"] == [0]


def test_devices_tells_the_roofline(run_model):
    machine = json.loads(run_model("devices", "--json", "-").stdout)["roofline"]
    assert machine["threads"] >= 1 and machine["memory_gb_per_s"] > 0
    assert "roofline   float32 " in run_model("devices").stdout
