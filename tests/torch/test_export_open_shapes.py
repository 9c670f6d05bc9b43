"""Programs of torch.export with sizes that differ between runs: at each size the results equal PyTorch's.

Operators have the form of the program, which is not always the one that PyTorch decomposes them to.
"""

import numpy as np
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO
from torch import nn
from torch.nn import functional as F

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)

from programs import Lambda  # noqa: E402
from torch.export import Dim  # noqa: E402


class StandardizedConv(nn.Module):
    """Its weights are normalised as a batch, as in timm's NFNets."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 3, 3, 3))

    def forward(self, x):
        weight = F.batch_norm(self.weight.reshape(1, 8, -1), None, None, training=True, momentum=0.0)
        return F.conv2d(x, weight.reshape_as(self.weight))


class Halved(nn.Module):
    """Reduces the sizes to a few pixels."""

    def __init__(self):
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv2d(3, 3, 3, 4, 1) for _ in range(2))

    def forward(self, x):
        for convolution in self.convolutions:
            x = convolution(x)
        return x.flatten(2)


def drawn(*shapes):
    return [torch.randn(shape) for shape in shapes]


MATRICES = drawn((2, 9), (3, 6), (1, 7))
IMAGES = drawn((2, 3, 7, 9), (3, 3, 10, 5), (1, 3, 4, 12))
COUNTS = [torch.rand(9) * 4, torch.rand(20) * 5 - 1]
BOTH, SPATIAL = {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, {0: Dim.DYNAMIC, 2: Dim.DYNAMIC, 3: Dim.DYNAMIC}
BATCH = {0: Dim.DYNAMIC}


def padded(mode):
    return lambda x: F.pad(x[None], (2, -x.shape[1] % 4), mode=mode)


def smoothed(mode, **sizes):
    return lambda x: F.interpolate(x, mode=mode, antialias=True, **sizes)


# By name: a function or module, its inputs, and the open axes.
PROGRAMS = {
    "flatten": (lambda x: (x.flatten(2), x.flatten(1, 2), x.flatten()), IMAGES, SPATIAL),
    "flatten of nothing": (lambda x: x.flatten(2), drawn((2, 3, 4, 5), (0, 3, 5, 4), (2, 3, 0, 4)), SPATIAL),
    "unflatten": (lambda x: x.unflatten(-1, (3, -1)), drawn((2, 8, 6), (3, 7, 6)), BOTH),
    "reshape": (lambda x: x.permute(0, 2, 3, 1).reshape(x.shape[0], -1, 3), IMAGES, SPATIAL),
    "flatten of few pixels": (Halved(), drawn((2, 3, 64, 96), (1, 3, 60, 130)), SPATIAL),
    "standardized convolution": (StandardizedConv(), drawn((2, 3, 8, 8), (3, 3, 8, 8)), BATCH),
    "batch norm without statistics": (nn.BatchNorm2d(3, track_running_stats=False), IMAGES, SPATIAL),
    "constant padding": (lambda x: F.pad(x, (1, -x.shape[1] % 4)), MATRICES, BOTH),
    "reflected padding": (padded("reflect"), MATRICES, BOTH),
    "replicated padding": (padded("replicate"), MATRICES, BOTH),
    "circular padding": (padded("circular"), MATRICES, BOTH),
    "circular padding that cuts": (lambda x: F.pad(x[None], (2, -1), mode="circular"), MATRICES, BOTH),
    "histc": (lambda x: torch.histc(x, 4, 0, 4), COUNTS, BATCH),
    "histc of its range": (lambda x: torch.histc(x, 7), COUNTS, BATCH),
    "bincount": (lambda x: torch.bincount(x.long().abs(), minlength=4), COUNTS, BATCH),
    "blocks": (lambda x: F.unfold(x, (3, 1), padding=1, stride=2, dilation=2), IMAGES, SPATIAL),
    "windows": (lambda x: x.unfold(1, 4, 2), MATRICES, BOTH),
    "adaptive average": (lambda x: F.adaptive_avg_pool2d(x, (3, 2)), IMAGES, SPATIAL),
    "adaptive average of rows": (lambda x: F.adaptive_avg_pool2d(x, (x.shape[2], 2)), IMAGES, SPATIAL),
    "adaptive maximum": (lambda x: F.adaptive_max_pool2d(x, (2, 3)), IMAGES, SPATIAL),
    "antialiased by a factor": (smoothed("bilinear", scale_factor=0.75), IMAGES, SPATIAL),
    "antialiased to a size": (smoothed("bicubic", size=(5, 3)), IMAGES, SPATIAL),
    "antialiased with corners": (smoothed("bicubic", size=(5, 3), align_corners=True), IMAGES, SPATIAL),
    "split": (lambda x: x.split([x.shape[1] // 2, x.shape[1] - x.shape[1] // 2], 1), MATRICES, BOTH),
    "chunks": (lambda x: (x.chunk(2, 1), x.tensor_split(4, 1)), MATRICES, BOTH),
    "roll": (lambda x: (x.roll(x.shape[1] // 2, 1), x.roll((11, -15), (0, 1)), x.roll(30)), MATRICES, BOTH),
    "running results": (lambda x: (x.cumprod(1), x.logcumsumexp(1), *x.cummax(1)), MATRICES, BOTH),
    "power of a size": (lambda x: x.sum() + torch.arange(x.shape[1] ** 2), MATRICES, BOTH),
    "gamma functions": (lambda x: (torch.lgamma(x * 4), torch.digamma(x * 4), torch.mvlgamma(x.abs() + 5, 3)), MATRICES, BOTH),
    "bessel functions": (lambda x: [f(x * 20) for f in (torch.special.i0e, torch.special.i1e)], MATRICES, BOTH),
    "unscaled bessel functions": (lambda x: [f(x) for f in (torch.i0, torch.special.i1)], MATRICES, BOTH),
    "normal distribution": (torch.special.ndtr, MATRICES, BOTH),
    "mode": (lambda x: tuple(torch.mode((x * 2).round(), 1)), drawn((4, 9), (3, 12)), BOTH),
    "isin": (lambda x: (torch.isin(x.round(), torch.tensor([0.0, 1])), torch.isin(x.round(), 1.0, invert=True)), MATRICES, BOTH),
    "renorm": (lambda x: torch.renorm(x, 2, 0, 1.0), MATRICES, BOTH),
    "trapezoids": (lambda x: (torch.trapezoid(x, dx=0.5), torch.trapezoid(x, x.cumsum(1)), torch.cumulative_trapezoid(x)), MATRICES, BOTH),
    "quantiles": (lambda x: [torch.quantile(x, 0.3, dim=1, interpolation=i) for i in ("linear", "lower", "nearest")], MATRICES, BOTH),
    "gradient": (lambda x: (*torch.gradient(x), *torch.gradient(x, spacing=2.0, dim=1, edge_order=2)), drawn((4, 9)), None),
    "powers": (lambda x: (torch.vander(x[0]), torch.vander(x[0], 4, increasing=True)), drawn((4, 9)), None),
    "diagonal of blocks": (lambda x: torch.block_diag(x, x[:2, :3], x[0], x[0, 0]), drawn((4, 9)), None),
    "indices of triangles": (lambda x: (torch.tril_indices(4, 5, 1) + x.sum(), torch.triu_indices(3, 5, -1) + x.sum()), drawn((2, 3)), None),
    "shifts": (lambda x: ((x * 9).long() << 2, (x * 9).int() >> 1), MATRICES, BOTH),
}  # fmt: skip


def save(path, module, example, axes):
    program = torch.export.export(module, (example,), dynamic_shapes=None if axes is None else (axes,), strict=False)
    torch.export.save(program, path)
    return program.graph_signature.user_inputs[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_pytorch_at_all_sizes(tmp_path, run_model, name):
    body, inputs, axes = PROGRAMS[name]
    module, path = (body if isinstance(body, nn.Module) else Lambda(body)).eval(), tmp_path / "m.pt2"
    with torch.no_grad():
        x = save(path, module, inputs[0], axes)
        for tensor in inputs:
            got = run_model.outputs(path, {x: tensor.numpy()}).values()
            for one, other in zip(got, torch.utils._pytree.tree_leaves(module(tensor)), strict=True):
                assert_close(one, other.numpy().astype(np.float64) if other.is_floating_point() else other.numpy())


@pytest.mark.parametrize("dim", [0, 2, None])
def test_weight_norm(tmp_path, run_model, dim):
    module = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 3), dim=dim)
    path = tmp_path / "m.pt2"
    x = save(path, module, torch.randn(2, 4, 9), {0: Dim.DYNAMIC, 2: Dim.DYNAMIC})
    for tensor in drawn((3, 4, 7), (1, 4, 12)):
        got = run_model.outputs(path, {x: tensor.numpy()})
        assert_close(next(iter(got.values())), module(tensor).detach().double().numpy())


class Experts(nn.Module):
    """Multiplies rows in groups: those before the first offset have the first weight."""

    def forward(self, rows, weights, ends):
        return torch._grouped_mm(rows.bfloat16(), weights.bfloat16(), ends).float()


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="this PyTorch has no grouped products")
def test_grouped_products(tmp_path, run_model):
    def example(count, *ends):
        return torch.randn(count, 16), torch.randn(3, 16, 8), torch.tensor(ends, dtype=torch.int32)

    open_rows = ({0: Dim.DYNAMIC}, None, None)
    program = torch.export.export(Experts(), example(8, 3, 5, 8), dynamic_shapes=open_rows)
    path = tmp_path / "m.pt2"
    torch.export.save(program, path)
    for args in (example(8, 3, 5, 8), example(12, 0, 12, 12)):
        feeds = dict(zip(program.graph_signature.user_inputs, (arg.numpy() for arg in args)))
        got = next(iter(run_model.outputs(path, feeds).values()))
        assert_close(got, Experts()(*args).double().numpy(), 2e-2)


def test_batch_norm_in_training_mode_is_refused(tmp_path, run_model):
    module = nn.BatchNorm1d(3).train()
    path = tmp_path / "m.pt2"
    save(path, module, torch.randn(4, 3), None)
    message = run_model("inspect", path, code=None).stderr
    assert "it changes its running statistics; export a module in evaluation mode" in message, message
