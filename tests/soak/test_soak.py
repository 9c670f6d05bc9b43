"""Memory, file descriptors and threads after very many runs and loads. Their number is LINNET_SOAK_RUNS (1000000:
all)."""

import itertools
import os
import subprocess
import sys

import numpy as np
from locations import BUILD
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

RUNS = int(os.environ.get("LINNET_SOAK_RUNS", 4000))
# In a short test, pages that are touched late have a greater weight.
BYTES_PER_1000 = 1024 if RUNS >= 1_000_000 else 8 << 20


def test_nothing_grows(tmp_path):
    rng = np.random.default_rng(1)
    path = save_model(
        tmp_path / "model.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["r"]),
         helper.make_node("Softmax", ["r"], ["s"]), helper.make_node("NonZero", ["s"], ["places"])],
        [("x", TensorProto.FLOAT, ["N", 8])],
        [("s", TensorProto.FLOAT, ["N", 16]), ("places", TensorProto.INT64, [2, "K"])],
        [numpy_helper.from_array(rng.standard_normal((8, 16)).astype(np.float32), "w")],
    )  # fmt: skip
    result = subprocess.run([BUILD / "bin" / "soak", path, str(RUNS)], capture_output=True, text=True, check=True)
    print(result.stdout)
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines.pop()[::2] == ["wrong-results", "0"]
    assert [name for name, *_ in lines] == ["runs", "random-shapes", "loads", "failing-loads"]
    for name, _, slope, descriptors, threads in lines:
        assert float(slope) < BYTES_PER_1000, result.stdout
        assert (int(descriptors), int(threads)) == (0, 0), name


def chain(path, nodes):
    """Additions of products, for which each plan has kernels."""
    names = ["x", *(f"v{i}" for i in range(nodes - 1)), "y"]
    ops = [helper.make_node("MatMul" if i % 2 else "Softmax", [a, "w"] if i % 2 else [a], [b])
           for i, (a, b) in enumerate(itertools.pairwise(names))]  # fmt: skip
    weights = [numpy_helper.from_array(np.eye(8, dtype=np.float32), "w")]
    return save_model(path, ops, [("x", TensorProto.FLOAT, ["N", 8])], [("y", TensorProto.FLOAT, ["N", 8])], weights)


RESIDENT = """
import pathlib, sys
import numpy as np
import linnet

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

def load_and_run():
    session = linnet.Session(sys.argv[1], threads=1)
    for rows in range(1, 65):
        session.run({"x": np.ones((rows, 8), np.float32)})
    return resident()

before = resident()
print(load_and_run() - before, resident() - before)
"""


def test_memory_of_plans_goes_back_to_the_system(tmp_path):
    """Blocks that Python allocated meanwhile are at higher addresses than those of the plans."""
    path = chain(tmp_path / "chain.onnx", 300)
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python")}
    result = subprocess.run([sys.executable, "-c", RESIDENT, path], env=environment, capture_output=True, text=True, check=True)
    grown, kept = map(int, result.stdout.split())
    assert grown > 4 << 20
    assert kept < grown / 4
