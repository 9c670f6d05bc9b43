"""Deformable convolution: the module, the exported node and its results."""

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close, attributes_of, nodes_of, opsets_of
from installation import HAS_TORCHVISION, needs_torchvision
from models import Deform

if HAS_TORCHVISION:
    import torchvision

pytestmark = pytest.mark.usefixtures("torch_ops")

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


@pytest.fixture(params=["linnet", "torchvision"] if HAS_TORCHVISION else ["linnet"])
def layer(request):
    return linnet_torch.DeformConv2d if request.param == "linnet" else torchvision.ops.DeformConv2d


def module_of(layer, options):
    torch.manual_seed(1)
    return Deform(layer, **options)


def deform_node(file):
    return next(node for node in onnx.load(str(file)).graph.node if node.op_type in ("DeformConv", "deform_conv2d"))


@pytest.mark.parametrize("form", FORMS)
def test_node_is_complete(tmp_path, torch_exporter, layer, form):
    file = tmp_path / "deform.onnx"
    module = module_of(layer, CONFIGURATIONS["geometry"] | {"mask": True, "groups": 2})
    options = {"exporter": torch_exporter, "opset_version": 18 if torch_exporter == "dynamo" else 17}
    linnet_torch.export(module, torch.rand(1, 6, 9, 9), file, deform_conv=form, check=False, **options)
    assert FORMS[form] in nodes_of(file)
    assert opsets_of(file) == ({"": 19} if form == "standard" else {"": options["opset_version"], "custom": 1})
    node = deform_node(file)
    assert list(node.input[:2]) == ["x", "conv.weight"] and node.input[3] == "conv.bias" and len(node.input) == 5
    assert attributes_of(node) == {
        "strides": [2, 1],
        "pads": [1, 2, 1, 2],
        "dilations": [1, 2],
        "group": 2,
        "offset_group": 1,
    }


def test_absent_mask_is_no_input(tmp_path, torch_exporter, layer):
    file = tmp_path / "deform.onnx"
    linnet_torch.export(module_of(layer, {}), torch.rand(2, 6, 9, 9), file, exporter=torch_exporter, check=False)
    assert len(deform_node(file).input) == 4


@configurations
@pytest.mark.parametrize("form", FORMS)
def test_agrees(tmp_path, run_model, torch_exporter, layer, form, options):
    module, x = module_of(layer, options), torch.randn(2, 6, 9, 11)
    file = tmp_path / "deform.onnx"
    linnet_torch.export(module, x, file, exporter=torch_exporter, deform_conv=form)
    with torch.no_grad():
        expected = module.double()(x.double()).numpy()
    assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], expected)


def test_dynamic_sizes_and_the_layers_behind(tmp_path, run_model, torch_exporter, layer):
    deform = module_of(layer, {"mask": True})
    model = torch.nn.Sequential(deform, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 2))
    file = tmp_path / "head.onnx"
    sizes = {"input": {0: "N", 2: "H", 3: "W"}}
    linnet_torch.export(model, torch.rand(2, 6, 9, 9), file, exporter=torch_exporter, dynamic_shapes=sizes)
    assert nodes_of(file)[-1] == ("", "Gemm")
    x = torch.rand(3, 6, 11, 8)
    with torch.no_grad():
        expected = model.double()(x.double()).numpy()
    assert_close(run_model.outputs(file, {"input": x.numpy()})["output"], expected)


@needs_torchvision
@configurations
def test_module_takes_torchvisions_state_dict(options):
    theirs, ours = module_of(torchvision.ops.DeformConv2d, options), module_of(linnet_torch.DeformConv2d, options)
    for parameter in ours.parameters():
        torch.nn.init.zeros_(parameter)
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 6, 9, 11)
    assert torch.allclose(ours(x), theirs(x), rtol=1e-5, atol=1e-5)


def test_function_equals_the_module():
    module = module_of(linnet_torch.DeformConv2d, {"stride": 2, "padding": 1}).conv
    x, offset = torch.randn(1, 6, 8, 8), torch.randn(1, 18, 4, 4)
    got = linnet_torch.deform_conv2d(x, offset, module.weight, module.bias, stride=2, padding=(1, 1))
    assert torch.equal(got, module(x, offset))
