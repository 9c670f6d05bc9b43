"""Products whose first factor is rounded to a grid chosen from its values, as in PyTorch's dynamic operators."""

import torch
from torch.nn import functional as F

from .grid import moved_by
from .weights import Packed

# The smallest scale that PyTorch chooses.
_LEAST_SCALE = 6.1e-5
_FLOAT, _BYTE = 1, 2  # element types of ONNX's TensorProto


def linear(x: torch.Tensor, packed: Packed, reduce_range: bool = False) -> torch.Tensor:
    if packed.is_half:
        return F.linear(x, packed.weight.floats(), packed.bias)
    weight = packed.weight
    y = Product.apply(x, weight.integers, weight.scale, weight.zero_point, _highest(packed, reduce_range))
    return y if packed.bias is None else y + packed.bias


def convolution(function, x: torch.Tensor, packed: Packed, reduce_range: bool = False) -> torch.Tensor:
    """Rounds the result to the grid of x, too, as PyTorch does."""
    scale, zero_point = _grid(x, _highest(packed, reduce_range))
    return _rounded(function(_rounded(x, scale, zero_point), packed), scale, zero_point)


class Product(torch.autograd.Function):
    """Multiplies x by the rows of a weight. In the file this is a product of integers."""

    @staticmethod
    def forward(ctx, x, weight, scale, zero_point, highest):
        zero_points = zero_point.reshape(-1, 1) if isinstance(zero_point, torch.Tensor) else zero_point
        return F.linear(_rounded(x, *_grid(x, highest)), weight.to(x.dtype) - zero_points) * scale

    @staticmethod
    def symbolic(g, x, weight, scale, zero_point, highest):
        integers, step, zero = _quantised(g, x, highest)
        if not hasattr(zero_point, "setType"):
            zero_point = torch.tensor(zero_point, dtype=torch.int8)
        sums = g.op("MatMulInteger", integers, g.op("Transpose", weight, perm_i=[1, 0]), zero, zero_point)
        return g.op("Mul", g.op("Cast", sums, to_i=_FLOAT), g.op("Mul", step, scale))


def _highest(packed: Packed, reduce_range: bool) -> int:
    return 127 if reduce_range and packed.heeds_reduce_range else 255


def _grid(x: torch.Tensor, highest: int) -> tuple:
    """Returns scale and zero point."""
    least, greatest = x.amin().clamp(max=0), x.amax().clamp(min=0)
    scale = ((greatest - least) / highest).clamp(min=_LEAST_SCALE)
    return scale, (-least / scale).round().clamp(0, highest)


def _rounded(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor) -> torch.Tensor:
    integers = ((x / scale).round() + zero_point).clamp(0, 255)
    return moved_by(scale, (integers - zero_point) * scale)


def _quantised(g, x, highest: int) -> tuple:
    """Returns integers, scale and zero point as nodes."""
    if highest == 255:
        return g.op("DynamicQuantizeLinear", x, outputs=3)
    least = g.op("Min", g.op("ReduceMin", x, keepdims_i=0), 0.0)
    greatest = g.op("Max", g.op("ReduceMax", x, keepdims_i=0), 0.0)
    scale = g.op("Max", g.op("Div", g.op("Sub", greatest, least), float(highest)), _LEAST_SCALE)
    zero_point = g.op("Clip", g.op("Round", g.op("Div", g.op("Neg", least), scale)), 0.0, float(highest))
    zero_point = g.op("Cast", zero_point, to_i=_BYTE)
    bounds = torch.tensor(0, dtype=torch.uint8), torch.tensor(highest, dtype=torch.uint8)
    return g.op("Clip", g.op("QuantizeLinear", x, scale, zero_point), *bounds), scale, zero_point
