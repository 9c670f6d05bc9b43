"""Tests the inputs that the check generates, and the differences from PyTorch that it allows."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO, HAS_LINNET, TORCH_EXPORTERS
from linnet_torch import draws, rounding, sizes, torchscript
from linnet_torch.arguments import Arguments
from linnet_torch.request import Request
from onnx import helper
from torch import nn
from torch.nn import functional as F


def drawn(example, shape=None, negative=False):
    return draws.draw(torch.as_tensor(example), shape or [1000], torch.Generator().manual_seed(0), negative)


def test_draws_are_of_the_examples_kind():
    floats = drawn([0.5, 2.0, 7.0])
    assert floats.dtype == torch.float32 and 0.5 <= floats.min() < 1 and 6 < floats.max() <= 7
    assert drawn([0.5, 2.0, 7.0], negative=True).max() <= 0
    assert drawn([3.0, 3.0]).std() > 0.9
    assert set(drawn([2, 5, 3]).tolist()) == {2, 3, 4, 5}
    assert set(drawn([0.0, 1.0, 1.0]).tolist()) == {0.0, 1.0}
    mask = drawn([[0.0, -float("inf")], [0.0, 0.0]], [20, 20])
    assert set(mask.flatten().tolist()) == {0.0, -float("inf")}
    assert 0.5 < drawn([True, False]).double().mean() < 0.9
    assert drawn(torch.zeros(0, 3), [2, 3]).shape == (2, 3)
    assert drawn(torch.tensor([1 + 2j, 3 - 1j])).is_complex()


def request_of(shapes, dims):
    tensors = [torch.zeros(shape) for shape in shapes]
    names = [f"x{i}" for i in range(len(shapes))]
    module = type("M", (nn.Module,), {"forward": lambda self, *x: x})()
    return Request(module, None, Arguments(module, tuple(tensors)), names, [], dims, None, {}, {})


@pytest.mark.parametrize(
    "shapes, dims, expected",
    [
        ([[2, 3], [2]], [{0: "N"}, {0: "N"}], [[4, 3], [4]]),
        ([[2], [3], [5]], [{0: "past"}, {0: "T"}, {0: "past + T"}], [[4], [6], [10]]),
        ([[5], [2]], [{0: "2*n + 1"}, {0: "n"}], [[9], [4]]),
        ([[5]], [{0: "batch size"}], [[10]]),
        ([[0], [1]], [{0: "a"}, {0: "b"}], [[0], [2]]),
    ],
)
def test_sizes_hang_together(shapes, dims, expected):
    assert sizes.shapes_with(request_of(shapes, dims), lambda size, i: 2 * size) == expected


def test_sizes_stay_in_the_range_of_a_dim():
    dim = type("Dim", (), {"__name__": "N", "min": 3, "max": 6})
    assert sizes.shapes_with(request_of([[5]], [{0: dim}]), lambda size, i: 2 * size) == [[6]]
    assert sizes.shapes_with(request_of([[5]], [{0: dim}]), lambda size, i: 1) == [[3]]


class Noise(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x), x * 2


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 8).half()

    def forward(self, x):
        return self.layer(x.half()).float()


class IllConditioned(nn.Module):
    """PyTorch's own result in float32 is off by far more than 1e-5."""

    def forward(self, x):
        return (x.cumsum(0) * 1e6).sin()


class Masked(nn.Module):
    """A row of the mask may be all zeros."""

    def forward(self, q, mask):
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)


RIGHT = {
    "random numbers": (Noise(), (torch.rand(5),), {}),
    "float16 inside": (Half(), (torch.rand(3, 64),), {"x": {0: "N"}}),
    "float64": (nn.Linear(4, 3).double(), (torch.rand(2, 4).double(),), {"input": {0: "N"}}),
    "ill-conditioned": (IllConditioned(), (torch.rand(50),), {"x": {0: "N"}}),
}


@pytest.mark.parametrize("name", RIGHT if HAS_DYNAMO else [n for n in RIGHT if n != "float16 inside"])
def test_right_files_pass(tmp_path, run_model, torch_exporter, name):
    module, args, shapes = RIGHT[name]
    if (torch_exporter, name) == ("linnet", "random numbers"):
        pytest.skip("random operators are refused")
    linnet_torch.export(module, args, tmp_path / "m.onnx", exporter=torch_exporter, dynamic_shapes=shapes)


@pytest.mark.parametrize("name", ["float64", "random numbers"])
def test_the_same_files_a_little_wrong_do_not(tmp_path, run_model, monkeypatch, name):
    module, args, shapes = RIGHT[name]
    right = torchscript.export

    def wrong(request, file, opset):
        right(request, file, opset)
        model = onnx.load(file)
        output = model.graph.output[-1]
        kind = output.type.tensor_type.elem_type
        model.graph.node[-1].output[0] = "before"
        factor = helper.make_tensor("factor", kind, [], [1.001])
        model.graph.node.extend([helper.make_node("Constant", [], ["factor"], value=factor),
                                 helper.make_node("Mul", ["before", "factor"], [output.name])])
        onnx.save(model, file)

    monkeypatch.setattr(torchscript, "export", wrong)
    with pytest.raises(linnet_torch.MismatchError, match="(?i)suspect the exporter"):
        linnet_torch.export(module, args, tmp_path / "m.onnx", exporter="torchscript", dynamic_shapes=shapes)


@pytest.mark.parametrize("torch_exporter", TORCH_EXPORTERS)
def test_random_outputs_are_named(tmp_path, run_model, torch_exporter):
    with pytest.warns(UserWarning, match="output_0 .*random"):
        linnet_torch.export(Noise(), torch.rand(5), tmp_path / "m.onnx", exporter=torch_exporter)


class ArgMax(nn.Module):
    def forward(self, x):
        return x.argmax(1), x.topk(2).indices, x * 2


def test_ties_are_open_and_nothing_else():
    module = ArgMax()
    x = torch.tensor([[1.0, 2.0, 2.0, 2.0, 0.5], [1.0, 3.0, 2.0, 2.5, 0.0]])
    arguments = Arguments(module, x)
    request = Request(module, None, arguments, ["x"], ["a", "b", "c"], [{}], None, {}, {})
    first, second, doubled = rounding.slack(request, arguments, request.results(arguments), onnx.ModelProto())
    assert first.tolist() == [np.inf, 0]
    assert np.isposinf(second[0]).any() and second[1].tolist() == [0, 0]
    assert 0 < doubled.max() < 1e-5


@pytest.mark.skipif(torch.__version__ < (2, 5), reason="this PyTorch gives NaN for rows without any key")
@pytest.mark.parametrize("exporter", ["auto", *(["linnet"] if HAS_LINNET else [])])
def test_fully_masked_rows(tmp_path, run_model, exporter):
    """A file that returns other values than PyTorch for such rows is rejected."""
    masks = torch.tensor([[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]).bool().expand(2, 1, 4, 4)
    q = torch.randn(2, 2, 4, 8)
    linnet_torch.export(Masked(), (q, masks), tmp_path / "m.onnx", exporter=exporter)
    got = run_model.outputs(tmp_path / "m.onnx", {"q": q.numpy(), "mask": masks.numpy()})["output"]
    assert (got[:, :, 2] == 0).all()
    assert_close(got, Masked()(q.double(), masks).numpy())
