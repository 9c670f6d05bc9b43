"""Products of quantised tensors."""

import numpy as np
from by_operator import family
from configuration import Configuration

from .elementwise import trim
from .movement import positive
from .nn import image, spatial_attributes


def zero_point(draw, kind, count=1):
    """Returns one zero point, or occasionally one for each of `count`."""
    return draw.tensor(kind, (count,) if count > 1 and draw.rare() else (), 0, 3)


@family("MatMulInteger")
def matmul_integer(draw):
    m, k, n = (draw.count(9) for _ in range(3))
    types = [draw.type("T1"), draw.type("T2")]
    draw.types["T3"] = "int32"
    inputs = [draw.tensor(types[0], (m, k), -128, 255), draw.tensor(types[1], (k, n), -128, 255)]
    inputs += [zero_point(draw, t, count) if draw.flag() else None for t, count in zip(types, (m, n))]
    return Configuration(draw.schema, trim(inputs), {}, types=draw.types)


@family("ConvInteger")
def conv_integer(draw):
    size, kernel = image(draw, 2)
    types = [draw.type("T1"), draw.type("T2")]
    draw.types["T3"] = "int32"
    attributes, group, channels, out = grouped(draw, size, kernel)
    inputs = [draw.tensor(types[0], (draw.count(2), group * channels, *size), -128, 255)]
    inputs += [draw.tensor(types[1], (out, channels, *kernel), -128, 255)]
    inputs += [zero_point(draw, t, count) if draw.flag() else None for t, count in zip(types, (1, out))]
    return Configuration(draw.schema, trim(inputs), attributes, types=draw.types)


def grouped(draw, size, kernel):
    """Returns (attributes of a convolution, groups, channels of each, outputs)."""
    attributes, group = spatial_attributes(draw, 2, size, kernel), draw.integer(1, 3)
    if group > 1 or draw.flag():
        attributes["group"] = group
    if draw.flag():
        attributes["kernel_shape"] = kernel
    return attributes, group, draw.integer(1, 3), group * draw.integer(1, 3)


@family("QLinearMatMul")
def qlinear_matmul(draw):
    m, k, n = (draw.integer(1, 7) for _ in range(3))
    scale = draw.type("TS") if draw.schema.since_version >= 21 else "float"
    inputs = []
    for variable, shape, count in (("T1", (m, k), m), ("T2", (k, n), n), ("T3", None, 1)):
        kind = draw.type(variable)
        if shape:
            inputs.append(draw.tensor(kind, shape, -20, 20))
        # One for all, or for each row of the first and each column of the second. With powers of two, a quotient is
        # never close to the midpoint between two integers.
        each = (count,) if count > 1 and draw.rare() else ()
        inputs += [draw.tensor(scale, each, 0.5, 0.5), draw.tensor(kind, each, 0, 3)]
    return Configuration(draw.schema, inputs, {}, types=draw.types)


@family("QLinearConv")
def qlinear_conv(draw):
    size, kernel = image(draw, 2)
    attributes, group, channels, out = grouped(draw, size, kernel)
    inputs = []
    images, weights = (draw.count(2), group * channels, *size), (out, channels, *kernel)
    for variable, shape in (("T1", images), ("T2", weights), ("T3", None)):
        kind = draw.type(variable)
        if shape:
            inputs.append(draw.tensor(kind, shape, -20, 20))
        # The weights may have a scale and a zero point for each output.
        count = out if variable == "T2" else 1
        scale = np.array([draw.choice((0.25, 0.5, 1.0)) for _ in range(count)], np.float32)
        inputs += [scale if count > 1 and draw.flag() else scale[0].reshape(()), zero_point(draw, kind, count)]
    draw.types["T4"] = "int32"
    if draw.flag():
        inputs.append(draw.tensor("int32", (out,), -50, 50))
    return Configuration(draw.schema, inputs, attributes, types=draw.types)


@family("DynamicQuantizeLinear")
def dynamic_quantize_linear(draw):
    draw.types.update(T1="float", T2="uint8")
    low, high = draw.choice(((-3, 3), (0.5, 2), (-9, -1), (-1e-30, 1e-30), (0, 0)))
    return Configuration(draw.schema, [draw.tensor("float", positive(draw.shape(0, 3)), low, high)], {}, 3, draw.types)
