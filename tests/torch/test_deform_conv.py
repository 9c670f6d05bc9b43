"""Deformable convolution: the exported node, its numbers, and the CPU kernel of liblinnet_torch_ops."""

import linnet_torch
import onnx
import pytest
import torch
from conftest import assert_close, attributes_of, nodes_of, opsets_of
from models import Deform

FORMS = {"custom": ("custom", "deform_conv2d"), "standard": ("", "DeformConv")}
CONFIGURATIONS = {
    "plain": {},
    "mask": {"mask": True},
    "no bias": {"bias": False},
    "groups": {"groups": 2, "offset_groups": 3, "mask": True},
    "geometry": {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)},
    "1x1": {"kernel_size": 1},
}
configurations = pytest.mark.parametrize("options", CONFIGURATIONS.values(), ids=CONFIGURATIONS)


def module_of(options):
    torch.manual_seed(1)
    return Deform(**options)


def deform_node(file):
    return next(node for node in onnx.load(str(file)).graph.node if node.op_type in ("DeformConv", "deform_conv2d"))


@pytest.mark.parametrize("form", FORMS)
def test_node_is_complete(tmp_path, form):
    file = tmp_path / "deform.onnx"
    module = module_of(CONFIGURATIONS["geometry"] | {"mask": True, "groups": 2})
    linnet_torch.export(module, torch.rand(1, 6, 9, 9), file, deform_conv=form, check=False)
    assert FORMS[form] in nodes_of(file)
    assert opsets_of(file) == ({"": 19} if form == "standard" else {"": 17, "custom": 1})
    node = deform_node(file)
    assert list(node.input[:2]) == ["x", "conv.weight"] and node.input[3] == "conv.bias" and len(node.input) == 5
    assert attributes_of(node) == {
        "strides": [2, 1],
        "pads": [1, 2, 1, 2],
        "dilations": [1, 2],
        "group": 2,
        "offset_group": 1,
    }


def test_absent_mask_is_no_input(tmp_path):
    file = tmp_path / "deform.onnx"
    linnet_torch.export(module_of({}), torch.rand(2, 6, 9, 9), file, check=False)
    assert len(deform_node(file).input) == 4


@configurations
@pytest.mark.parametrize("form", FORMS)
def test_agrees(tmp_path, outputs_of, form, options):
    module, x = module_of(options), torch.randn(2, 6, 9, 11)
    file = tmp_path / "deform.onnx"
    linnet_torch.export(module, x, file, deform_conv=form)
    with torch.no_grad():
        expected = module.double()(x.double()).numpy()
    assert_close(outputs_of(file, x=x.numpy())["output"], expected)


def test_layers_after_it_still_know_their_shapes(tmp_path):
    model = torch.nn.Sequential(module_of({}), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 2))
    file = tmp_path / "head.onnx"
    linnet_torch.export(model, torch.rand(2, 6, 9, 9), file, dynamic_axes={"input": {0: "N"}}, check=False)
    assert nodes_of(file)[-2:] == [("", "Flatten"), ("", "Gemm")]
