"""Operators of com.microsoft according to their documentation, in float64."""

import dataclasses

import numpy as np
from by_operator import own
from onnx import defs

from .attention import attention
from .recurrent import recurrent
from .windows import by_channel, convolve, pool, quantized, shifted


def given(configuration, count):
    """Returns the inputs, with None for those that are omitted at the end."""
    return (list(configuration.inputs) + [None] * count)[:count]


def real(x, scale, zero_point, axis=0):
    """Returns the values of a quantised tensor, with a single pair of parameters or one for each element of the
    axis."""
    s = scale.astype(np.float64)
    return shifted(x, zero_point, axis) * (by_channel(s, x.ndim - 1 - axis) if s.size > 1 else s.reshape(()))


def rounded(y, scale, zero_point, dtype):
    zero = np.zeros((), dtype) if zero_point is None else zero_point
    return quantized(y / scale.astype(np.float64).reshape(()), zero.reshape(()))


def alike(configuration, name, inputs, **attributes):
    """Returns the ONNX operator of this name with these inputs."""
    attributes = {**configuration.attributes, **attributes}
    return dataclasses.replace(configuration, schema=defs.get_schema(name), inputs=inputs, attributes=attributes)


@own("com.microsoft.QLinearAdd", "com.microsoft.QLinearMul")
def qlinear_arithmetic(configuration):
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = given(configuration, 8)
    pair = real(a, a_scale, a_zero), real(b, b_scale, b_zero)
    y = pair[0] + pair[1] if configuration.schema.name == "QLinearAdd" else pair[0] * pair[1]
    return [rounded(y, scale, zero, a.dtype)]


@own("com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu")
def qlinear_activation(configuration):
    x, x_scale, x_zero, scale, zero = given(configuration, 5)
    values, alpha = real(x, x_scale, x_zero), float(np.float32(configuration.attributes.get("alpha", 0.01)))
    sigmoid = configuration.schema.name == "QLinearSigmoid"
    y = 1 / (1 + np.exp(-values)) if sigmoid else np.where(values < 0, alpha * values, values)
    return [rounded(y, scale, zero, x.dtype)]


@own("com.microsoft.QLinearSoftmax")
def qlinear_softmax(configuration):
    x, x_scale, x_zero, scale, zero = given(configuration, 5)
    a, values = configuration.attributes, real(x, x_scale, x_zero)
    axis = a.get("axis", -1) % x.ndim
    axes = (axis,) if a["opset"] >= 13 else tuple(range(axis, x.ndim))
    powers = np.exp(values - values.max(axes, keepdims=True))
    return [rounded(powers / powers.sum(axes, keepdims=True), scale, zero, x.dtype)]


@own("com.microsoft.QLinearAveragePool")
def qlinear_average_pool(configuration):
    x, x_scale, x_zero, scale, zero = given(configuration, 5)
    last, values = configuration.attributes.get("channels_last"), real(x, x_scale, x_zero)
    first = np.moveaxis(values, -1, 1) if last else values
    y = pool(dataclasses.replace(alike(configuration, "AveragePool", [first]), outputs=1))[0]
    return [rounded(np.moveaxis(y, 1, -1) if last else y, scale, zero, x.dtype)]


@own("com.microsoft.QLinearConv")
def qlinear_conv(configuration):
    x, x_scale, x_zero, w, w_scale, w_zero, scale, zero, b = given(configuration, 9)
    last = configuration.attributes.get("channels_last")
    sums = convolve(configuration, shifted(np.moveaxis(x, -1, 1) if last else x, x_zero, 1), shifted(w, w_zero, 0))
    sums = sums if b is None else sums + by_channel(b.astype(np.int64), x.ndim - 2)
    units = x_scale.astype(np.float64) * by_channel(w_scale.astype(np.float64), x.ndim - 2)
    y = sums * units.reshape(by_channel(w_scale, x.ndim - 2).shape)
    return [rounded(np.moveaxis(y, 1, -1) if last else y, scale, zero, zero.dtype)]


@own("com.microsoft.QuantizeLinear")
def quantize_linear(configuration):
    x, scale, zero = given(configuration, 3)
    axis = configuration.attributes.get("axis", 1) % x.ndim
    zero = np.zeros(scale.shape, np.uint8) if zero is None else zero
    each = [by_channel(v.astype(np.float64), x.ndim - 1 - axis) if v.size > 1 else v.astype(np.float64).reshape(())
            for v in (scale, zero)]  # fmt: skip
    return [quantized(x.astype(np.float64) / each[0], np.broadcast_to(each[1], x.shape).astype(zero.dtype))]


@own("com.microsoft.DequantizeLinear")
def dequantize_linear(configuration):
    x, scale, zero = given(configuration, 3)
    return [real(x, scale, zero, configuration.attributes.get("axis", 1) % x.ndim)]


def column_scale(a_scale, b_scale):
    """Returns the float32 product of the scales: a single one, or one for each column."""
    b = b_scale.astype(np.float64)
    return float(a_scale.reshape(())) * (b if b.size > 1 else b.reshape(()))


@own("com.microsoft.QGemm")
def qgemm(configuration):
    a, a_scale, a_zero, b, b_scale, b_zero, c, scale, zero = given(configuration, 9)
    attributes, axis = configuration.attributes, 0 if configuration.attributes.get("transB") else 1
    left, right = shifted(a, a_zero, 1), shifted(b, b_zero, axis)
    sums = (left.T if attributes.get("transA") else left) @ (right.T if axis == 0 else right)
    sums = sums if c is None else sums + c.astype(np.int64)
    y = float(np.float32(attributes.get("alpha", 1))) * sums * column_scale(a_scale, b_scale)
    return [y if scale is None else rounded(y, scale, zero, zero.dtype)]


def integer_product(a, a_scale, a_zero, b, b_scale, b_zero, bias):
    y = (shifted(a, a_zero, a.ndim - 2) @ shifted(b, b_zero, b.ndim - 1)) * column_scale(a_scale, b_scale)
    return y if bias is None else y + bias.astype(np.float64)


@own("com.microsoft.MatMulIntegerToFloat")
def matmul_integer_to_float(configuration):
    a, b, a_scale, b_scale, a_zero, b_zero, bias = given(configuration, 7)
    return [integer_product(a, a_scale, a_zero, b, b_scale, b_zero, bias)]


@own("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_matmul(configuration):
    x, b, b_scale, b_zero, bias = given(configuration, 5)
    return [integer_product(*on_own_grid(x), b, b_scale, b_zero, bias)]


def on_own_grid(x):
    """Returns float32 rounded to uint8 as DynamicQuantizeLinear does, its scale and its zero point."""
    low, high = np.float32(min(0, x.min(initial=0))), np.float32(max(0, x.max(initial=0)))
    scale = (high - low) / np.float32(255) if high > low else np.float32(1)
    zero = np.rint(-low / scale).astype(np.uint8)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), scale, zero


@own("com.microsoft.QAttention")
def qattention(configuration):
    x, w, b, x_scale, w_scale, mask, x_zero, w_zero, past = given(configuration, 9)
    attributes = configuration.attributes
    heads = attributes["num_heads"]
    qkv = np.split(integer_product(x, x_scale, x_zero, w, w_scale, w_zero, b), 3, -1)
    steps, keys = x.shape[1], x.shape[1] + (0 if past is None else past.shape[3])
    filtered = float(np.float32(attributes.get("mask_filter_value", -10000)))
    none = mask is None or (mask.ndim == 2 and mask.shape[1] == 1)
    added = None if none else np.where(seen(mask, len(x), steps, keys), 0, filtered)
    states = [None, None] if past is None else list(past)
    numbers = {"q_num_heads": heads, "kv_num_heads": heads, "is_causal": attributes.get("unidirectional", 0)}
    inner = dataclasses.replace(alike(configuration, "Attention", [*qkv, added, *states], **numbers), outputs=3)
    y, k, v = attention(inner)
    return [y, np.stack([k, v])][: configuration.outputs]


def seen(mask, batch, steps, keys):
    """Returns which keys a mask_index leaves visible, in a form that broadcasts to [batch, heads, steps, keys]."""
    if mask.ndim == 1:
        at, column = np.arange(keys), mask.reshape(-1, batch).T.reshape(batch, -1, 1)
        inside = at < column[:, :1]
        return (inside & (at >= column[:, 1:]) if column.shape[1] > 1 else inside)[:, None]
    if mask.ndim == 2:
        return mask[:, None, None] > 0
    return mask[:, None] > 0 if mask.ndim == 3 else mask[:, :, keys - steps : keys, :keys] > 0


@own("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(configuration):
    x, w, r, b, lengths, h, c, p, w_scale, w_zero, r_scale, r_zero = configuration.inputs
    weights = [weights_of(*found) for found in ((w, w_scale, w_zero), (r, r_scale, r_zero))]
    as_read = lambda v: real(*on_own_grid(v.astype(np.float32)))  # noqa: E731
    return recurrent(alike(configuration, "LSTM", [as_read(x), *weights, b, lengths, h, c, p]), as_read)


def weights_of(w, scale, zero):
    """Returns [directions, 4 * hidden, ...]."""
    by_row = [v.astype(np.float64).reshape(len(w), 1, -1) for v in (scale, zero)]
    return ((w.astype(np.float64) - by_row[1]) * by_row[0]).swapaxes(1, 2)
