"""Operators of com.microsoft on quantised tensors."""

import numpy as np
from by_operator import family
from configuration import Configuration

from .elementwise import broadcast_pair, trim
from .integer_products import grouped
from .movement import positive
from .nn import image, spatial_attributes

# Quotients of powers of two are exact. Those of the other scales are not close to the midpoint between two integers.
SCALES, OUTPUT_SCALES = (0.25, 0.5, 1.0, 0.037159167, 0.113190737), (0.25, 0.5, 1.0, 0.073129113)


def one(draw, x):
    """Returns a parameter of one element. ONNX Runtime accepts vectors only for some operators."""
    return np.asarray(x).reshape((1,) if draw.rare() and draw.rare() else ())


def scale(draw, options=SCALES):
    return one(draw, np.float32(draw.choice(options)))


def zero_point(draw, kind):
    return one(draw, draw.tensor(kind, (), -3, 9))


def parameters(draw, kind, options=SCALES, optional=True):
    """Returns a scale and a zero point."""
    return [scale(draw, options), None if optional and draw.rare() else zero_point(draw, kind)]


def quantized(draw, kind, shape, optional=True):
    """Returns a tensor, its scale and its zero point."""
    return [draw.tensor(kind, shape, -128, 255), *parameters(draw, kind, optional=optional)]


def of_columns(draw, kind, n):
    """Returns the scale and the zero point of weights: one, or one for each column."""
    if draw.flag():
        return parameters(draw, kind)
    found = draw.tensor("float", (n,), 0.02, 0.5)
    return [found, draw.tensor(kind, (n,), -3, 9) if draw.flag() else None]


def of_kernels(draw, kind, allowed):
    """Returns types for which ONNX Runtime has a kernel together with `kind`, and occasionally any."""
    return None if draw.rare() else allowed[kind]


# Types of weights, by the type of the other factor.
WEIGHTS = {"uint8": ("int8", "uint8"), "int8": ("int8",)}
SAME = {"uint8": ("uint8",), "int8": ("int8",)}


def finished(draw, inputs, attributes=None, **more):
    return Configuration(draw.schema, trim(inputs), attributes or {}, types=draw.types, **more)


@family("com.microsoft.QLinearAdd", "com.microsoft.QLinearMul")
def qlinear_arithmetic(draw):
    kind, (a, b) = draw.type("T"), broadcast_pair(draw)
    inputs = [*quantized(draw, kind, a), *quantized(draw, kind, b), *parameters(draw, kind, OUTPUT_SCALES)]
    return finished(draw, inputs)


@family("com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu")
def qlinear_activation(draw):
    kind = draw.type("T")
    attributes = {"alpha": draw.real(0, 1)} if "alpha" in draw.schema.attributes and draw.flag() else {}
    inputs = [*quantized(draw, kind, positive(draw.shape())), *parameters(draw, kind, (0.0079, 0.0731, 0.0301))]
    return finished(draw, inputs, attributes)


@family("com.microsoft.QLinearSoftmax")
def qlinear_softmax(draw):
    kind, shape = draw.type("T"), positive(draw.shape(1, 3))
    attributes = {"opset": draw.choice((11, 13))}
    if draw.flag():
        attributes["axis"] = draw.integer(-len(shape), len(shape) - 1)
    x = quantized(draw, kind, shape)
    return finished(draw, [*x, *parameters(draw, kind, (1 / 256, 0.0079), optional=False)], attributes)


@family("com.microsoft.QLinearWhere")
def qlinear_where(draw):
    kind, (a, b) = draw.type("T"), broadcast_pair(draw)
    draw.types.update(B="bool", TF="float")
    condition = draw.tensor("bool", draw.choice((a, b)))
    inputs = [*quantized(draw, kind, a, False), *quantized(draw, kind, b, False)]
    return finished(draw, [condition, *inputs, *parameters(draw, kind, OUTPUT_SCALES, False)])


@family("com.microsoft.QLinearConcat")
def qlinear_concat(draw):
    # TV is the type of tensors, scales and zero points. Each of them may have another type.
    kind, shape = draw.forced.get("TV"), list(positive(draw.shape(1, 3)))
    kind = draw.type("T8") if kind in (None, "float") else kind
    draw.types.update(T8=kind, TV=draw.forced.get("TV", kind), TF="float")
    axis, inputs = draw.integer(-len(shape), len(shape) - 1), parameters(draw, kind, OUTPUT_SCALES, False)
    for _ in range(draw.integer(1, 3)):
        shape[axis] = draw.integer(1, 5)
        inputs += quantized(draw, kind, tuple(shape), False)
    return finished(draw, inputs, {"axis": axis})


def with_channels(draw, size, channels, attributes):
    """Returns the shape of a batch of images, occasionally channels-last."""
    batch, last = draw.integer(1, 2), draw.integer(0, 1)
    if last or draw.flag():
        attributes["channels_last"] = last
    return (batch, *size, channels) if last else (batch, channels, *size)


@family("com.microsoft.QLinearGlobalAveragePool")
def qlinear_global_average_pool(draw):
    kind, attributes = draw.type("T"), {}
    size = [draw.integer(1, 7) for _ in range(draw.integer(1, 3))]
    x = quantized(draw, kind, with_channels(draw, size, draw.integer(1, 40), attributes), False)
    # ONNX Runtime multiplies the sum by a rounded factor, so no mean may be at the midpoint between two integers.
    return finished(draw, [*x, *parameters(draw, kind, (0.073129113, 0.231907319), False)], attributes)


@family("com.microsoft.QLinearAveragePool")
def qlinear_average_pool(draw):
    kind, rank = draw.type("T"), draw.integer(1, 3)
    size, kernel = image(draw, rank)
    attributes = {"kernel_shape": kernel, **spatial_attributes(draw, rank, size, kernel)}
    for name in ("ceil_mode", "count_include_pad"):
        if draw.flag():
            attributes[name] = draw.integer(0, 1)
    x = quantized(draw, kind, with_channels(draw, size, draw.integer(1, 40), attributes))
    return finished(draw, [*x, *parameters(draw, kind, OUTPUT_SCALES)], attributes)


@family("com.microsoft.QLinearConv")
def qlinear_conv(draw):
    x_kind = draw.type("T1")
    w_kind = draw.type("T2", of_kernels(draw, x_kind, WEIGHTS))
    y_kind = draw.type("T3", of_kernels(draw, x_kind, SAME))
    draw.types["T4"] = "int32"
    size, kernel = image(draw, draw.integer(1, 2))
    attributes, group, channels, out = spatial(draw, size, kernel)
    x = quantized(draw, x_kind, with_channels(draw, size, group * channels, attributes), False)
    w = draw.tensor(w_kind, (out, channels, *kernel), -20, 20)
    w_scale = draw.tensor("float", (out,), 0.02, 0.1) if draw.flag() else scale(draw)
    w_zero = np.zeros(out, w.dtype) if w_scale.size > 1 and draw.flag() else zero_point(draw, w_kind)
    inputs = [*x, w, w_scale, w_zero, *parameters(draw, y_kind, OUTPUT_SCALES, False)]
    return finished(draw, [*inputs, draw.tensor("int32", (out,), -50, 50) if draw.flag() else None], attributes)


def spatial(draw, size, kernel):
    attributes, group, channels, out = grouped(draw, size, kernel)
    attributes.update({k: v[: len(size)] for k, v in attributes.items() if k in ("strides", "dilations")})
    if "pads" in attributes:
        attributes["pads"] = [draw.integer(0, max(0, k - 1)) for k in kernel * 2]
    return attributes, group, channels, out


@family("com.microsoft.QuantizeLinear")
def quantize_linear(draw):
    shape, axis = positive(draw.shape(1, 3)), None
    attributes, count = {}, ()
    if draw.flag():
        axis = draw.integer(-len(shape), len(shape) - 1)
        attributes, count = {"axis": axis}, (shape[axis],)
    x_kind, kind = draw.type("T1"), draw.type("T2")
    inputs = [draw.tensor(x_kind, shape, -90, 90), draw.tensor(x_kind, count, 0.25, 1)]
    if kind != "uint8" or draw.flag():
        inputs.append(draw.tensor(kind, count, 0, 3))
    return finished(draw, inputs, attributes)


@family("com.microsoft.DequantizeLinear")
def dequantize_linear(draw):
    shape = positive(draw.shape(1, 3))
    attributes, count = {}, ()
    if draw.flag():
        axis = draw.integer(-len(shape), len(shape) - 1)
        attributes, count = {"axis": axis}, (shape[axis],)
    kind = draw.type("T1")
    inputs = [draw.tensor(kind, shape, -300, 300), draw.tensor(draw.type("T2"), count, 0.25, 1)]
    if kind != "int32" and draw.flag():
        inputs.append(draw.tensor(kind, count, 0, 3))
    return finished(draw, inputs, attributes)
