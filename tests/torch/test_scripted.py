"""Scripted modules: their graphs contain no types, and branches become If."""

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close
from models import Branch


@pytest.fixture
def scripted(torch_ops):
    torch.manual_seed(3)
    return torch.jit.script(Branch())


FORMS = [{}, {"deform_conv": "standard", "my_add": "decompose"}, {"my_add": "function"}]


@pytest.mark.parametrize("forms", FORMS)
def test_operators_in_branches(tmp_path, scripted, forms):
    linnet_torch.export(scripted, torch.rand(1, 3, 8, 8), tmp_path / "m.onnx", check=False, **forms)
    model = onnx.load(str(tmp_path / "m.onnx"))
    assert "Selu" in [function.name for function in model.functions]
    branches = next(node for node in model.graph.node if node.op_type == "If").attribute
    found = {node.op_type for branch in branches for node in branch.g.node}
    assert {"Selu", "Add" if forms.get("my_add") == "decompose" else "my_add"} <= found
    assert ("DeformConv" if "deform_conv" in forms else "deform_conv2d") in found


@pytest.mark.parametrize("forms", FORMS)
def test_both_branches_agree(tmp_path, scripted, run_model, forms):
    x = torch.rand(1, 3, 8, 8)
    linnet_torch.export(scripted, x, tmp_path / "m.onnx", **forms)
    for sign in (1, -1):
        expected = scripted.double()(sign * x.double()).detach().numpy()
        assert_close(run_model.outputs(tmp_path / "m.onnx", {"x": sign * x.numpy()})["output"], expected)
