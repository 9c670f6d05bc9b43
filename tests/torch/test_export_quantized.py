"""Quantised programs of torch.export: QuantizeLinear and DequantizeLinear return the same integers as PyTorch."""

import subprocess

import numpy as np
import onnx
import pytest
import torch
from installation import HAS_DYNAMO
from locations import BUILD
from torch import nn

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)

import torch.ao.quantization.fx._decomposed  # noqa: E402, F401: defines the operators
from onnx_runtime import OnnxRuntime  # noqa: E402

COMMAND = BUILD / "bin" / "export_model"
needs_command = pytest.mark.skipif(not COMMAND.exists(), reason="export_model is not built")
Q = torch.ops.quantized_decomposed
LARGE = torch.linspace(-30, 30, 3 * 4 * 33).reshape(3, 4, 33) * 1.013
SMALL = LARGE / 20
RANGES = {
    torch.uint8: (0, 255), torch.int8: (-128, 127), torch.uint16: (0, 65535), torch.int16: (-32768, 32767),
    torch.int32: (-(2**31), 2**31 - 1),
}  # fmt: skip


class Function(nn.Module):
    """Calls a function of the inputs, followed by constant tensors."""

    def __init__(self, function, *constants):
        super().__init__()
        self.function, self.count = function, len(constants)
        for i, constant in enumerate(constants):
            self.register_buffer(f"c{i}", constant)

    def forward(self, *x):
        return self.function(*x, *(getattr(self, f"c{i}") for i in range(self.count)))


def together(*functions):
    """Combines functions of the same inputs."""
    return Functions(functions)


class Functions(nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = nn.ModuleList(functions)

    def forward(self, *x):
        return [function(*x) for function in self.functions]


def save(path, module, args, decomposed=False):
    program = torch.export.export(module, args)
    if decomposed:
        program = program.run_decompositions()
    torch.export.save(program, path)
    return program.graph_signature.user_inputs


def numpy_of(tensors):
    """Converts tensors to arrays of the same dtype; 16-bit integers are not widened."""
    return [tensor.detach().numpy() for tensor in torch.utils._pytree.tree_leaves(tensors)]


def check(run_model, path, module, args, *more, decomposed=False):
    """Checks equality to the last bit, also for other arguments than those of the export."""
    names = save(path, module, args, decomposed)
    for given in (args, *more):
        got = run_model.outputs(path, dict(zip(names, numpy_of(given))))
        for one, other in zip(got.values(), numpy_of(module(*given)), strict=True):
            np.testing.assert_array_equal(one, other)


def round_trip(dtype, low, high, zero_point):
    def function(x):
        integers = Q.quantize_per_tensor(x, 0.0371, zero_point, low, high, dtype)
        return integers, Q.dequantize_per_tensor(integers, 0.0371, zero_point, low, high, dtype)

    return Function(function)


GRIDS = {
    "uint8": (torch.uint8, 0, 255, 13),
    "int8": (torch.int8, -128, 127, -5),
    "narrow": (torch.uint8, 3, 127, 13),
    "symmetric": (torch.int8, -127, 127, 0),
    "zero point elsewhere": (torch.uint8, 0, 255, 1300),
    "uint16": (torch.uint16, 0, 65535, 300),
    "int16": (torch.int16, -32768, 32767, 100),
    "int32": (torch.int32, *RANGES[torch.int32], 0),
    "int32 from a zero point": (torch.int32, -1000, 1000, 7),
}


def test_one_scale(tmp_path, run_model):
    check(run_model, tmp_path / "m.pt2", together(*(round_trip(*grid) for grid in GRIDS.values())), (SMALL,), (LARGE,))


@needs_command
@pytest.mark.parametrize(
    "name, opset, nodes",
    [
        ("uint8", 17, ["QuantizeLinear", "DequantizeLinear"]),
        ("narrow", 17, ["Clip", "QuantizeLinear", "DequantizeLinear"]),
        ("int16", 21, ["QuantizeLinear", "DequantizeLinear"]),
    ],
)
def test_nodes_are_those_that_runtimes_know(tmp_path, name, opset, nodes):
    path, file, module = tmp_path / "m.pt2", tmp_path / "m.onnx", round_trip(*GRIDS[name])
    names = save(path, module, (SMALL,))
    result = subprocess.run([COMMAND, path, "-o", file, "--opset", str(opset)], capture_output=True, text=True)
    assert result.returncode == 0, result
    assert [node.op_type for node in onnx.load(file).graph.node] == nodes
    for got, want in zip(OnnxRuntime(file).run({names[0]: LARGE.numpy()}), numpy_of(module(LARGE)), strict=True):
        np.testing.assert_array_equal(got, want)


def half(dtype):
    def function(x):
        integers = Q.quantize_per_tensor(x.to(dtype), 0.0371, 13, 0, 255, torch.uint8)
        return Q.dequantize_per_tensor(integers, 0.0371, 13, 0, 255, torch.uint8, out_dtype=dtype).float()

    return Function(function)


def test_halves(tmp_path, run_model):
    check(run_model, tmp_path / "m.pt2", together(half(torch.float16), half(torch.bfloat16)), (SMALL,), (LARGE,))


def test_parameters_in_tensors(tmp_path, run_model):
    """Tests parameters that are constant tensors, so that the file contains them."""

    def function(x, *grid):
        integers = Q.quantize_per_tensor.tensor2(x, *grid, torch.uint8)
        return integers, Q.dequantize_per_tensor.tensor2(integers, *grid, torch.uint8)

    grid = torch.tensor([0.05], dtype=torch.float64), torch.tensor([7]), torch.tensor(0), torch.tensor(99)
    check(run_model, tmp_path / "m.pt2", Function(function, *grid), (SMALL,), (LARGE,))


CHANNELS = {
    "int8": (torch.int8, -128, 127, torch.float32, torch.int64),
    "symmetric": (torch.int8, -127, 127, torch.float32, torch.int32),
    "zero points of float32": (torch.uint8, 0, 255, torch.float32, torch.float32),
    "scales of float64": (torch.uint8, 0, 255, torch.float64, torch.int64),
    "int32": (torch.int32, *RANGES[torch.int32], torch.float32, torch.int64),
}


def channels(dtype, low, high, scales_in, zero_points_in):
    grid = -2, low, high, dtype

    def function(x, scales, zero_points):
        integers = Q.quantize_per_channel(x, scales, zero_points, *grid)
        both = integers, Q.dequantize_per_channel(integers, scales, zero_points, *grid)
        return *both, Q.dequantize_per_channel(integers, scales, None, *grid)

    zero_points = torch.tensor([0, 3, 11, 20] if dtype != torch.int32 else [0] * 4).to(zero_points_in)
    return Function(function, torch.tensor([0.01, 0.02, 0.07, 0.5]).to(scales_in), zero_points)


def test_scales_of_channels(tmp_path, run_model):
    module = together(*(channels(*case) for case in CHANNELS.values()))
    check(run_model, tmp_path / "m.pt2", module, (SMALL,), (LARGE,))


def dynamic(x):
    scale, zero_point = Q.choose_qparams.tensor(x, 0, 255, 1e-5, torch.uint8)
    integers = Q.quantize_per_tensor.tensor(x, scale, zero_point, 0, 255, torch.uint8)
    return scale, integers, Q.dequantize_per_tensor.tensor(integers, scale, zero_point, 0, 255, torch.uint8)


def dynamic_symmetric(x):
    scale, zero_point = Q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-5, torch.int8)
    integers = Q.quantize_per_tensor.tensor(x, scale, zero_point, -127, 127, torch.int8)
    return zero_point, integers, Q.dequantize_per_tensor.tensor(integers, scale, zero_point, -127, 127, torch.int8)


def tokens(choose):
    def function(x):
        scales, zero_points = choose(x, torch.int8)
        integers = Q.quantize_per_token(x, scales, zero_points, -128, 127, torch.int8)
        floats = Q.dequantize_per_token(integers, scales, zero_points, -128, 127, torch.int8, torch.float32)
        return integers, floats

    return function


def test_scales_of_the_input(tmp_path, run_model):
    """The ends of a symmetric range are in the middle between two integers."""
    choices = Q.choose_qparams_per_token_asymmetric, Q.choose_qparams_per_token
    functions = dynamic, dynamic_symmetric, *(tokens(choose) for choose in choices)
    more = [(x,) for x in (LARGE, LARGE.abs(), -LARGE.abs(), LARGE * 0)]
    check(run_model, tmp_path / "m.pt2", together(*map(Function, functions)), (SMALL,), *more)


def test_groups(tmp_path, run_model):
    grid = -8, 7, torch.int8, 16

    def function(x, scales, zero_points):
        integers = Q.quantize_per_channel_group(x, scales, zero_points, *grid)
        floats = Q.dequantize_per_channel_group(integers, scales, zero_points, *grid, torch.float32)
        return integers, floats, Q.dequantize_per_channel_group(integers, scales, None, *grid, torch.float32)

    scales = torch.linspace(0.01, 0.1, 8 * 4).reshape(8, 4)
    module = Function(function, scales, torch.arange(32, dtype=torch.int32).reshape(8, 4) % 5 - 2)
    torch.manual_seed(0)
    check(run_model, tmp_path / "m.pt2", module, (torch.randn(8, 64),))


def fake(low, high, zero_point):
    return Function(lambda x: torch.fake_quantize_per_tensor_affine(x, 0.0371, zero_point, low, high))


def fake_channels(x, scales, zero_points):
    first = torch.fake_quantize_per_channel_affine(x, scales, zero_points, 1, -127, 127)
    return first, torch.fake_quantize_per_channel_affine(x, scales, zero_points, 1, -500, 500)


def fake_of_tensors(x, scale, zero_point):
    scales = torch.fake_quantize_per_tensor_affine(x, x.abs().max() / 100, zero_point, 0, 255)
    return scales, torch.fake_quantize_per_tensor_affine(x, scale, zero_point, 0, 127)


FAKES = {
    "uint8": fake(0, 255, 13),
    "narrow": fake(-127, 127, 0),
    "4 bits": fake(0, 15, 4),
    "wide": fake(-1000, 1000, 9),
    "channels": Function(fake_channels, torch.tensor([0.01, 0.02, 0.07, 0.5]), torch.arange(4, dtype=torch.int32)),
    "tensors": Function(fake_of_tensors, torch.tensor([0.05]), torch.tensor([7], dtype=torch.int32)),
}


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
def test_fake_quantisation(tmp_path, run_model, decomposed):
    check(run_model, tmp_path / "m.pt2", together(*FAKES.values()), (SMALL,), (LARGE,), decomposed=decomposed)


def test_product_of_bytes(tmp_path, run_model):
    torch.manual_seed(0)
    bytes_of = lambda *sizes: torch.randint(-128, 128, sizes, dtype=torch.int8)  # noqa: E731
    check(run_model, tmp_path / "m.pt2", Function(torch._int_mm, bytes_of(8, 16)), (bytes_of(32, 8),))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.linear = nn.Conv2d(3, 8, 3), nn.Linear(8, 4)

    def forward(self, x):
        return self.linear(self.conv(x).relu().mean((2, 3)))


def test_quantised_network(tmp_path, run_model):
    """Tests a network quantised by torch.ao.quantization; sums may be rounded to the next step of the last scale."""
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import _convert_to_reference_decomposed_fx, prepare_fx

    torch.manual_seed(0)
    x = torch.randn(4, 3, 8, 8)
    prepared = prepare_fx(Network().eval(), get_default_qconfig_mapping("x86"), (x,))
    prepared(x)
    module, path = _convert_to_reference_decomposed_fx(prepared), tmp_path / "m.pt2"
    names = save(path, module, (x,))
    want = module(x).detach().numpy()
    (got,) = run_model.outputs(path, {names[0]: x.numpy()}).values()
    steps = np.unique(want)
    assert np.abs(got - want).max() <= 1.01 * np.diff(steps).max() and (got == want).mean() > 0.8


@needs_command
def test_wrong_scales_and_ranges_are_refused(tmp_path):
    path = tmp_path / "m.pt2"

    def refusal(*grid):
        save(path, Function(lambda x: Q.quantize_per_tensor(x, *grid, torch.uint8)), (SMALL,))
        result = subprocess.run([COMMAND, path, "-o", tmp_path / "m.onnx"], capture_output=True, text=True)
        assert result.returncode == 3
        return result.stderr

    assert "a scale is not a positive number" in refusal(-0.5, 0, 0, 255)
    assert "quant_min -1 and quant_max 255 are not a range within 0 to 255" in refusal(0.5, 0, -1, 255)
