"""Tests which exporters "auto" tries in which order, what it does not try, and its effects on modules and warnings."""

import re
import warnings

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close
from installation import EXPORTERS, HAS_DYNAMO, needs_dynamo, needs_linnet
from linnet_torch import choice, linnet_program, linnet_torchscript, torchscript
from torch import nn

X = torch.tensor([1.0, 2.0, 3.0])


class IfOnValue(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


class Counter(nn.Module):
    """Writes to one buffer and replaces the other."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("last", torch.ones(3))

    def forward(self, x):
        self.count += 1
        y = x + self.count * self.last
        self.last = x * 2
        return y


class Warns(nn.Module):
    def forward(self, x):
        if not torch.jit.is_tracing():
            warnings.warn("the module says so", UserWarning, stacklevel=1)
        return x * 2


def failing(request, file, opset):
    raise RuntimeError("it does not work")


@needs_dynamo
@pytest.mark.parametrize("exporter", ["auto", "dynamo", "linnet"])
def test_branches_on_values_are_never_traced(tmp_path, monkeypatch, exporter):
    for way in (torchscript, linnet_torchscript):
        monkeypatch.setattr(way, "export", lambda *_: pytest.fail("it is traced"))
    with pytest.raises(linnet_torch.ExportError, match="IfOnValue depends on the values of a tensor.*torch.cond"):
        linnet_torch.export(IfOnValue(), X, tmp_path / "m.onnx", exporter=exporter, check=False)
    assert not list(tmp_path.iterdir())


def test_random_inputs_find_the_branch_not_taken(tmp_path, run_model):
    with pytest.raises(linnet_torch.MismatchError, match="with (negative|random) inputs: .*depends on the example"):
        linnet_torch.export(IfOnValue(), torch.ones(3), tmp_path / "m.onnx", exporter="torchscript")


@needs_dynamo
@needs_linnet
def test_each_way_is_tried_in_turn(tmp_path, run_model, monkeypatch):
    order = choice.ways("auto", nn.Tanh(), [], is_quantised=False)
    assert [choice.name_of(way) for way in order] == ["dynamo", "torchscript", "linnet", "linnet"]
    for i, way in enumerate(order[:-1]):
        monkeypatch.setattr(way, "export", failing)
        with pytest.warns(UserWarning, match="(?s)wrote the file. PyTorch's dynamo exporter failed: it does not work"):
            name = linnet_torch.export(nn.Tanh(), X, tmp_path / "m.onnx")
        assert name == choice.name_of(order[i + 1])
        assert_close(run_model.outputs(tmp_path / "m.onnx", {"input": X.numpy()})["output"], X.double().tanh().numpy())
    monkeypatch.setattr(order[-1], "export", failing)
    with pytest.raises(linnet_torch.ExportError, match="(?s)Tanh cannot be exported: it does not work.*Linnet's exporter on TorchScript"):
        linnet_torch.export(nn.Tanh(), X, tmp_path / "m.onnx")


@pytest.mark.parametrize("torch_exporter", [name for name in EXPORTERS if HAS_DYNAMO and name != "torchscript"])
def test_buffers_stay_and_the_file_begins_with_them(tmp_path, run_model, torch_exporter):
    module = Counter()
    last = module.last
    with pytest.warns(UserWarning, match="changes its buffers when it runs .*count.*states"):
        linnet_torch.export(module, X, tmp_path / "m.onnx", exporter=torch_exporter)
    assert module.count.tolist() == [0] and module.last is last and last.tolist() == [1, 1, 1]
    graph = onnx.load(str(tmp_path / "m.onnx")).graph
    assert [value.name for value in graph.output] == ["output"]
    for _ in range(2):
        assert run_model.outputs(tmp_path / "m.onnx", {"x": X.numpy()})["output"].tolist() == [2, 3, 4]


def test_random_numbers_go_on_as_without_the_export(tmp_path, torch_exporter):
    module = nn.Sequential(nn.Linear(3, 2), nn.Dropout())
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    linnet_torch.export(module, X, tmp_path / "m.onnx", exporter=torch_exporter, check=False)
    assert torch.equal(torch.rand(4), expected)


def test_warnings_are_repeated_in_every_export(tmp_path, torch_exporter):
    for _ in range(2):
        with pytest.warns(UserWarning, match="the module says so") as caught:
            linnet_torch.export(Warns(), X, tmp_path / "m.onnx", exporter=torch_exporter, check=False)
        assert [str(w.message) for w in caught].count("the module says so") == 1


@needs_dynamo
@pytest.mark.parametrize("torch_exporter", ["dynamo", "linnet"])
def test_module_without_modes(tmp_path, run_model, torch_exporter):
    """The module that PT2E makes from a program refuses eval()."""
    module = torch.export.export(nn.Linear(3, 2), (X,)).module()
    module.training = True
    with pytest.raises(NotImplementedError):
        module.eval()
    linnet_torch.export(module, X, tmp_path / "m.onnx", exporter=torch_exporter)


@pytest.mark.skipif(not HAS_DYNAMO, reason="this PyTorch writes .pt2 files of an older layout")
@pytest.mark.parametrize("saved", [False, True], ids=["program", ".pt2 file"])
def test_programs_need_no_arguments(tmp_path, run_model, torch_exporter, saved):
    dims = {0: torch.export.Dim.DYNAMIC}
    module = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    program = torch.export.export(module, (torch.rand(4, 3),), dynamic_shapes=(dims,))
    if saved:
        torch.export.save(program, tmp_path / "m.pt2")
        program = tmp_path / "m.pt2"
    linnet_torch.export(program, path=tmp_path / "m.onnx", exporter=torch_exporter)
    x = torch.rand(7, 3)
    got = run_model.outputs(tmp_path / "m.onnx", {"input": x.numpy()})["output"]
    assert_close(got, module.double()(x.double()).detach().numpy())


def test_arguments_or_path_are_missing(tmp_path):
    with pytest.raises(linnet_torch.ExportError, match="needs args, the example inputs"):
        linnet_torch.export(nn.Tanh(), path=tmp_path / "m.onnx", check=False)
    with pytest.raises(linnet_torch.ExportError, match="needs the path of the file"):
        linnet_torch.export(nn.Tanh(), X, check=False)


@needs_dynamo
@needs_linnet
def test_axis_that_cannot_be_dynamic(tmp_path):
    class Fixed(nn.Module):
        def forward(self, x):
            return x + torch.ones(4)

    message = "axis 0 of 'x' is to be dynamic, but in Fixed it can only be 4"
    with pytest.raises(linnet_torch.ExportError, match=re.escape(message)):
        linnet_program_alone(Fixed(), torch.rand(4), tmp_path / "m.onnx", {"x": {0: "N"}})


def linnet_program_alone(module, x, path, shapes):
    """Exports with Linnet's exporter on torch.export, which must not fall back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(choice.WAYS, "linnet", [linnet_program])
        linnet_torch.export(module, x, path, exporter="linnet", dynamic_shapes=shapes, check=False)


@needs_dynamo
@needs_linnet
def test_names_of_a_program(tmp_path, run_model):
    """Tests names of inputs that a weight also has, of outputs and of dims; one dim is computed from others."""

    class Past(nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = nn.Parameter(torch.rand(1))

        def forward(self, past, x, mask):
            return torch.cat([past, x]) * mask + self.mask

    module, file = Past(), tmp_path / "m.onnx"
    shapes = {"past": {0: "past"}, "x": {0: "T"}, "mask": {0: "past + T"}}
    args = (torch.rand(1, 3), torch.rand(3, 3), torch.rand(4, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(choice.WAYS, "linnet", [linnet_program])
        linnet_torch.export(module, args, file, exporter="linnet", dynamic_shapes=shapes, output_names=["y"])
    graph = onnx.load(str(file)).graph
    assert [value.name for value in graph.input] == ["past", "x", "mask"]
    assert [value.name for value in graph.output] == ["y"]
    dims = [value.type.tensor_type.shape.dim[0].dim_param for value in graph.input]
    assert dims[:2] == ["past", "T"]
    past, x, mask = torch.rand(4, 3), torch.rand(2, 3), torch.rand(6, 1)
    got = run_model.outputs(file, {"past": past.numpy(), "x": x.numpy(), "mask": mask.numpy()})["y"]
    assert_close(got, (torch.cat([past, x]).double() * mask + module.mask).detach().numpy())
