"""Custom operators that were written for ONNX Runtime, used from Python."""

import subprocess
import sys

import pytest

extensions = pytest.importorskip("onnxruntime_extensions", reason="its library of operators is what is loaded")

PROGRAM = """
import numpy as np, onnx, onnxruntime_extensions
import linnet.onnxruntime as ort
from onnx import TensorProto, helper

text = [helper.make_tensor_value_info(name, TensorProto.STRING, [None]) for name in "su"]
graph = helper.make_graph([helper.make_node("StringUpper", ["s"], ["u"], domain="ai.onnx.contrib")], "g", text[:1], text[1:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.contrib", 1)])
model.ir_version = 8
options = ort.SessionOptions()
options.register_custom_ops_library(onnxruntime_extensions.get_library_path())
session = ort.InferenceSession(model.SerializeToString(), options)
print(session.run(None, {"s": np.array(["abc", ""])})[0].tolist())
"""


def test_operators_of_a_library_run_and_the_process_ends(tmp_path):
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (result.returncode, result.stdout.strip()) == (0, "['ABC', '']"), result.stderr
