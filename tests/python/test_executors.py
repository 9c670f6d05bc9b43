"""The threads that run a session: Session(executor=)."""

import subprocess
import sys

import linnet
import numpy as np
import onnx
import pytest
from locations import ROOT
from onnx import TensorProto, helper
from sessions import tensor

EXECUTORS = ("threads", "openmp", "serial")
ROWS = 1 << 12
SCRIPT = """
import os, sys
import linnet, numpy as np
session = linnet.Session(sys.argv[1], threads=2, executor=sys.argv[2])
before = len(os.listdir("/proc/self/task"))
session.run({"x": np.ones((1 << 12, 256), np.float32)})
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    values = [tensor(name, TensorProto.FLOAT, [ROWS, 256]) for name in "xy"]
    weight = onnx.numpy_helper.from_array(np.random.default_rng(0).standard_normal((256, 256), np.float32), "w")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", values[:1], values[1:], [weight])
    path = str(tmp_path_factory.mktemp("model") / "m.onnx")
    onnx.save(helper.make_model(graph, ir_version=10), path)
    return path


def test_each_gives_the_same_bits(model):
    x = np.random.default_rng(1).standard_normal((ROWS, 256), np.float32)
    results = [linnet.Session(model, threads=threads, executor=executor).run({"x": x})["y"].tobytes()
               for executor in EXECUTORS for threads in (1, 2, 3)]  # fmt: skip
    assert len(set(results)) == 1


@pytest.mark.parametrize(("executor", "started"), list(zip(EXECUTORS, (1, 1, 0))))
def test_threads_of_each(model, executor, started):
    done = subprocess.run([sys.executable, "-c", SCRIPT, model, executor], capture_output=True, text=True, check=True)
    assert int(done.stdout) == started


def test_others_are_refused(model):
    with pytest.raises(ValueError, match="executor must be threads or openmp or serial, got 'pool'"):
        linnet.Session(model, executor="pool")


def test_the_benchmark_compares_executors(model):
    script = ROOT / "benchmarks" / "serving" / "executors.py"
    flags = ["--threads", "2", "--seconds", "0.01", "--rounds", "1", "--neighbours", "0,1"]
    table = subprocess.run([sys.executable, script, model, *flags], capture_output=True, text=True, check=True).stdout
    rows = [line.split("|")[1:-1] for line in table.splitlines()]
    assert [len(row) for row in rows] == [8] * 6
    assert [row[1].strip() for row in rows[2:]] == ["0", "0", "1", "1"]
