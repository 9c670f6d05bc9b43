"""The memory that remains resident when shapes increase, and when models are loaded and released."""

import json
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

START = """
import gc, json, sys
import numpy as np
import linnet

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

def run(session, n):
    session.run({"x": np.ones((n, session.inputs[0].shape[1]), np.float32)})

def load():
    return linnet.Session(sys.argv[1], threads=1, **json.loads(sys.argv[2]))
"""


def products(path, width, count):
    """Writes a file of this many products of width x width, with Softmax between them."""
    random, nodes, weights, x = np.random.default_rng(0), [], [], "x"
    for i in range(count):
        weights.append(numpy_helper.from_array(random.standard_normal((width, width)).astype(np.float32) / 8, f"w{i}"))
        nodes += [helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]), helper.make_node("Softmax", [f"m{i}"], [f"s{i}"])]
        x = f"s{i}"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width]) for name in ("x", x)]
    graph = helper.make_graph(nodes, "products", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def measured(script, *arguments, **options):
    """Returns the MB that a script prints in a separate process."""
    command = [sys.executable, "-c", START + script, str(arguments[0]), json.dumps(options)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def test_rising_sizes_keep_resident_memory_flat(tmp_path):
    largest, risen = measured(
        """
session = load()
run(session, 2000)
largest = resident()
del session
session = load()
for n in range(1, 2001):
    run(session, n)
print(json.dumps([largest, resident()]))
""", products(tmp_path / "model.onnx", 64, 3))  # fmt: skip
    assert risen <= largest + 20


def test_models_that_are_dropped_give_their_memory_back(tmp_path):
    before, one, after = measured(
        """
before = resident()
session = load()
run(session, 64)
one = resident()
for _ in range(8):
    session = load()
    run(session, 64)
del session
print(json.dumps([before, one, resident()]))
""", products(tmp_path / "model.onnx", 1024, 12))  # fmt: skip
    assert one >= before + 12 * 4, "what is measured is what the model needs"
    assert after <= before + 0.3 * (one - before)


def test_a_small_plan_cache_keeps_no_other_plans(tmp_path):
    script = """
session = load()
run(session, 1)
before = resident()
for n in range(1, 200):
    run(session, n)
print(json.dumps([before, resident()]))
"""
    path = products(tmp_path / "model.onnx", 8, 100)
    kept, dropped = (np.diff(measured(script, path, plan_cache_bytes=most))[0] for most in (64 << 20, 0))
    assert dropped < kept / 3
