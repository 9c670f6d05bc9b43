"""Ctrl-C while a session runs."""

import signal
import subprocess
import sys
import threading

# A process that a shell starts in the background ignores SIGINT, and so do its children.
ENDLESS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import linnet, numpy as np
from onnx import TensorProto, helper
body = helper.make_graph(
    [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("Add", ["v", "v"], ["w"])], "body",
    [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
     helper.make_tensor_value_info("v", TensorProto.FLOAT, [4])],
    [helper.make_tensor_value_info("more", TensorProto.BOOL, []), helper.make_tensor_value_info("w", TensorProto.FLOAT, [4])])
graph = helper.make_graph(
    [helper.make_node("Loop", ["", "go", "x"], ["y"], body=body)], "g",
    [helper.make_tensor_value_info("go", TensorProto.BOOL, []), helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
session = linnet.Session(model.SerializeToString())
x = np.ones(4, np.float32)
try:
    print("begin", flush=True)
    session.run({"go": np.array(True), "x": x})
except KeyboardInterrupt:
    print("interrupted", session.run({"go": np.array(False), "x": x})["y"].tolist())
"""


LAST_NODE = ENDLESS.split("body =")[0] + """
import os, threading
model = helper.make_model(helper.make_graph(
    [helper.make_node("MatMul", ["x", "x"], ["y"])], "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, None])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]), ir_version=10,
    opset_imports=[helper.make_opsetid("", 21)])
session = linnet.Session(model.SerializeToString(), threads=1)
x = np.ones((4096, 4096), np.float32)
timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
try:
    timer.start()
    session.run({"x": x})
    threading.Event().wait(60)
except KeyboardInterrupt:
    print("interrupted", session.run({"x": np.ones((1, 1), np.float32)})["y"].tolist())
"""


def test_ctrl_c_in_the_last_node_is_not_kept_for_a_later_run():
    result = subprocess.run([sys.executable, "-c", LAST_NODE], capture_output=True, text=True, timeout=120)
    assert result.stdout == "interrupted [[1.0]]\n", result.stderr


def test_ctrl_c_ends_a_run_and_leaves_the_session_usable():
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begin\n"
        threading.Event().wait(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted [1.0, 1.0, 1.0, 1.0]\n"
    finally:
        process.kill()
