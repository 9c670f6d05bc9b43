"""Tests exporter="linnet", and when "auto" selects it."""

from typing import Dict, List, Optional

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO, TORCH_EXPORTERS, needs_dynamo, needs_linnet
from linnet_torch import dynamo, library, torchscript
from models import Asinh
from torch import Tensor, nn
from torch.nn import functional as F

pytestmark = needs_linnet
torch.manual_seed(0)
PREFERRED = TORCH_EXPORTERS[-1]


class Atan2(nn.Module):
    def forward(self, y, x):
        return torch.atan2(y, x)


class Expm1(nn.Module):
    def forward(self, x):
        return torch.expm1(x)


class AffineGrid(nn.Module):
    def forward(self, theta):
        return F.affine_grid(theta, [2, 3, 4, 5], align_corners=False)


class ScatterAdd(nn.Module):
    def forward(self, x, index, source):
        return x.scatter_add(1, index, source)


class NormWithoutWeights(nn.Module):
    def forward(self, x):
        return F.layer_norm(x, [4])


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(3, 4, batch_first=True)

    def forward(self, x):
        return self.layer(x)


ROWS = torch.randn(3, 4)
CASES = {
    "atan2": (Atan2(), (ROWS, torch.randn(3, 4))),
    "expm1": (Expm1(), (ROWS,)),
    "affine_grid": (AffineGrid(), (torch.randn(2, 2, 3),)),
    "scatter_add": (ScatterAdd(), (ROWS, torch.zeros(3, 4, dtype=torch.int64), torch.randn(3, 4))),
    "layer_norm without weights": (NormWithoutWeights(), (ROWS,)),
    "gru": (Gru(), (torch.randn(2, 5, 3),)),
}
# The cases that PyTorch's preferred exporter does not write at this opset.
OPSET = 17
BEYOND = [name for name in CASES if HAS_DYNAMO or name not in ("scatter_add", "gru")]


def outputs_of(run_model, file, args):
    """Returns the outputs of the file for these tensors, which are its inputs in order."""
    names = [value.name for value in onnx.load(str(file)).graph.input]
    inputs = {name: tensor.numpy() for name, tensor in zip(names, args, strict=True)}
    return list(run_model.outputs(file, inputs).values())


def assert_agrees(run_model, file, module, args):
    """Checks that the file computes what the module does in float64."""
    wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in args]
    with torch.no_grad():
        expected = linnet_torch.nested.flatten(module.double()(*wide))
    module.float()
    for got, want in zip(outputs_of(run_model, file, args), expected, strict=True):
        assert_close(got, want.numpy())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_operators(tmp_path, run_model, name, scripted):
    module, args = CASES[name]
    given = torch.jit.script(module) if scripted else module
    assert linnet_torch.export(given, args, tmp_path / "m.onnx", exporter="linnet") == "linnet"
    assert_agrees(run_model, tmp_path / "m.onnx", module, args)
    assert [file.name for file in tmp_path.iterdir()] == ["m.onnx"]


@pytest.mark.parametrize("name", BEYOND)
def test_auto_falls_back_where_pytorch_cannot(tmp_path, run_model, name):
    module, args = CASES[name]
    with pytest.raises(Exception):  # PyTorch's exporters raise many kinds
        linnet_torch.export(module, args, tmp_path / "m.onnx", exporter=PREFERRED, opset_version=OPSET)
    with pytest.warns(UserWarning, match=f"wrote the file. PyTorch's {PREFERRED} exporter failed"):
        assert linnet_torch.export(module, args, tmp_path / "m.onnx", opset_version=OPSET) != PREFERRED
    assert_agrees(run_model, tmp_path / "m.onnx", module, args)


@pytest.mark.skipif(not HAS_DYNAMO, reason="this PyTorch prefers this exporter")
@pytest.mark.parametrize("name", ["expm1", "affine_grid"])
def test_the_torchscript_exporter_still_cannot(tmp_path, name):
    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError):
        linnet_torch.export(*CASES[name], tmp_path / "m.onnx", exporter="torchscript", check=False)


def test_auto_falls_back_where_pytorchs_file_is_wrong(tmp_path, run_model, monkeypatch):
    exporter = dynamo if HAS_DYNAMO else torchscript
    right = exporter.export

    def wrong(request, file, opset):
        right(request, file, opset)
        model = onnx.load(file)
        next(node for node in model.graph.node if node.op_type == "Asinh").op_type = "Sinh"
        onnx.save(model, file)

    monkeypatch.setattr(exporter, "export", wrong)
    with pytest.warns(UserWarning, match="(?si)wrote the file.*output 'output' differs from PyTorch.*suspect the exporter"):
        assert linnet_torch.export(Asinh(), ROWS, tmp_path / "m.onnx") != PREFERRED
    assert_agrees(run_model, tmp_path / "m.onnx", Asinh(), [ROWS])
    # An exporter that is requested by name is not replaced.
    with pytest.raises(linnet_torch.MismatchError):
        linnet_torch.export(Asinh(), ROWS, tmp_path / "m.onnx", exporter=PREFERRED)


def test_what_none_can_names_all_reasons(tmp_path):
    class Unknown(nn.Module):
        def forward(self, x):
            return torch.special.bessel_j0(x)

    with pytest.raises(linnet_torch.ExportError, match="(?s)bessel_j0.*Linnet's exporter on TorchScript: .*bessel_j0"):
        linnet_torch.export(Unknown(), ROWS, tmp_path / "m.onnx", check=False)


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setenv("LINNET_TORCH_OPS", str(tmp_path / "liblinnet_torch_ops.so"))
    library.exporter.cache_clear()
    try:
        with pytest.raises(linnet_torch.ExportError, match="liblinnet_torch_export.so was not found"):
            scripted = torch.jit.script(Expm1())
            linnet_torch.export(scripted, ROWS, tmp_path / "m.onnx", exporter="linnet", check=False)
        assert not library.has_exporter()
    finally:
        library.exporter.cache_clear()


def test_gru_with_a_dynamic_batch(tmp_path, run_model):
    module, args = CASES["gru"]
    linnet_torch.export(module, args, tmp_path / "m.onnx", dynamic_shapes={"x": {0: "N"}})
    for batch in (1, 3, 7):
        assert_agrees(run_model, tmp_path / "m.onnx", module, [torch.randn(batch, 5, 3)])


class Containers(nn.Module):
    def forward(self, xs: List[Tensor], table: Dict[str, Tensor], factor: float, bias: Optional[Tensor] = None):
        y = xs[0] * factor + xs[1]
        return y if bias is None else y + bias, table["k"].sum(0)


def test_containers_and_numbers_of_a_scripted_module(tmp_path, run_model):
    args = ([torch.rand(2, 3), torch.rand(3)], {"k": torch.rand(4, 2)}, 2)
    shapes = {"xs": [{0: "N"}, None], "table": {"k": {0: "K"}}}
    scripted = torch.jit.script(Containers())
    file = tmp_path / "m.onnx"
    linnet_torch.export(scripted, args + ({},), file, exporter="linnet", dynamic_shapes=shapes)
    given = [torch.rand(5, 3), torch.rand(3), torch.rand(7, 2)]
    got = outputs_of(run_model, file, given)
    wide = [tensor.double() for tensor in given]
    assert_close(got[0], (wide[0] * 2 + wide[1]).numpy())
    assert_close(got[1], wide[2].sum(0).numpy())


class Kept(nn.Module):
    def forward(self, x, mask):
        return x[mask]


def test_sizes_that_the_example_does_not_show_to_differ(tmp_path, run_model):
    x = torch.arange(5.0)
    linnet_torch.export(Kept(), (x, torch.ones(5, dtype=torch.bool)), tmp_path / "m.onnx", exporter="linnet")
    for mask in ([0, 1, 0, 0, 1], [0, 0, 0, 0, 0]):
        got = outputs_of(run_model, tmp_path / "m.onnx", [x, torch.tensor(mask, dtype=torch.bool)])
        np.testing.assert_array_equal(got[0], x.numpy()[np.array(mask, bool)])


def test_random_numbers_of_the_caller_stay(tmp_path):
    state = torch.get_rng_state()
    args = (torch.arange(5.0), torch.ones(5, dtype=torch.bool))
    linnet_torch.export(Kept(), args, tmp_path / "m.onnx", exporter="linnet", check=False)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"opset_version": 12}, "opset_version must be 13 to 25 with Linnet's exporter, got 12"),
        ({"input_names": ["p", "p"]}, "two inputs or outputs have the name 'p'"),
        ({"output_names": ["x"]}, "two inputs or outputs have the name 'x'"),
        ({"input_names": ["p"]}, "the arguments hold 2 tensors, but there are 1 names"),
        ({"output_names": ["p", "q"]}, "the model has 1 outputs, but 2 names for them"),
        ({"dynamic_shapes": {"y": {0: "N", 1: "N"}}}, "the dynamic axis N has sizes 3 and 4"),
        ({"custom_translation_table": {torch.ops.aten.atan2.default: torch.add}}, "functions of onnxscript.script only"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, options, message):
    with pytest.raises(linnet_torch.ExportError, match=message):
        linnet_torch.export(*CASES["atan2"], tmp_path / "m.onnx", exporter="linnet", check=False, **options)
    assert not list(tmp_path.iterdir())


class Sizes(nn.Module):
    """Computes with sizes, and has arguments of each kind and modes."""

    def __init__(self):
        super().__init__()
        self.project, self.drop = nn.Linear(3, 4), nn.Dropout()

    def forward(self, x, pair, *, scale=None):
        y = self.drop(self.project(x)) + pair[0]
        ends = torch.cat([y[:1], y[1 - y.shape[0] :]])
        return {"wide": y.reshape(y.shape[0] * 2, -1), "ends": ends, "rows": torch.ones(y.shape[0] + 1) * scale}


@needs_dynamo
@pytest.mark.parametrize("exporter", ["linnet", "torchscript", "dynamo", "auto"])
def test_exported_program(tmp_path, run_model, exporter):
    module, batch = Sizes().eval(), torch.export.Dim("N", min=3)
    x, pair, scale = torch.randn(6, 3), (torch.randn(4),), torch.randn(1)
    shapes = {"x": {0: batch}, "pair": (None,), "scale": None}
    program = torch.export.export(module, (x, pair), kwargs={"scale": scale}, dynamic_shapes=shapes)
    file = tmp_path / "m.onnx"
    linnet_torch.export(program, (x, pair, {"scale": scale}), file, exporter=exporter)
    larger = torch.randn(9, 3)
    with torch.no_grad():
        expected = module(larger, pair, scale=scale)
    got = outputs_of(run_model, file, [larger, pair[0], scale])
    for value, want in zip(got, expected.values(), strict=True):
        assert_close(value, want.double().numpy())


@needs_dynamo
def test_exported_programs_sizes_stay_fixed_where_they_are(tmp_path):
    program = torch.export.export(Expm1(), (ROWS,))
    linnet_torch.export(program, ROWS, tmp_path / "m.onnx", exporter="linnet", check=False)
    (value,) = onnx.load(str(tmp_path / "m.onnx")).graph.input
    assert value.name == "x"
    assert [dim.dim_value for dim in value.type.tensor_type.shape.dim] == [3, 4]
