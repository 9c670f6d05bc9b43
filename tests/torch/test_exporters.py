"""Tests which exporter is selected, what each supports, and the messages of the others."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import assert_close, nodes_of
from installation import HAS_DYNAMO, TORCH_EXPORTERS, needs_dynamo, needs_linnet
from models import Asinh, MyAddAutograd, MyAddOperator

PAIR = (torch.rand(2, 3), torch.rand(3))


def written_by(file):
    """Returns the exporter that wrote the file."""
    return "torchscript" if onnx.load(str(file)).opset_import[0].version == 17 else "dynamo"


class Parts(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, *x):
        return self.part(*x)


@pytest.mark.parametrize(
    "module, args, chosen",
    [
        (Asinh(), PAIR[0], TORCH_EXPORTERS[-1]),
        (MyAddAutograd(), PAIR, "torchscript"),
        (Parts(torch.jit.script(Asinh())), PAIR[0], "torchscript"),
        (torch.jit.trace(Asinh(), PAIR[0]), PAIR[0], "torchscript"),
    ],
    ids=["plain", "autograd.Function", "scripted part", "traced"],
)
def test_auto_chooses_what_takes_the_module(tmp_path, module, args, chosen):
    linnet_torch.export(module, args, tmp_path / "m.onnx", check=False, opset_version=18 if chosen == "dynamo" else 17)
    assert written_by(tmp_path / "m.onnx") == chosen


def test_attention_without_gradients(tmp_path, torch_exporter, run_model):
    """PyTorch 1.13 replaces it by an operator that it does not export."""
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval().requires_grad_(False)
    with torch.no_grad():
        linnet_torch.export(layer, torch.randn(2, 5, 8), tmp_path / "m.onnx", exporter=torch_exporter)
    assert not any(weight.requires_grad for weight in layer.parameters())


class Sign(torch.autograd.Function):
    """A Function that the TorchScript exporter must keep whole, defined and bound as users do."""

    @staticmethod
    def forward(ctx, x):
        return torch.from_numpy(np.sign(x.numpy()))

    @staticmethod
    def symbolic(g, x):
        return g.op("Sign", x)


sign = Sign.apply


class SignModule(torch.nn.Module):
    def forward(self, x):
        return sign(x)


def test_function_with_symbolic_is_exported_and_left_as_it_was(tmp_path, run_model):
    forward = vars(Sign)["forward"]
    linnet_torch.export(SignModule(), torch.randn(5), tmp_path / "m.onnx")
    assert nodes_of(tmp_path / "m.onnx") == [("", "Sign")]
    assert vars(Sign)["forward"] is forward


class Tutorial(torch.autograd.Function):
    """The tutorial's Function, with a constant of rank 1 and of another type than the inputs."""

    @staticmethod
    def forward(ctx, a, b):
        return 2 * a + b

    @staticmethod
    def symbolic(g, a, b):
        two = g.op("Constant", value_t=torch.tensor([2]))
        return g.op("Add", g.op("Mul", a, two), b)


def test_function_of_the_tutorial(tmp_path, run_model):
    class Add(torch.nn.Module):
        def forward(self, a, b):
            return Tutorial.apply(a, b)

    linnet_torch.export(Add(), PAIR, tmp_path / "m.onnx")
    assert nodes_of(tmp_path / "m.onnx") == [("", "Mul"), ("", "Add")]


class Scaled(torch.autograd.Function):
    """A Function with a number, attributes and two results."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        return x * factor, x.transpose(0, 1)

    @staticmethod
    def symbolic(g, x, factor):
        scaled = g.op("Mul", x, g.op("Constant", value_t=torch.tensor(factor)))
        return scaled, g.op("Transpose", x, perm_i=[1, 0])


class Scales(torch.nn.Module):
    def forward(self, x):
        y, z = Scaled.apply(x, 3.0)
        return y + Scaled.apply(y, 0.5)[0], z


@needs_dynamo
@needs_linnet
def test_linnets_exporter_keeps_functions_whole(tmp_path, run_model):
    x, file = torch.randn(4, 3), tmp_path / "m.onnx"
    apply = Scaled.apply
    linnet_torch.export(Scales(), x, file, exporter="linnet", dynamic_shapes={"x": {0: "N"}})
    assert Scaled.apply == apply
    calls = [domain for domain, _ in nodes_of(file) if domain == "linnet_functions"]
    assert len(calls) == 2 and len(onnx.load(str(file)).functions) == 2
    x = torch.randn(7, 3)
    got = run_model.outputs(file, {"x": x.numpy()})
    assert_close(got["output_0"], 4.5 * x.double().numpy())
    assert_close(got["output_1"], x.T.double().numpy())


@needs_dynamo
def test_dynamo_says_what_becomes_of_a_symbolic(tmp_path, run_model):
    with pytest.warns(UserWarning, match=r"ignores MyAddFunction.symbolic.*custom_op.*torch.onnx.ops.symbolic"):
        linnet_torch.export(MyAddAutograd(), PAIR, tmp_path / "m.onnx", exporter="dynamo")
    assert nodes_of(tmp_path / "m.onnx") == [("", "Mul"), ("", "Add")]


@needs_dynamo
def test_dynamo_cannot_say_more_than_the_cause_and_a_way_out(tmp_path):
    class Branch(torch.nn.Module):
        def forward(self, x):
            return x + 1 if x.sum() > 0 else x

    with pytest.raises(linnet_torch.ExportError, match=r"Branch depends on the values .*torch\.jit\.script"):
        linnet_torch.export(Branch(), PAIR[0], tmp_path / "m.onnx", exporter="dynamo", check=False)


@needs_dynamo
@pytest.mark.parametrize(
    "module, options, message",
    [
        (torch.jit.script(Asinh()), {}, "takes no TorchScript, which the module is"),
        (Parts(torch.jit.script(Asinh())), {}, "takes no TorchScript, which part is"),
        (Asinh(), {"opset_version": 17}, "opset_version must be 18 to 23 with the dynamo exporter, got 17; exporter="),
    ],
)
def test_dynamo_refuses(tmp_path, module, options, message):
    with pytest.raises(linnet_torch.ExportError, match=message):
        linnet_torch.export(module, PAIR[0], tmp_path / "m.onnx", exporter="dynamo", check=False, **options)


@pytest.mark.skipif(torch.__version__ >= (2, 7), reason="this PyTorch has a dynamo exporter")
def test_old_pytorch_has_no_dynamo(tmp_path):
    with pytest.raises(linnet_torch.ExportError, match="needs PyTorch 2.7 or newer, this is "):
        linnet_torch.export(Asinh(), PAIR[0], tmp_path / "m.onnx", exporter="dynamo", check=False)


@needs_dynamo
def test_symbolic_of_torch_onnx_ops(tmp_path):
    class Call(torch.nn.Module):
        def forward(self, x):
            if not torch.onnx.is_in_onnx_export():
                return x * 2
            return torch.onnx.ops.symbolic("mine::Twice", [x], {"k": 3}, dtype=x.dtype, shape=x.shape, version=1)

    linnet_torch.export(Call(), PAIR[0], tmp_path / "m.onnx", check=False)
    assert nodes_of(tmp_path / "m.onnx") == [("mine", "Twice")]


@needs_dynamo
@pytest.mark.parametrize("strict", [False, True])
def test_torch_export_keeps_the_operators_whole(torch_ops, strict):
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.deform = linnet_torch.DeformConv2d(2, 3, 3)

        def forward(self, x, offset):
            y = self.deform(x, offset)
            return linnet_torch.my_add(y, y)

    batch = torch.export.Dim("N")
    args = torch.rand(2, 2, 6, 6), torch.rand(2, 18, 4, 4)
    module = Both()
    program = torch.export.export(module, args, dynamic_shapes=({0: batch}, {0: batch}), strict=strict)
    targets = [str(node.target) for node in program.run_decompositions().graph.nodes if node.op == "call_function"]
    assert {"linnet.deform_conv2d.default", "linnet.my_add.default"} <= set(targets)
    more = torch.rand(5, 2, 6, 6), torch.rand(5, 18, 4, 4)
    assert torch.equal(program.module()(*more), module(*more))


@needs_dynamo
def test_torch_compile_keeps_the_operators_whole(torch_ops):
    seen = []

    def backend(graph, _):
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph.forward

    module = MyAddOperator()
    assert torch.equal(torch.compile(module, backend=backend, fullgraph=True)(*PAIR), module(*PAIR))
    assert any("my_add" in target for target in seen)


needs_onnxscript = pytest.mark.skipif(not HAS_DYNAMO, reason="onnxscript is not installed")


@pytest.fixture
def selu():
    """Returns the ONNX function of the tutorial."""
    import onnxscript
    from onnxscript.onnx_opset import opset18 as op

    @onnxscript.script(onnxscript.values.Opset("custom-onnx-script", 1))
    def Selu(X):
        alpha = 1.67326
        gamma = 1.0507
        alphaX = op.CastLike(alpha, X)
        gammaX = op.CastLike(gamma, X)
        neg = gammaX * (alphaX * op.Exp(X) - alphaX)
        pos = gammaX * X
        zeroX = op.CastLike(0, X)
        return op.Where(X <= zeroX, neg, pos)

    return Selu


@needs_onnxscript
def test_onnxscript_function_in_both_exporters(tmp_path, run_model, selu, torch_exporter):
    x = torch.linspace(-4, 4, 21)
    table = {torch.ops.aten.selu.default: selu}
    options = {"exporter": torch_exporter, "custom_translation_table": table, "atol": 1e-4, "rtol": 1e-4}
    linnet_torch.export(torch.nn.SELU(), x, tmp_path / "m.onnx", **options)
    wide = x.double().numpy()
    expected = 1.0507 * np.where(wide > 0, wide, 1.67326 * (np.exp(wide) - 1))
    assert_close(run_model.outputs(tmp_path / "m.onnx", {"input": x.numpy()})["output"], expected)


@needs_onnxscript
def test_onnxscript_function_in_a_symbolic_of_the_users(tmp_path, run_model, selu):
    rule = lambda g, x: g.onnxscript_op(selu, x).setType(x.type())  # noqa: E731
    torch.onnx.register_custom_op_symbolic("aten::selu", rule, 17)
    try:
        options = {"exporter": "torchscript", "selu": "standard", "atol": 1e-4, "rtol": 1e-4}
        linnet_torch.export(torch.nn.SELU(), torch.randn(9), tmp_path / "m.onnx", **options)
    finally:
        torch.onnx.unregister_custom_op_symbolic("aten::selu", 17)
    assert nodes_of(tmp_path / "m.onnx") == [("custom-onnx-script", "Selu")]


@pytest.mark.skipif(torch.__version__ >= (2, 0), reason="this PyTorch takes onnxscript functions")
def test_old_pytorch_takes_no_table(tmp_path):
    with pytest.raises(linnet_torch.ExportError, match="custom_translation_table needs PyTorch 2.0"):
        table = {torch.ops.aten.selu.default: None}
        linnet_torch.export(torch.nn.SELU(), torch.rand(2), tmp_path / "m.onnx", custom_translation_table=table)
