"""Memory, file descriptors and threads after very many runs and loads; how many: LINNET_SOAK_RUNS (1000000: all)."""

import os
import subprocess

import numpy as np
from locations import BUILD
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

RUNS = int(os.environ.get("LINNET_SOAK_RUNS", 4000))
# Of a short time, in which pages that come late weigh more.
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
