"""Opsets 18 and 19, which PyTorch 1.13 cannot write: operators whose form changed keep their meaning.

Files of the dynamo exporter, which writes no older opsets, are tested, too.
"""

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close
from linnet_torch import upgrade
from onnx import TensorProto, helper


class Reductions(torch.nn.Module):
    def forward(self, x):
        parts = [x.mean(1), x.amax(2, keepdim=True), x.prod(0), x.norm(dim=1), x.logsumexp(2), x.mean()]
        return sum(part.sum() for part in parts), *x.chunk(2, 1), torch.nn.functional.avg_pool2d(x[None], 2)


class Branch(torch.nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x.mean(1)
        else:
            y = x.amin(1)
        return y


@pytest.mark.parametrize("opset", [18, 19])
def test_values_stay(tmp_path, run_model, torch_exporter, opset):
    torch.manual_seed(0)
    x, module = torch.rand(2, 4, 6), Reductions()
    linnet_torch.export(module, x, tmp_path / "m.onnx", exporter=torch_exporter, opset_version=opset)
    got = run_model.outputs(tmp_path / "m.onnx", {"x": x.numpy()})
    for (name, value), want in zip(got.items(), module(x.double()), strict=True):
        assert_close(value, want.numpy())


def test_values_stay_in_branches(tmp_path, run_model):
    module = torch.jit.script(Branch())
    linnet_torch.export(module, torch.rand(2, 3), tmp_path / "m.onnx", opset_version=19)
    for sign in (1, -1):
        x = sign * torch.rand(2, 3)
        assert_close(run_model.outputs(tmp_path / "m.onnx", {"x": x.numpy()})["output"], module(x.double()).numpy())


def test_changed_operators_are_rewritten_in_every_graph():
    reduce = helper.make_node("ReduceMean", ["x"], ["y"], axes=[1, -1], keepdims=0)
    split = helper.make_node("Split", ["x"], ["p", "q"], axis=1)
    pending = helper.make_node("DeformConv", ["x", "w", "o"], ["d"], domain="linnet-pending")
    body = helper.make_graph([reduce, split], "body", [], [])
    graph = helper.make_graph([helper.make_node("If", ["c"], ["z"], then_branch=body), pending], "g", [], [])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("linnet-pending", 1)]
    )

    assert upgrade.upgrade(model, 19)
    assert [(entry.domain, entry.version) for entry in model.opset_import] == [("", 19)]
    assert model.ir_version >= 9
    assert model.graph.node[1].domain == ""
    constant, reduce, split = model.graph.node[0].attribute[0].g.node
    assert list(reduce.input) == ["x", *constant.output]
    assert [attribute.name for attribute in reduce.attribute] == ["keepdims"]
    assert list(constant.attribute[0].t.int64_data) == [1, -1]
    assert constant.attribute[0].t.data_type == TensorProto.INT64
    assert {attribute.name: attribute.i for attribute in split.attribute} == {"axis": 1, "num_outputs": 2}


def test_opset_17_is_left_alone():
    graph = helper.make_graph([helper.make_node("ReduceMean", ["x"], ["y"], axes=[1])], "g", [], [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    before = model.SerializeToString()
    assert not upgrade.upgrade(model, 17)
    assert onnx.load_from_string(before) == model
