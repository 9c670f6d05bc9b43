"""Asinh, Selu and my_add: the nodes of the file, and that run_model computes the formula."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import assert_close, nodes_of, opsets_of
from installation import EXPORTERS
from models import Asinh, MyAddAutograd, MyAddOperator

VALUES = np.concatenate([np.linspace(-20, 20, 83), [0.0, -0.0, 1e-6, -1e-6, 80.0, -80.0]]).astype(np.float32)
MY_ADD_NODES = {
    "custom": [("custom", "my_add")],
    "decompose": [("", "Mul"), ("", "Add")],
    "function": [("custom", "my_add")],
}
my_add_forms = pytest.mark.parametrize("form", MY_ADD_NODES)


# The autograd.Function is for the TorchScript exporter; test_exporters.py covers it with the other exporter.
CASES = [(MyAddAutograd, "torchscript"), *((MyAddOperator, torch_exporter) for torch_exporter in EXPORTERS)]
DEFAULT_OPSETS = {"torchscript": 17, "dynamo": 20, "linnet": 17}


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}-{case[1]}")
def my_add_case(request, torch_ops):
    """Returns a module that computes my_add, and an exporter."""
    module, torch_exporter = request.param
    return module(), torch_exporter


def export(module, args, path, **options):
    linnet_torch.export(module, args, path, check=False, **options)
    return path


def test_asinh_is_one_standard_node(tmp_path, torch_exporter):
    file = export(Asinh(), torch.rand(2, 3), tmp_path / "asinh.onnx", exporter=torch_exporter)
    assert nodes_of(file) == [("", "Asinh")]
    assert opsets_of(file) == {"": DEFAULT_OPSETS[torch_exporter]}


OPSETS = {"torchscript": [9, 13, 17, 18, 19], "dynamo": [18, 19, 23], "linnet": [13, 17, 21]}


@pytest.mark.parametrize("torch_exporter, opset", [(name, opset) for name in EXPORTERS for opset in OPSETS[name]])
def test_asinh_exports_at_each_opset(tmp_path, torch_exporter, opset):
    file = export(Asinh(), torch.rand(2, 3), tmp_path / "a.onnx", exporter=torch_exporter, opset_version=opset)
    assert opsets_of(file) == {"": opset}


def test_asinh_agrees(tmp_path, run_model, torch_exporter):
    file = tmp_path / "asinh.onnx"
    linnet_torch.export(
        Asinh(), torch.rand(2, 3), file, exporter=torch_exporter, dynamic_shapes={"x": {0: "N", 1: "C"}}
    )
    assert_close(run_model.outputs(file, {"x": VALUES[None]})["output"], np.arcsinh(VALUES[None].astype(np.float64)))


class ZeroInPlace(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.arange(6.0) + 1)

    def forward(self, x):
        bias = self.bias.clone()
        bias[2:4].zero_()
        return x + bias


def test_zero_in_place_agrees(tmp_path, run_model, torch_exporter):
    linnet_torch.export(ZeroInPlace(), torch.rand(2, 6), tmp_path / "zero.onnx", exporter=torch_exporter)


def test_selu_is_a_function_call(tmp_path, torch_exporter):
    file = export(torch.nn.SELU(), torch.randn(2, 3), tmp_path / "selu.onnx", exporter=torch_exporter)
    assert nodes_of(file) == [("custom-onnx-script", "Selu")]
    assert opsets_of(file) == {"": DEFAULT_OPSETS[torch_exporter], "custom-onnx-script": 1}
    model = onnx.load(str(file))
    assert [(function.domain, function.name) for function in model.functions] == [("custom-onnx-script", "Selu")]
    assert model.ir_version >= 8
    onnx.checker.check_model(model)


def test_selu_in_a_branch_brings_its_function(tmp_path):
    class Branch(torch.nn.Module):
        def forward(self, x):
            if bool(x.sum() > 0):
                y = torch.selu(x)
            else:
                y = x * 2
            return y

    file = export(torch.jit.script(Branch()), torch.rand(2, 3), tmp_path / "branch.onnx")
    assert [function.name for function in onnx.load(str(file)).functions] == ["Selu"]


def test_selu_as_standard_operator(tmp_path, torch_exporter):
    file = export(torch.nn.SELU(), torch.randn(2, 3), tmp_path / "selu.onnx", exporter=torch_exporter, selu="standard")
    assert nodes_of(file) == [("", "Selu")]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("form", ["function", "standard"])
def test_selu_agrees(tmp_path, run_model, torch_exporter, form, dtype):
    file = tmp_path / "selu.onnx"
    x = torch.from_numpy(VALUES).to(dtype)
    linnet_torch.export(torch.nn.SELU(), x, file, exporter=torch_exporter, selu=form)
    wide = VALUES.astype(np.float64)
    expected = 1.0507009873554805 * np.where(wide > 0, wide, 1.6732632423543772 * np.expm1(wide))
    assert_close(run_model.outputs(file, {"input": x.numpy()})["output"], expected)


def test_function_needs_opset_15(tmp_path):
    with pytest.raises(linnet_torch.ExportError, match="opset_version 15 or newer, got 13"):
        options = {"exporter": "torchscript", "opset_version": 13}
        export(torch.nn.SELU(), torch.randn(2, 3), tmp_path / "selu.onnx", **options)


@my_add_forms
def test_my_add_nodes(tmp_path, my_add_case, form):
    module, torch_exporter = my_add_case
    x = torch.rand(1, 3, 10, 10)
    file = export(module, (x, x), tmp_path / "my_add.onnx", exporter=torch_exporter, my_add=form)
    assert nodes_of(file) == MY_ADD_NODES[form]
    assert opsets_of(file) == {"": DEFAULT_OPSETS[torch_exporter]} | ({} if form == "decompose" else {"custom": 1})
    model = onnx.load(str(file))
    assert [value.name for value in model.graph.input] == ["a", "b"]
    assert [function.name for function in model.functions] == (["my_add"] if form == "function" else [])
    onnx.checker.check_model(model)


@my_add_forms
@pytest.mark.parametrize(
    "a, b",
    [
        (torch.rand(2, 3, 4), torch.rand(2, 3, 4)),
        (torch.rand(2, 1, 4), torch.rand(3, 1)),
        (torch.tensor(3.0), torch.tensor(4.0)),
        (torch.tensor([3, -4]), torch.tensor([[5], [6]])),
        (torch.tensor([3, 4]), torch.tensor([0.5, 1.5])),
        (torch.tensor([1.5, 2.5]), torch.tensor(4)),
        (torch.rand(3).double(), torch.rand(3)),
    ],
    ids=["same", "broadcast", "scalars", "integers", "integer+float", "float+scalar integer", "double+float"],
)
def test_my_add_agrees(tmp_path, run_model, my_add_case, form, a, b):
    module, torch_exporter = my_add_case
    file = tmp_path / "my_add.onnx"
    linnet_torch.export(module, (a, b), file, exporter=torch_exporter, my_add=form)
    got = run_model.outputs(file, {"a": a.numpy(), "b": b.numpy()})["output"]
    assert torch.from_numpy(got).dtype == (2 * a + b).dtype
    assert_close(got, 2 * a.double().numpy() + b.double().numpy())


def test_my_add_operator_promotes_and_has_gradients(torch_ops):
    assert linnet_torch.my_add(torch.tensor([True]), torch.tensor([False])).dtype == torch.int64
    for my_add in (linnet_torch.my_add, linnet_torch.MyAddFunction.apply):
        a = torch.rand(2, 1, dtype=torch.float64, requires_grad=True)
        b = torch.rand(3, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(my_add, (a, b))


@pytest.mark.parametrize("compile", [torch.jit.script, lambda module: torch.jit.trace(module, (torch.rand(2),) * 2)])
def test_my_add_in_torchscript(tmp_path, torch_ops, run_model, compile):
    class Add(torch.nn.Module):
        def forward(self, a, b):
            return torch.ops.linnet.my_add(a, b)

    a, b = torch.rand(2, 3), torch.rand(3)
    file = tmp_path / "scripted.onnx"
    linnet_torch.export(compile(Add()), (a, b), file)
    assert nodes_of(file) == [("custom", "my_add")]
    got = run_model.outputs(file, {"a": a.numpy(), "b": b.numpy()})["output"]
    assert_close(got, 2 * a.double().numpy() + b.double().numpy())
