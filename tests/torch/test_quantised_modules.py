"""Modules that torch.ao.quantization has quantised, eagerly and as graphs: the file computes what they do."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from installation import HAS_DYNAMO
from linnet_torch import quantised
from locations import BUILD
from torch import nn
from torch.ao import quantization
from torch.ao.nn.quantized import FloatFunctional
from torch.nn import functional as F

needs_exporter = pytest.mark.skipif(
    not HAS_DYNAMO or not (BUILD / "bin" / "export_model").exists(), reason="this PyTorch or build exports no programs"
)
ENGINE = torch.backends.quantized.engine
X = torch.randn(4, 3, 16, 16, generator=torch.Generator().manual_seed(0))
ROWS = torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(1))
BATCH = ({0: "N"},)


class Staged(nn.Module):
    """Wraps a body in stubs, for eager mode."""

    def __init__(self, body):
        super().__init__()
        self.quant, self.body, self.dequant = quantization.QuantStub(), body, quantization.DeQuantStub()

    def forward(self, x):
        return self.dequant(self.body(self.quant(x)))


def conv(inputs, outputs, size, stride=1, groups=1, activation=nn.ReLU):
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), activation())


class Residual(nn.Module):
    """The blocks of residual and mobile networks, fused."""

    def __init__(self):
        super().__init__()
        self.stem, self.block = conv(3, 16, 3), conv(16, 16, 3)
        self.expand, self.depthwise = conv(16, 32, 1, activation=nn.ReLU6), conv(32, 32, 3, 2, 32, nn.ReLU6)
        self.sum, self.head = FloatFunctional(), nn.Linear(32, 100)
        for part in (self.stem, self.block, self.expand, self.depthwise):
            fused = ["0", "1", "2"] if isinstance(part[2], nn.ReLU) else ["0", "1"]
            quantization.fuse_modules(part.eval(), fused, inplace=True)

    def forward(self, x):
        x = self.stem(x)
        x = F.max_pool2d(self.sum.add(x, self.block(x)), 2)
        x = F.adaptive_avg_pool2d(self.depthwise(self.expand(x)), 1)
        return self.head(torch.flatten(x, 1))


class Numbers(nn.Module):
    """Does arithmetic with functional modules."""

    def __init__(self):
        super().__init__()
        self.norm, self.f = nn.BatchNorm2d(3), nn.ModuleList(FloatFunctional() for _ in range(6))

    def forward(self, x):
        x = self.norm(x)
        y = self.f[0].mul(x, self.f[1].mul_scalar(self.f[2].add_scalar(x, 0.3), -1.7))
        y = self.f[3].add_relu(y, self.f[4].add_scalar(x, 20.0))
        return self.f[5].cat([x, y], 1)


class Branches(nn.Module):
    """Contains what graph mode lowers: functions, methods and shapes between layers."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.batch = nn.Conv2d(3, 8, 3, padding=1), nn.LayerNorm(8), nn.BatchNorm2d(8)
        self.shortcut = nn.Conv2d(3, 8, 1)

    def forward(self, x):
        x = F.relu(self.batch(self.conv(x)) + self.shortcut(x))
        a, b = F.hardswish(x).chunk(2, 1)
        x = torch.cat([a, torch.sigmoid(b)], 1) * 0.5 + 1
        x = F.avg_pool2d(F.interpolate(x, scale_factor=2), 2)
        n, c, h, w = x.shape
        rows = F.leaky_relu(F.elu(self.norm(x.view(n, c, h * w).permute(0, 2, 1))), 0.1)
        return rows.mean(1), torch.tanh(torch.clamp(x[:, 1:], -1, 1.5))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.linear, self.gru = nn.Linear(12, 6), nn.GRU(6, 6)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.gru(self.linear(y))[0], h, c


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(8, 6), nn.GRUCell(6, 6)
        self.tanh, self.relu = nn.RNNCell(6, 6), nn.RNNCell(6, 6, nonlinearity="relu")

    def forward(self, x):
        return self.relu(self.tanh(self.gru(self.lstm(x[0])[0])))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)[0]


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 6, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


class Tables(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows, self.bags = nn.Embedding(20, 12), nn.EmbeddingBag(20, 12, mode="sum")

    def forward(self, rows, bags, offsets):
        return self.rows(rows), self.bags(bags, offsets)


def calibrated(prepared, x):
    for factor in (1, 0.8):
        prepared(x * factor)
    return prepared


def eager(body, x=X):
    module = Staged(body).eval()
    module.qconfig = quantization.get_default_qconfig("x86")
    return quantization.convert(calibrated(quantization.prepare(module), x))


def layer(body, x):
    """Quantises a layer with one scale for its weights, which transposed convolutions need, instead of one per
    channel."""
    module = Staged(body).eval()
    weight = quantization.default_weight_observer
    module.qconfig = quantization.QConfig(quantization.HistogramObserver.with_args(reduce_range=True), weight)
    return quantization.convert(calibrated(quantization.prepare(module), x))


def graph(module, x=X, mapping=None):
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    mapping = mapping or quantization.get_default_qconfig_mapping("x86")
    return convert_fx(calibrated(prepare_fx(module.eval(), mapping, (x,)), x))


def dynamic(module, dtype=torch.qint8):
    kinds = {nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell}
    return quantization.quantize_dynamic(module.eval(), kinds, dtype)


def dynamic_convolution():
    kind = torch.ao.nn.quantized.dynamic.Conv2d
    convolution = nn.Conv2d(3, 6, 3)
    convolution.qconfig = quantization.default_dynamic_qconfig
    return nn.Sequential(kind.from_float(convolution))


def tables():
    module = Tables().eval()
    module.qconfig = quantization.float_qparams_weight_only_qconfig
    return quantization.convert(quantization.prepare(module))


def perceptron():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))


def dynamically():
    return quantization.QConfigMapping().set_global(quantization.default_dynamic_qconfig)


def channels():
    return {nn.Linear: quantization.per_channel_dynamic_qconfig}


PLANES = X[:, :, 0]
VOLUMES = X.reshape(4, 3, 4, 8, 8)
INDICES = torch.arange(6).reshape(2, 3), torch.tensor([3, 19, 0, 0, 7, 11, 2]), torch.tensor([0, 4])
# Functions that make a module, and its arguments. Results of "static" modules are on a grid.
CASES = {
    "static: residual": (lambda: eager(Residual()), (X,)),
    "static: numbers": (lambda: eager(Numbers()), (X,)),
    "static: branches": (lambda: graph(Branches()), (X,)),
    "static: lstm": (lambda: eager(Lstm(), ROWS), (ROWS,)),
    "static: attention": (lambda: eager(Attention(), ROWS), (ROWS,)),
    "static: one axis": (lambda: layer(nn.Conv1d(3, 6, 3, 2, 1), PLANES), (PLANES,)),
    "static: volumes": (lambda: layer(nn.Conv3d(3, 6, 3), VOLUMES), (VOLUMES,)),
    "static: norms": (lambda: graph(nn.Sequential(nn.Conv2d(3, 4, 1), nn.InstanceNorm2d(4), nn.Hardswish())), (X,)),
    "dynamic: recurrent": (lambda: dynamic(Recurrent()), (ROWS,)),
    "dynamic: cells": (lambda: dynamic(Cells()), (ROWS,)),
    "dynamic: halves": (lambda: dynamic(Recurrent(), torch.float16), (ROWS,)),
    "dynamic: channels": (lambda: quantization.quantize_dynamic(perceptron(), channels()), (ROWS,)),
    "dynamic: graph": (lambda: graph(perceptron(), ROWS, dynamically()), (ROWS,)),
    "dynamic: convolution": (dynamic_convolution, (X,)),
    "weights: tables": (tables, INDICES),
}


def arrays(results):
    return [tensor.detach().numpy() for tensor in torch.utils._pytree.tree_leaves(results)]


def assert_agrees(got, want, name):
    """Sums and ties may rarely be rounded to the next integer."""
    assert_mostly_agrees(got, want, name)
    difference = np.abs(got - want)
    if name.startswith("static"):
        steps = np.diff(np.unique(want.astype(np.float64)))
        assert difference.max() <= 1.01 * steps[steps > 1e-6].min(), name
    else:
        assert difference.max() <= 0.03 * np.ptp(want), name


def assert_mostly_agrees(got, want, name):
    assert got.shape == want.shape and got.dtype == want.dtype
    assert (np.abs(got - want) < 1e-4).mean() > 0.9, name


def built(name):
    torch.manual_seed(0)
    make, args = CASES[name]
    return make(), args


@needs_exporter
@pytest.mark.parametrize("name", CASES)
def test_agrees(name, tmp_path, run_model):
    """Compares Linnet's and ONNX Runtime's results for another input than those that export() compares."""
    from onnx_runtime import OnnxRuntime

    module, args = built(name)
    file, shapes = tmp_path / "m.onnx", BATCH if len(args) == 1 else None
    assert linnet_torch.export(module, args, file, dynamic_shapes=shapes) == "linnet"
    if len(args) == 1:
        args = (torch.cat([args[0], 0.5 * args[0].flip(0)]),)
    want = arrays(module(*args))
    inputs = dict(zip((value.name for value in onnx.load(file).graph.input), arrays(args)))
    outputs = run_model.outputs(file, inputs).values(), OnnxRuntime(file).run(inputs)
    for linnet, other, expected in zip(*outputs, want, strict=True):
        assert_agrees(linnet, expected, name)
        assert_mostly_agrees(other, expected, name)


@needs_exporter
def test_transposed_convolutions(tmp_path, run_model):
    """Uses the engine of PyTorch that computes them correctly."""
    torch.manual_seed(0)
    try:
        torch.backends.quantized.engine = "fbgemm"
        for convolution, x in ((nn.ConvTranspose1d, PLANES), (nn.ConvTranspose2d, X), (nn.ConvTranspose3d, VOLUMES)):
            module, file = layer(convolution(3, 4, 3, 2, 1), x), tmp_path / "m.onnx"
            linnet_torch.export(module, x, file, dynamic_shapes=BATCH)
            (got,) = run_model.outputs(file, {"x": x.numpy()}).values()
            assert_agrees(got, module(x).numpy(), "static")
    finally:
        torch.backends.quantized.engine = ENGINE


@needs_exporter
@pytest.mark.parametrize("name", ["static: residual", "static: branches", "dynamic: recurrent", "dynamic: channels"])
def test_weights_are_bytes(name, tmp_path):
    module, args = built(name)
    linnet_torch.export(module, args, tmp_path / "m.onnx", check=False)
    weights = [tensor for tensor in onnx.load(tmp_path / "m.onnx").graph.initializer if len(tensor.dims) > 1]
    assert {tensor.data_type for tensor in weights} == {onnx.TensorProto.INT8}


@needs_exporter
def test_products_of_bytes(tmp_path):
    """Checks the forms that runtimes fuse to such products: QuantizeLinear and DequantizeLinear, or MatMulInteger."""
    module, args = built("static: residual")
    linnet_torch.export(module, args, tmp_path / "m.onnx", check=False)
    graph = onnx.load(tmp_path / "m.onnx").graph
    made_by = {name: node.op_type for node in graph.node for name in node.output}
    products = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    assert len(products) == 5 and all(made_by[node.input[0]] == "DequantizeLinear" for node in products)
    module, args = built("dynamic: graph")
    linnet_torch.export(module, args, tmp_path / "m.onnx", check=False)
    functions = onnx.load(tmp_path / "m.onnx").functions
    assert len(functions) == 2 and all("MatMulInteger" in [node.op_type for node in f.node] for f in functions)


@needs_exporter
def test_steps_of_any_number(tmp_path, run_model):
    """Checks that recurrent layers are not unrolled to copies of a step."""
    module, (x,) = built("dynamic: recurrent")
    linnet_torch.export(module, x, tmp_path / "m.onnx", dynamic_shapes=({0: "N", 1: "T"},))
    for size in ((1, 1), (2, 17)):
        x = torch.randn(*size, 8)
        for got, want in zip(run_model.outputs(tmp_path / "m.onnx", {"x": x.numpy()}).values(), arrays(module(x))):
            assert_agrees(got, want, "dynamic")


@needs_exporter
@pytest.mark.parametrize("name", ["static: residual", "static: branches", "dynamic: recurrent"])
def test_module_stays(name, tmp_path):
    module, args = built(name)
    before, kinds = arrays(module(*args)), [type(part) for part in module.modules()]
    module.train()
    linnet_torch.export(module, args, tmp_path / "m.onnx", check=False)
    assert module.training and kinds == [type(part) for part in module.modules()]
    for one, other in zip(before, arrays(module.eval()(*args)), strict=True):
        np.testing.assert_array_equal(one, other)


@needs_exporter
def test_wrong_file_is_found(tmp_path, monkeypatch):
    """Uses a scale that is a tenth too large."""
    from linnet_torch.quantised.grid import Grid

    rounded = Grid.rounded
    larger = lambda grid: Grid(1.1 * grid.scale, grid.zero_point, grid.dtype)  # noqa: E731
    monkeypatch.setattr(Grid, "rounded", lambda grid, x: rounded(larger(grid), x))
    module, args = built("static: residual")
    with pytest.raises(linnet_torch.MismatchError, match="differs from PyTorch"):
        linnet_torch.export(module, args, tmp_path / "m.onnx")


class Largest(nn.Module):
    def forward(self, x):
        return x.topk(2)[0] if x.is_quantized else x


@needs_exporter
def test_refusals(tmp_path):
    def refusal(module, x=ROWS, **options):
        with pytest.raises(linnet_torch.ExportError) as error:
            linnet_torch.export(module, x, tmp_path / "m.onnx", **options)
        return str(error.value)

    module = eager(nn.Sequential(nn.Linear(8, 8), Largest()), ROWS)
    assert refusal(module) == "body.1: there is no form in ONNX for topk of a quantised tensor"
    module.dequant = nn.Identity()
    module.body[1] = nn.Identity()
    assert refusal(module) == "the module returns a quantised tensor; end it with a DeQuantStub"
    module = nn.Sequential(nn.Embedding(8, 4))
    module[0].qconfig = quantization.float_qparams_weight_only_qconfig_4bit
    module = quantization.convert(quantization.prepare(module))
    of_table = refusal(module, INDICES[0])
    assert of_table == "0._packed_params: there is no form in ONNX for weights of torch.quint4x2"
    assert "need exporter='linnet' or 'auto'" in refusal(dynamic(perceptron()), exporter="dynamo")


@pytest.mark.skipif(HAS_DYNAMO, reason="this PyTorch exports them")
def test_refused_by_older_pytorch(tmp_path):
    with pytest.raises(linnet_torch.ExportError, match="PyTorch 2.9 or newer"):
        linnet_torch.export(dynamic(perceptron()), ROWS, tmp_path / "m.onnx", check=False)


def test_what_computes_with_floats_is_not_quantised():
    """This includes prepared modules."""
    module = Staged(Residual()).eval()
    assert not quantised.is_quantised(module)
    module.qconfig = quantization.get_default_qconfig(ENGINE)
    assert not quantised.is_quantised(quantization.prepare(module))


def test_others_load_nothing(run_python, tmp_path):
    run_python(
        "linnet_torch.export(torch.nn.Linear(2, 2), torch.rand(1, 2), sys.argv[1], check=False)\n"
        "assert not any(name.startswith('linnet_torch.quantised.') for name in sys.modules)",
        tmp_path / "m.onnx",
    )
