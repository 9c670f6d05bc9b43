"""export_model: traced and scripted modules become files that compute what PyTorch computes."""

import onnx
import pytest
import torch
from exported import assert_close
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Block(nn.Module):
    """Convolution, normalisation, activation, pooling and a linear layer: the main parts of an image network."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(8, 5)
        nn.init.uniform_(self.norm.running_var, 0.5, 2)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        return F.softmax(self.head(torch.flatten(self.pool(x), 1)), dim=1)


IMAGE = torch.randn(2, 3, 12, 10)
LAYERS = {
    "block": (Block(), IMAGE),
    "conv1d": (nn.Conv1d(3, 6, 3, groups=3), torch.randn(2, 3, 9)),
    "conv3d": (nn.Conv3d(2, 4, 2, stride=(1, 2, 1)), torch.randn(1, 2, 4, 6, 5)),
    "conv same": (nn.Conv2d(3, 4, (3, 2), padding="same", dilation=2), IMAGE),
    "conv transposed": (nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), IMAGE),
    "conv without batch": (nn.Conv2d(3, 4, 3), IMAGE[0]),
    "layer norm": (nn.LayerNorm([12, 10]), IMAGE),
    "group norm": (nn.GroupNorm(3, 6), torch.randn(2, 6, 4, 4)),
    "instance norm": (nn.InstanceNorm2d(3, affine=True), IMAGE),
    "batch norm without affine": (nn.BatchNorm2d(3, affine=False), IMAGE),
    "max pool": (nn.MaxPool2d(3, 2, padding=1, ceil_mode=True), IMAGE),
    "average pool": (nn.AvgPool2d(3, 2, padding=1, count_include_pad=False), IMAGE),
    "adaptive pool, uneven": (nn.AdaptiveAvgPool2d((5, 3)), IMAGE),
    "adaptive max pool": (nn.AdaptiveMaxPool2d((4, 5)), IMAGE),
    "upsample nearest": (nn.Upsample(scale_factor=2), IMAGE),
    "upsample bilinear": (nn.Upsample(size=(17, 9), mode="bilinear", align_corners=False), IMAGE),
    "upsample corners": (nn.Upsample(scale_factor=1.5, mode="bilinear", align_corners=True), IMAGE),
    "upsample bicubic": (nn.Upsample(scale_factor=2, mode="bicubic"), IMAGE),
    "pixel shuffle": (nn.PixelShuffle(2), torch.randn(1, 8, 3, 4)),
    "pixel unshuffle": (nn.PixelUnshuffle(2), torch.randn(1, 2, 6, 4)),
    "channel shuffle": (nn.ChannelShuffle(2), torch.randn(1, 4, 3, 3)),
    "zero pad": (nn.ZeroPad2d((1, 2, 0, 3)), IMAGE),
    "reflection pad": (nn.ReflectionPad2d((1, 2, 3, 0)), IMAGE),
    "replication pad": (nn.ReplicationPad2d(2), IMAGE),
    "linear on 3 axes": (nn.Linear(10, 4), torch.randn(2, 3, 10)),
    "prelu": (nn.PReLU(3), IMAGE),
    "glu": (nn.GLU(2), IMAGE),
}
ACTIVATIONS = [
    nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.ELU(0.7), nn.CELU(1.3), nn.SELU(), nn.GELU(), nn.GELU("tanh"),
    nn.SiLU(), nn.Mish(), nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(-2, 0.5), nn.Softplus(2), nn.Softsign(),
    nn.LogSigmoid(), nn.Hardshrink(), nn.Softshrink(), nn.Threshold(0.3, 7), nn.Sigmoid(), nn.Tanh(), nn.Tanhshrink(),
    nn.Softmax(1), nn.LogSoftmax(1), nn.Softmin(1), nn.RReLU(), nn.Dropout(),
]  # fmt: skip


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_layers(exporter, scripted):
    exporter.export_all(LAYERS, scripted=scripted)


def test_activations(exporter):
    # Beyond the threshold of softplus, PyTorch's own result is not exact, so only small numbers are tested.
    exporter.export_all({repr(module): (module, torch.randn(2, 7)) for module in ACTIVATIONS})


def test_weights_in_a_file_of_their_own(exporter):
    layers = nn.Sequential(nn.Conv2d(3, 20, 3), nn.Conv2d(20, 20, 3))
    file = exporter.export(layers, {"input": IMAGE}, "--external-data")
    graph = onnx.load(str(file), load_external_data=False).graph
    places = {t.name: {e.key: e.value for e in t.external_data} for t in graph.initializer if t.external_data}
    assert list(places) == ["0.weight", "1.weight"]
    assert places["1.weight"] == {"location": "model.onnx.data", "offset": "4096", "length": str(4 * 20 * 20 * 9)}
    read = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(str(file)).graph.initializer}
    assert (read["1.weight"] == layers[1].weight.detach().numpy()).all()


def test_weights_that_cannot_be_written(exporter):
    (exporter.folder / "model.onnx.data").mkdir()
    message = exporter.refusal(nn.Conv2d(3, 20, 3), {"input": IMAGE}, "--external-data")
    assert "model.onnx.data: it cannot be written" in message


class Repeats(nn.Module):
    """Returns an operator's result, an input and a constant, each twice."""

    def forward(self, x):
        y, c = x * 2, torch.arange(3)
        return y, x, c, y, x, c


def test_value_that_is_several_outputs(exporter, run_model):
    x = torch.randn(3)
    got = run_model.outputs(exporter.export(Repeats(), {"x": x}), {"x": x.numpy()})
    assert list(got) == [f"output_{i}" for i in range(6)]
    for value, expected in zip(got.values(), Repeats()(x)):
        assert (value == expected.numpy()).all()


def test_outputs_equal_those_of_run_model(exporter, run_model):
    module, x = LAYERS["block"]
    file = exporter.export(module, {"x": x}, check=False)
    with torch.no_grad():
        assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], module.eval()(x).numpy())


def test_scripted_and_traced_give_the_same_operators(exporter):
    module, x = LAYERS["block"]
    forms = []
    for scripted in (False, True):
        graph = onnx.load(str(exporter.export(module, {"x": x}, scripted=scripted))).graph
        forms.append(([node.op_type for node in graph.node], sorted(tensor.name for tensor in graph.initializer)))
    assert forms[0] == forms[1]


def test_weights_keep_their_names(exporter):
    module, x = LAYERS["block"]
    graph = onnx.load(str(exporter.export(module, {"x": x}))).graph
    names = {tensor.name for tensor in graph.initializer}
    assert {"conv.weight", "norm.weight", "norm.running_mean", "head.weight", "head.bias"} <= names


FUNCTIONS = {
    "promotion of a python number": (
        lambda a, b: a * 2.5 + b,
        torch.arange(6).reshape(2, 3), torch.ones(3, dtype=torch.int64),
    ),
    "promotion of half and int": (lambda a, b: a.half() + b, torch.randn(4), torch.arange(4)),
    "double stays": (lambda a, b: a - b, torch.randn(4, dtype=torch.float64), torch.randn(4)),
    "alpha": (lambda a, b: torch.add(a, b, alpha=3), torch.randn(4), torch.randn(4)),
    "rsub": (lambda a, b: 1 - a - b, torch.randn(4), torch.randn(4)),
    "integer division": (
        lambda a, b: torch.div(a, 2 * b + 1, rounding_mode="floor"),
        torch.arange(-6, 6), torch.arange(-3, 9),
    ),
    "truncated division": (
        lambda a, b: torch.div(a, 2 * b + 1, rounding_mode="trunc"),
        torch.arange(-6, 6), torch.arange(-3, 9),
    ),
    "remainder": (lambda a, b: torch.remainder(a, b), torch.randn(12) * 5, torch.tensor([4, -4, 3, 5.5] * 3)),
    "comparison": (lambda a, b: (a > b) & (a != 0) | (b <= -1), torch.randn(9), torch.randn(9)),
    "where": (lambda a, b: torch.where(a > 0, a, b), torch.randn(9), torch.randn(9)),
    "masked fill": (lambda a, b: a.masked_fill(b > 0, -1.0), torch.randn(9), torch.randn(9)),
    "clamp": (lambda a, b: a.clamp(-0.5, 1) + b.clamp(min=0), torch.randn(9), torch.randn(9)),
    "matmul": (lambda a, b: a @ b, torch.randn(2, 1, 3, 4), torch.randn(5, 4, 2)),
    "addmm": (lambda a, b: torch.addmm(b, a, a.t(), beta=0.5, alpha=2), torch.randn(3, 4), torch.randn(3)),
    "cat": (lambda a, b: torch.cat([a, b, a], -1), torch.randn(2, 3), torch.randn(2, 1)),
    "stack": (lambda a, b: torch.stack([a, b], -1), torch.randn(2, 3), torch.randn(2, 3)),
    "split": (lambda a, b: sum(p.sum() for p in a.split(2)) + b.chunk(2, 1)[1], torch.randn(5), torch.randn(3, 5)),
    "slices": (lambda a, b: a[1:, ::2, -1] + b[..., 0:2], torch.randn(3, 4, 5), torch.randn(2, 2)),
    "permutations": (lambda a, b: a.permute(2, 0, 1).transpose(0, 1) + b.t(), torch.randn(2, 3, 4), torch.randn(3, 4)),
    "roll and flip": (lambda a, b: a.roll((1, -1), (0, 1)) + b.flip(1), torch.randn(3, 4), torch.randn(3, 4)),
    "repeat and expand": (lambda a, b: a.repeat(2, 2) + b.expand(4, -1), torch.randn(2, 3), torch.randn(1, 6)),
    "reductions": (
        lambda a, b: a.mean((0, 2)) + a.sum(0).max(1)[0] + b.var(1),
        torch.randn(2, 3, 4), torch.randn(3, 4),
    ),
    "arg extremes": (lambda a, b: a.argmax(1) + b.min(1)[1], torch.randn(4, 5), torch.randn(4, 5)),
    "norms": (
        lambda a, b: F.normalize(a, dim=1) + b.norm(p=3, dim=1, keepdim=True),
        torch.randn(4, 5), torch.randn(4, 5),
    ),
    "creation": (
        lambda a, b: torch.zeros_like(a) + torch.full((4,), 2.0) + torch.arange(4) + b,
        torch.randn(4), torch.randn(4),
    ),
}  # fmt: skip


def test_functions(exporter):
    exporter.export_all(FUNCTIONS)
