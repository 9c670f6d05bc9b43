"""The types that the package declares, checked by mypy --strict, which also checks the modules themselves."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import linnet

HEAD = """
import linnet
import linnet.as_onnxruntime
import linnet.backend
import linnet.onnxruntime as ort
import numpy as np
import numpy.typing as npt
import onnx
from linnet.onnxruntime.capi.onnxruntime_pybind11_state import Fail

x = np.zeros((1, 3), np.float32)
session = linnet.Session("model.onnx", threads=2, op_libraries=["ops.so"], seed=None)
"""
RIGHT = """
outputs: dict[str, npt.NDArray[np.float32]] = session.run({"x": x, "n": 3}, ["y"], out={"y": x})
session.run({"x": [1.0]}, cancellation=linnet.Cancellation())
shape: tuple[int | str | None, ...] | None = session.inputs[0].shape
name: str = linnet.cached("model.onnx", threads=1).metadata.overridable[0].name
other: linnet.Session = linnet.Session(b"", replaceable_weights=True).with_weights({"w": x})
version: str = linnet.__version__
pixels: npt.NDArray[np.uint8] = linnet.read_image("x.png")
context: linnet.Context = session.context().fork()
context.bind_state("present", "past", x, capacity=64)
context.run({"x": x}, ["y"], out={"y": x}, cancellation=linnet.Cancellation())
try:
    linnet.batched(other, {"x": x}, 4)
except linnet.ShapeError as error:
    value: ValueError = error
y: tuple[object, ...] = linnet.backend.prepare(onnx.ModelProto()).run([x])
options = ort.SessionOptions()
options.intra_op_num_threads = 2
drop_in = ort.InferenceSession("model.onnx", options, providers=["CPUExecutionProvider"])
values: list[object] = drop_in.run(None, {"x": x})
inputs: list[ort.NodeArg] = drop_in.get_inputs()
failure: list[type[Exception]] = [Fail, ort.capi.onnxruntime_pybind11_state.NoSuchFile]
linnet.as_onnxruntime.main()
"""
WRONG = """
linnet.Session(3)
linnet.Session("model.onnx", thread=2)
linnet.Session("model.onnx", threads="2")
linnet.cached(b"model")
session.run([x])
session.run({"x": x}, cancellation=True)
session.run({1: x})
session.inputs[0].size
session.save()
session.context().bind_state("present")
session.context().truncate_states("past")
z: int = session.metadata.producer_name
e: OSError = linnet.ShapeError()
linnet.backend.prepare("model.onnx")
drop_in = ort.InferenceSession(3)
ort.InferenceSession("model.onnx").run("y")
linnet.nonsense
"""


def test_mypy_accepts_right_calls_and_refuses_wrong_ones(tmp_path):
    (tmp_path / "right.py").write_text(HEAD + RIGHT)
    (tmp_path / "wrong.py").write_text(HEAD + WRONG)
    package = Path(linnet.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "right.py", "wrong.py"],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(package)}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    first = HEAD.count("\n") + 2
    found = re.findall(r"^(\S+):(\d+): error", result.stdout, re.MULTILINE)
    expected = [("wrong.py", str(line)) for line in range(first, first + WRONG.count("\n") - 1)]
    assert sorted(set(found)) == sorted(expected), result.stdout + result.stderr


def declarations(path):
    """Classes and functions of a stub with their docstrings; imports and the version may differ."""
    nodes = ast.parse(path.read_text()).body
    return {node.name: ast.dump(node) for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def test_the_stub_in_the_sources_is_that_of_the_extension_module():
    """The reference is built from it, without a build of Linnet."""
    source = Path(__file__).parents[2] / "bindings" / "python" / "linnet" / "_linnet.pyi"
    built = Path(linnet.__file__).with_name("_linnet.pyi")
    assert declarations(source) == declarations(built), f"copy {built} to {source}"
