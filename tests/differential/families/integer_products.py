"""Products of quantized tensors."""

import numpy as np
from configuration import Configuration

from .elementwise import trim
from .nn import image, spatial_attributes
from .by_operator import family


def zero_point(draw, kind, shape=()):
    return draw.tensor(kind, shape, 0, 3)


@family("MatMulInteger")
def matmul_integer(draw):
    m, k, n = (draw.integer(1, 9) for _ in range(3))
    types = [draw.type("T1"), draw.type("T2")]
    draw.types["T3"] = "int32"
    inputs = [draw.tensor(types[0], (m, k), -128, 255), draw.tensor(types[1], (k, n), -128, 255)]
    inputs += [zero_point(draw, t) if draw.flag() else None for t in types]
    return Configuration(draw.schema, trim(inputs), {}, types=draw.types)


@family("ConvInteger")
def conv_integer(draw):
    size, kernel = image(draw, 2)
    types = [draw.type("T1"), draw.type("T2")]
    draw.types["T3"] = "int32"
    channels, out = draw.integer(1, 3), draw.integer(1, 4)
    inputs = [draw.tensor(types[0], (1, channels, *size), -128, 255)]
    inputs += [draw.tensor(types[1], (out, channels, *kernel), -128, 255)]
    inputs += [zero_point(draw, t) if draw.flag() else None for t in types]
    return Configuration(draw.schema, trim(inputs), spatial_attributes(draw, 2, size, kernel), types=draw.types)


@family("QLinearMatMul")
def qlinear_matmul(draw):
    m, k, n = (draw.integer(1, 7) for _ in range(3))
    scale = draw.type("TS") if draw.schema.since_version >= 21 else "float"
    inputs = []
    for variable, shape in (("T1", (m, k)), ("T2", (k, n)), ("T3", None)):
        kind = draw.type(variable)
        if shape:
            inputs.append(draw.tensor(kind, shape, -20, 20))
        # Powers of two: a quotient never lies just beside the middle between two integers.
        inputs += [draw.tensor(scale, (), 0.5, 0.5), zero_point(draw, kind)]
    return Configuration(draw.schema, inputs, {}, types=draw.types)


@family("QLinearConv")
def qlinear_conv(draw):
    size, kernel = image(draw, 2)
    channels, out = draw.integer(1, 3), draw.integer(1, 4)
    inputs = []
    for variable, shape in (("T1", (1, channels, *size)), ("T2", (out, channels, *kernel)), ("T3", None)):
        kind = draw.type(variable)
        if shape:
            inputs.append(draw.tensor(kind, shape, -20, 20))
        inputs += [np.asarray(0.5, np.float32), zero_point(draw, kind)]
    draw.types["T4"] = "int32"
    if draw.flag():
        inputs.append(draw.tensor("int32", (out,), -50, 50))
    return Configuration(draw.schema, inputs, spatial_attributes(draw, 2, size, kernel), types=draw.types)


@family("DynamicQuantizeLinear")
def dynamic_quantize_linear(draw):
    draw.types.update(T1="float", T2="uint8")
    return Configuration(draw.schema, [draw.tensor("float", (draw.integer(2, 40),))], {}, 3, draw.types)
