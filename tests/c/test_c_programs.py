"""The C API in programs that are written in C, and the symbols of the library."""

import re

import numpy as np
import pytest
from c_models import model_bytes, value
from installed import call
from locations import BUILD, ROOT
from onnx import TensorProto, helper, numpy_helper

HEADER = (ROOT / "bindings" / "c" / "include" / "linnet.h").read_text()


@pytest.fixture
def linear_file(tmp_path):
    """y[N,2] = x[N,3] w"""
    w = numpy_helper.from_array(np.array([[1, -1], [2, -2], [3, -3]], np.float32), "w")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    path = tmp_path / "linear.onnx"
    path.write_bytes(model_bytes([node], [value("x", TensorProto.FLOAT, ["N", 3])],
                                 [value("y", TensorProto.FLOAT, ["N", 2])], [w]))  # fmt: skip
    return path


@pytest.fixture
def scaled_add_file(tmp_path):
    """y[N] = 0.5 a[N] + b[N], with an operator that Linnet does not have."""
    node = helper.make_node("ScaledAdd", ["a", "b"], ["y"], domain="mine", alpha=0.5)
    path = tmp_path / "scaled_add.onnx"
    inputs = [value(name, TensorProto.FLOAT, ["N"]) for name in "ab"]
    path.write_bytes(model_bytes([node], inputs, [value("y", TensorProto.FLOAT, ["N"])]))
    return path


def test_a_program_in_c99_finds_types_constants_and_structs(linear_file, scaled_add_file):
    assert call(BUILD / "bin" / "c_api_test", linear_file, scaled_add_file) == "all checks passed\n"


def test_the_example_runs_a_model(linear_file):
    assert call(BUILD / "bin" / "c_run", linear_file).split() == ["6", "-6"]


def test_the_example_registers_an_operator(scaled_add_file):
    assert call(BUILD / "bin" / "c_operator", scaled_add_file).split() == ["10.5", "21", "31.5", "42"]


def test_just_the_functions_of_the_header_have_the_version_of_the_c_api():
    lines = call("nm", "-D", "--defined-only", BUILD / "lib" / "liblinnet.so").splitlines()
    exported = {line.split()[-1] for line in lines if "LINNET_1" in line and " A " not in line}
    declared = re.findall(r"^LINNET_API \S+(?: char\*)? (linnet_\w+)\(", HEADER, re.MULTILINE)
    assert len(declared) > 30
    assert exported == {f"{name}@@LINNET_1" for name in declared}
