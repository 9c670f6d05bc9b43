"""Tests examples/deform_block.onnx, the model that new users run first."""

import onnx
from exported import assert_close, nodes_of
from locations import ROOT
from onnx import numpy_helper

FILE = ROOT / "examples" / "deform_block.onnx"


def tensor(name):
    data = (ROOT / "examples" / "deform_block" / "test_data_set_0" / name).read_bytes()
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def test_example_contains_what_it_is_for():
    assert {("", "Conv"), ("", "Asinh"), ("custom", "deform_conv2d"), ("custom", "my_add")} <= set(nodes_of(FILE))


def test_example_agrees_with_what_pytorch_gave(run_model):
    got = run_model.outputs(FILE, {"image": tensor("input_0.pb")})["output"]
    assert_close(got, tensor("output_0.pb").astype("float64"))
