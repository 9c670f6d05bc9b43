"""export_model: axes whose sizes are open, branches and loops that inputs decide, writes in place."""

import numpy as np
import onnx
import pytest
import torch
from exported import assert_close
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
IMAGE = torch.randn(2, 3, 8, 8)


class Shapes(nn.Module):
    """Reads sizes and computes with them."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        n, h = x.size(0), x.shape[2]
        y = self.conv(x).view(n, 4, -1)
        y = y.permute(0, 2, 1).reshape(n * h, -1, 4)
        zeros = torch.zeros(n * h, 1, 4)
        return torch.cat([y, zeros], 1) + torch.arange(n * h).view(-1, 1, 1)


class Resized(nn.Module):
    def forward(self, x):
        small = F.max_pool2d(x, 2)
        return F.interpolate(small, size=x.shape[-2:], mode="bilinear", align_corners=False) + x


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
@pytest.mark.parametrize("module", [Shapes(), Resized()], ids=["shapes", "resized"])
def test_dynamic_axes_hold_for_other_sizes(exporter, run_model, module, scripted):
    flags = [word for axis in ("0=N", "2=H", "3=W") for word in ("--dynamic", f"x:{axis}")]
    file = exporter.export(module, {"x": IMAGE}, *flags, scripted=scripted)
    dims = onnx.load(str(file)).graph.input[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in dims] == ["N", 3, "H", "W"]
    x = torch.randn(5, 3, 6, 14)
    with torch.no_grad():
        assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], module.eval()(x).numpy())


class Enlarged(nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=1.25, mode="bilinear")


@pytest.mark.parametrize("height", [1, 2, 3, 4, 9])
def test_a_length_that_the_factor_keeps_is_copied(exporter, run_model, height):
    file = exporter.export(Enlarged(), {"x": IMAGE}, "--dynamic", "x:2=H")
    x = torch.randn(2, 3, height, 8)
    assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], Enlarged()(x).numpy())


class ScatterAdd(nn.Module):
    """Adds rows of y at index i, which is the same for all of x and is expanded to its sizes."""

    def forward(self, x, w, i, y):
        index = i.expand(x.shape[0], -1)[..., None].expand(-1, -1, x.shape[2])
        return w.scatter_add(1, index, y), w[:, :1].broadcast_to(-1, x.shape[1], -1)


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
@pytest.mark.parametrize("symbols", [["x:0=N", "w:0=N", "y:0=N"], ["x:1=M"]], ids=["first", "second"])
def test_sizes_that_expand_keeps_stand_beside_dynamic_ones(exporter, run_model, symbols, scripted):
    def inputs(n, m):
        y = torch.randn(n, 3, 4)
        return {"x": torch.randn(n, m, 4), "w": torch.randn(n, 5, 4), "i": torch.tensor([[4, 0, 4]]), "y": y}

    flags = [word for symbol in symbols for word in ("--dynamic", symbol)]
    file = exporter.export(ScatterAdd(), inputs(2, 6), *flags, scripted=scripted)
    other = inputs(2, 9) if symbols == ["x:1=M"] else inputs(7, 6)
    got = run_model.outputs(file, {name: tensor.numpy() for name, tensor in other.items()})
    for i, expected in enumerate(ScatterAdd()(*other.values())):
        assert_close(got[f"output_{i}"], expected.numpy())


class ExpandedTo(nn.Module):
    def forward(self, x, n):
        return x.expand(int(n), -1) + 1


def test_size_of_an_expansion_that_inputs_decide(exporter, run_model):
    inputs = {"x": torch.randn(1, 3), "n": torch.tensor(2)}
    file = exporter.export(ExpandedTo(), inputs, scripted=True)
    for n in (5, 0, -1):
        got = run_model.outputs(file, {"x": inputs["x"].numpy(), "n": np.int64(n)})["output"]
        assert_close(got, ExpandedTo()(inputs["x"], torch.tensor(n)).numpy())


def test_dynamic_axis_that_the_trace_fixed_is_refused(exporter):
    class Fixed(nn.Module):
        def forward(self, x):
            return x + torch.ones(int(x.shape[0]), 1)

    assert "aten::add.Tensor" in exporter.refusal(Fixed(), {"x": torch.randn(4, 3)}, "--dynamic", "x:0=N")


class Diagonal(nn.Module):
    def forward(self, x):
        return x.diagonal(0, 2, 3)


def test_dynamic_axis_in_a_table_is_refused(exporter):
    message = exporter.refusal(Diagonal(), {"x": IMAGE}, "--dynamic", "x:3=W")
    assert "aten::diagonal" in message and "not the same for all sizes" in message


def test_dynamic_axis_of_an_adaptive_pool(exporter, run_model):
    pool = nn.AdaptiveAvgPool2d(2)
    file = exporter.export(pool, {"input": IMAGE}, "--dynamic", "input:2=H")
    taller = torch.cat([IMAGE, IMAGE[:, :, 1:]], 2)
    assert_close(run_model.outputs(file, {"input": taller.numpy()})["output"], pool(taller).numpy())


class Branch(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x * 2
        else:
            y = x - 1
        return y


class Halving(nn.Module):
    def forward(self, x):
        count = 0
        while bool(x.abs().max() > 1):
            x = x / 2
            count = count + 1
        return x, count


class Repeated(nn.Module):
    def forward(self, x, n):
        for i in range(int(n)):
            x = x * 2 + i
        return x


@pytest.mark.parametrize("sign", [1, -1])
def test_branch_that_inputs_decide(exporter, run_model, sign):
    file = exporter.export(Branch(), {"x": torch.rand(3)}, scripted=True)
    assert [node.op_type for node in onnx.load(str(file)).graph.node][-1] == "If"
    x = sign * torch.rand(3)
    assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], Branch()(x).numpy())


def test_loop_that_inputs_decide(exporter, run_model):
    file = exporter.export(Halving(), {"x": torch.randn(4) * 9}, scripted=True)
    x = torch.tensor([3.0, -40.0, 0.5, 7.0])
    y, count = Halving()(x)
    got = run_model.outputs(file, {"x": x.numpy()})
    assert_close(got["output_0"], y.numpy())
    assert got["output_1"] == count


def test_trip_count_that_inputs_decide(exporter, run_model):
    file = exporter.export(Repeated(), {"x": torch.randn(3), "n": torch.tensor(3)}, scripted=True)
    x = torch.randn(3)
    for n in (0, 1, 5):
        got = run_model.outputs(file, {"x": x.numpy(), "n": np.int64(n)})["output"]
        assert_close(got, Repeated()(x, torch.tensor(n)).numpy())


class ListFromBranch(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            xs = [x]
        else:
            xs = [x, x]
        return xs[0]


class DtypesOfBranches(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x * 2
        else:
            y = x.double()
        return y


class ListThroughLoop(nn.Module):
    def forward(self, x):
        xs = [x]
        while bool(xs[0].abs().max() > 1):
            xs = [xs[0] / 2]
        return xs[0]


class DtypeChangesInLoop(nn.Module):
    def forward(self, x):
        while bool(x.abs().max() > 1):
            x = x.double() / 2
        return x


@pytest.mark.parametrize("module, reason", [
    (ListFromBranch(), "lists of different lengths"),
    (DtypesOfBranches(), "branches give different dtypes"),
    (ListThroughLoop(), "carries a list"),
    (DtypeChangesInLoop(), "changes its dtype"),
])  # fmt: skip
def test_branches_and_loops_that_cannot_be_written_are_refused(exporter, module, reason):
    assert reason in exporter.refusal(module, {"x": torch.randn(4) * 9}, scripted=True)


class Writes(nn.Module):
    """Contains every kind of write in place: whole, through views, into new tensors, before and after other views."""

    def forward(self, x):
        y = x.clone()
        top = y[:, :2]
        y.add_(1).mul_(2)
        y[:, 1] = 0
        top += 5
        buffer = torch.zeros(2, 6)
        buffer[:, 1:] = x.sum(1)
        buffer[0].fill_(7)
        F.relu(buffer, inplace=True)
        return y * 2, top, buffer, y[0].masked_fill_(y[0] > 4, -1)


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_writes_in_place(exporter, scripted):
    exporter.export(Writes(), {"x": torch.randn(2, 3, 5)}, scripted=scripted)


def test_inputs_that_are_written_to_stay_inputs(exporter):
    class InPlace(nn.Module):
        def forward(self, x):
            return x.mul_(2) + 1

    exporter.export(InPlace(), {"x": torch.randn(3)}, scripted=True)
