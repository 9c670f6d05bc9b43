"""examples/deform_block.onnx, the model that a newcomer runs first."""

import onnx
from conftest import ROOT, assert_close, nodes_of
from onnx import numpy_helper

FILE = ROOT / "examples" / "deform_block.onnx"


def tensor(name):
    data = (ROOT / "examples" / "deform_block" / "test_data_set_0" / name).read_bytes()
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def test_example_contains_what_it_is_for():
    assert {("", "Conv"), ("", "Asinh"), ("custom", "deform_conv2d"), ("custom", "my_add")} <= set(nodes_of(FILE))


def test_example_agrees_with_what_pytorch_gave(outputs_of):
    assert_close(outputs_of(FILE, image=tensor("input_0.pb"))["output"], tensor("output_0.pb").astype("float64"))
