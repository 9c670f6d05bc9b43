"""Calls of PyTorch's functions in which quantised tensors are floats on grids."""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from ..errors import ExportError
from .grid import RANGES, Grid, Quantised
from .operators import OPERATORS

# The results of these functions are on the grid of their inputs.
_SAME_GRID = set(
    """
    __getitem__ adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d amax amin avg_pool1d avg_pool2d avg_pool3d cat channel_shuffle chunk clamp clamp_max clamp_min
    clone concat contiguous detach dropout dropout1d dropout2d dropout3d elu expand expand_as flatten flip gather
    hardswish hardtanh index_select interpolate leaky_relu masked_fill max_pool1d max_pool2d max_pool3d mean movedim
    narrow native_channel_shuffle pad permute pixel_shuffle pixel_unshuffle relu relu6 repeat repeat_interleave reshape
    reshape_as roll select split squeeze stack swapaxes t threshold tile transpose unbind unflatten unsqueeze upsample
    upsample_bilinear upsample_nearest view view_as
    """.split()
)
# The scale, the zero point for bytes and the zero point for int8.
_FIXED_GRIDS = {"sigmoid": (1 / 256, 0, -128), "hardsigmoid": (1 / 256, 0, -128), "tanh": (2 / 256, 128, 0)}


class Calls(TorchFunctionMode):
    """Redirects PyTorch's functions to call() while it is active."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return call(function, args, kwargs or {})


def call(function, args: tuple, kwargs: dict):
    """Returns function(*args, **kwargs); computes quantised operators and tensors with floats."""
    if str(function).startswith(("quantized.", "aten.quantized_")):
        return _call_operator(str(function).split(".")[1], args, kwargs)
    if function is torch.quantize_per_tensor:
        return _quantize(*args, **kwargs)
    name = getattr(function, "__name__", str(function))
    given = [leaf for leaf in pytree.tree_flatten((args, kwargs))[0] if isinstance(leaf, Quantised)]
    if not given:
        return function(*args, **kwargs)
    if name == "dequantize":
        return given[0].dequantize()
    grid = _grid_of_result(name if name.startswith("__") else name.rstrip("_"), given[0].grid)
    args, kwargs = pytree.tree_map(lambda leaf: leaf.floats if isinstance(leaf, Quantised) else leaf, (args, kwargs))
    return pytree.tree_map(lambda leaf: _rounded(leaf, grid), function(*args, **kwargs))


def _call_operator(name: str, args: tuple, kwargs: dict):
    if name not in OPERATORS:
        raise ExportError(f"there is no form in ONNX for quantized::{name}")
    return OPERATORS[name](*args, **kwargs)


def _quantize(input, scale, zero_point, dtype) -> Quantised:
    if dtype not in RANGES:
        raise ExportError(f"there is no form in ONNX for quantize_per_tensor of {dtype}")
    return Grid(float(scale), int(zero_point), dtype).rounded(input)


def _grid_of_result(name: str, grid: Grid) -> Grid:
    if name in _FIXED_GRIDS:
        scale, of_bytes, of_signed = _FIXED_GRIDS[name]
        return Grid(scale, of_bytes if grid.dtype is torch.quint8 else of_signed, grid.dtype)
    if name not in _SAME_GRID:
        raise ExportError(f"there is no form in ONNX for {name} of a quantised tensor")
    return grid


def _rounded(leaf, grid: Grid):
    """Rounds all results except the positions of extremes, which are integers."""
    return grid.rounded(leaf) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf
