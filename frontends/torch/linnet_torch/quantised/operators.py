"""PyTorch's operators on quantised tensors and packed weights, computed with floats."""

import functools

import torch
from torch.nn import functional as F

from . import dynamic, recurrent
from .grid import Grid, Quantised
from .weights import Packed, Weight


def _floats(value):
    """Returns the floats of quantised tensors and weights, and of lists of them."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_floats, value))
    if isinstance(value, Quantised):
        return value.floats
    return value.floats() if isinstance(value, Weight) else value


def _to_grid(function):
    """Returns an operator whose last arguments are scale and zero point of its result; None means those of the
    input."""

    def operator(x, *args, **kwargs):
        names = ("scale", "zero_point", "output_scale", "output_zero_point")
        numbers = [kwargs.pop(name) for name in names if name in kwargs]
        args, numbers = (args, numbers) if numbers else (args[:-2], args[-2:])
        given = (x[0] if isinstance(x, (list, tuple)) else x).grid
        grid = given if numbers[0] is None else Grid(float(numbers[0]), int(numbers[1]), given.dtype)
        return grid.rounded(function(_floats(x), *_floats(args), **kwargs))

    return operator


def _on_same_grid(function):
    return lambda x, *args, **kwargs: x.grid.rounded(function(x.floats, *_floats(args), **kwargs))


def _relu(function):
    return lambda *args, **kwargs: function(*args, **kwargs).relu()


def _linear(x: torch.Tensor, packed: Packed) -> torch.Tensor:
    return F.linear(x, packed.weight.floats(), packed.bias)


def _convolution(dims: int):
    function = getattr(F, f"conv{dims}d")

    def convolution(x, packed):
        return function(
            *(x, _kernel(packed, dims), packed.bias, packed.stride[-dims:], packed.padding[-dims:]),
            *(packed.dilation[-dims:], packed.groups),
        )

    return convolution


def _transposed_convolution(dims: int):
    function = getattr(F, f"conv_transpose{dims}d")

    def convolution(x, packed):
        return function(
            *(x, _kernel(packed, dims), packed.bias, packed.stride[-dims:], packed.padding[-dims:]),
            *(packed.output_padding[-dims:], packed.groups, packed.dilation[-dims:]),
        )

    return convolution


def _kernel(packed: Packed, dims: int) -> torch.Tensor:
    """Returns the kernel with `dims` spatial axes, because PyTorch packs 1-D kernels as 2-D kernels."""
    shape = packed.weight.integers.shape
    return packed.weight.floats((*shape[:2], *shape[-dims:]))


def _conv2d_add(x, other, packed):
    return _convolution(2)(x, packed) + other


def _batch_norm(x, weight, bias, mean, variance, eps):
    return F.batch_norm(x, mean, variance, weight, bias, False, 0.0, eps)


def _layer_norm(x, shape, weight, bias, eps):
    return F.layer_norm(x, shape, weight, bias, eps)


def _instance_norm(x, weight, bias, eps):
    return F.instance_norm(x, weight=weight, bias=bias, eps=eps)


def _leaky_relu(x, negative_slope, inplace=False):
    return F.leaky_relu(x, negative_slope)


def _elu(function):
    def operator(x, output_scale, output_zero_point, alpha=1):
        return _to_grid(function)(x, alpha, output_scale, output_zero_point)

    return operator


def _linear_leaky_relu(x, packed, output_scale, output_zero_point, negative_slope):
    leaky = lambda *args: F.leaky_relu(_linear(*args), negative_slope)  # noqa: E731
    return _to_grid(leaky)(x, packed, output_scale, output_zero_point)


def _with_numbers(operator, with_number):
    """Adds the overloads of an operator that take one number after or before the tensor."""

    def chosen(a, b, *grid, **kwargs):
        if isinstance(a, Quantised) and isinstance(b, Quantised):
            return operator(a, b, *grid, **kwargs)
        return with_number(a, b) if isinstance(a, Quantised) else with_number(b, a)

    return chosen


def _add_number(x: Quantised, number: float, relu=False) -> Quantised:
    """Keeps the integers and moves the zero point. If it leaves the range of integers, the scale grows."""
    low, high = x.grid.range
    scale, zero_point = x.grid.scale, x.grid.zero_point - round(number / x.grid.scale)
    if zero_point < low:
        scale, zero_point = (high - zero_point) / (high - low) * scale, low
    elif zero_point > high:
        scale, zero_point = (zero_point - low) / (high - low) * scale, high
    sums = x.floats + round(number / x.grid.scale) * x.grid.scale
    return Grid(scale, zero_point, x.dtype).rounded(sums.relu() if relu else sums)


def _multiply_number(x: Quantised, number: float, relu=False) -> Quantised:
    low, high = x.grid.range
    zero_point = x.grid.zero_point if number > 0 else high + low - x.grid.zero_point
    grid = Grid(abs(x.grid.scale * number), zero_point, x.dtype) if number else Grid(1.0, 0, x.dtype)
    products = x.floats * number
    return grid.rounded(products.relu() if relu else products)


def _embedding(weight: Weight, indices: torch.Tensor, pruned_weights=False) -> torch.Tensor:
    return weight.rows(indices)


def _embedding_bag(
    weight: Weight,
    indices: torch.Tensor,
    offsets=None,
    scale_grad_by_freq=False,
    mode=0,
    pruned_weights=False,
    per_sample_weights=None,
    compressed_indices_mapping=None,
    include_last_offset=False,
) -> torch.Tensor:
    """Computes sums, whatever the mode. PyTorch reads at the offsets without checking them."""
    if offsets is not None and not torch.compiler.is_exporting():
        _check_offsets(offsets, len(indices))
    return F.embedding_bag(
        *(indices, weight.table(), offsets),
        mode="sum",
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
    )


def _check_offsets(offsets: torch.Tensor, count: int) -> None:
    if offsets[0] != 0 or offsets[-1] > count or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"offsets of bags must rise from 0 to {count}")


_CONVOLUTIONS = {
    **{f"conv{dims}d": _convolution(dims) for dims in (1, 2, 3)},
    **{f"conv_transpose{dims}d": _transposed_convolution(dims) for dims in (1, 2, 3)},
}
_TO_GRID = _CONVOLUTIONS | {
    "linear": _linear,
    "matmul": torch.matmul,
    "conv2d_add": _conv2d_add,
    "add": torch.add,
    "mul": torch.mul,
    "cat": torch.cat,
    "batch_norm": _batch_norm,
    "batch_norm1d": _batch_norm,
    "batch_norm2d": _batch_norm,
    "batch_norm3d": _batch_norm,
}
_DYNAMIC = {
    "linear": dynamic.linear,
    **{name: functools.partial(dynamic.convolution, function) for name, function in _CONVOLUTIONS.items()},
}

OPERATORS = {
    **{name: _to_grid(function) for name, function in _TO_GRID.items()},
    **{f"{name}_relu": _to_grid(_relu(function)) for name, function in _TO_GRID.items()},
    **{f"{name}_dynamic": function for name, function in _DYNAMIC.items()},
    **{f"{name}_relu_dynamic": _relu(function) for name, function in _DYNAMIC.items()},
    "linear_dynamic_fp16": _linear,
    "linear_relu_dynamic_fp16": _relu(_linear),
    "linear_leaky_relu": _linear_leaky_relu,
    "linear_tanh": _to_grid(lambda *args: _linear(*args).tanh()),
    "layer_norm": _to_grid(_layer_norm),
    "group_norm": _to_grid(F.group_norm),
    "instance_norm": _to_grid(_instance_norm),
    "hardswish": _to_grid(F.hardswish),
    "elu": _elu(F.elu),
    "celu": _elu(F.celu),
    "leaky_relu": _to_grid(_leaky_relu),
    "prelu": _to_grid(F.prelu),
    "sigmoid": _to_grid(torch.sigmoid),
    "softmax": _to_grid(torch.softmax),
    "relu6": _on_same_grid(lambda x, inplace=False: F.relu6(x)),
    "clamp": _on_same_grid(torch.clamp),
    "threshold": _on_same_grid(F.threshold),
    "embedding_byte": _embedding,
    "embedding_bag_byte": _embedding_bag,
    "quantized_lstm": recurrent.lstm,
    "quantized_gru": recurrent.gru,
    "quantized_lstm_cell_dynamic": recurrent.lstm_cell,
    "quantized_gru_cell_dynamic": recurrent.gru_cell,
    "quantized_rnn_tanh_cell_dynamic": functools.partial(recurrent.rnn_cell, torch.tanh),
    "quantized_rnn_relu_cell_dynamic": functools.partial(recurrent.rnn_cell, torch.relu),
}
for _name, _with_number in {"add": _add_number, "mul": _multiply_number}.items():
    _and_relu = functools.partial(_with_number, relu=True)
    OPERATORS[_name] = _with_numbers(OPERATORS[_name], _with_number)
    OPERATORS[f"{_name}_relu"] = _with_numbers(OPERATORS[f"{_name}_relu"], _and_relu)
    OPERATORS[f"{_name}_scalar"] = _with_number
    OPERATORS[f"{_name}_scalar_relu"] = _and_relu
