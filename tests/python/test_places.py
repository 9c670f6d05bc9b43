"""The processors on which Linnet's own threads run."""

import os
import subprocess
import sys

import onnx
import pytest
from onnx import TensorProto, helper
from sessions import tensor

SCRIPT = """
import os, sys, time
import linnet, numpy as np
session = linnet.Session(sys.argv[1], threads=2)
before = set(os.listdir("/proc/self/task"))
session.run({"x": np.ones(1 << 22, np.float32)})
thread, = {*os.listdir("/proc/self/task")} - before
end = time.monotonic() + 30  # a run does not wait for threads that have not begun
while (place := os.sched_getaffinity(int(thread))) == os.sched_getaffinity(0) and time.monotonic() < end:
    time.sleep(0.01)
print(*place)
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="only one processor")
def test_threads_lie_on_places_of_their_own_where_openmp_binds_them(tmp_path):
    values = [tensor(name, TensorProto.FLOAT, [1 << 22]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", values[:1], values[1:])
    path = str(tmp_path / "m.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    first, second = sorted(os.sched_getaffinity(0))[:2]
    places = {"OMP_PROC_BIND": "true", "OMP_PLACES": f"{{{first}}},{{{second}}}"}
    done = subprocess.run([sys.executable, "-c", SCRIPT, path], env=os.environ | places, check=True,
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    assert done.stdout.split() == [str(second)]
