"""Operators of com.microsoft that combine several of ONNX, and SimplifiedLayerNormalization."""

import numpy as np
from by_operator import family

from .elementwise import real_attributes
from .microsoft import OUTPUT_SCALES, finished, parameters, quantized
from .movement import positive
from .nn import image, spatial_attributes, stretch


def rows(draw, most=8):
    """Returns a shape of rank 2 or 3."""
    return positive(draw.shape(2, 3))[:-1] + (draw.integer(1, most),)


@family("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_layer_normalization(draw):
    kind, shape = draw.type("T"), rows(draw)
    draw.types["U"] = "float"
    skip = draw.choice((shape, (1, *shape[1:]), shape[1:])) if len(shape) == 3 else shape
    vector = lambda: draw.tensor(kind, shape[-1:], -2, 2)  # noqa: E731
    inputs = [draw.tensor(kind, shape, -3, 3), draw.tensor(kind, skip, -3, 3), vector()]
    centered = "beta" in {entry.name for entry in draw.schema.inputs}
    inputs += [vector() if draw.flag() else None for _ in range(2 if centered else 1)]
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    summed = np.asarray(inputs[0], np.float64) + np.asarray(inputs[1], np.float64)
    stretched = stretch(summed, (-1,), attributes.get("epsilon", 1e-12)) if summed.size else 0
    outputs = 4 if draw.rare() or "U" in draw.forced else 1
    return finished(draw, inputs, attributes, outputs=outputs, roundings=16, magnitude=stretched)


@family("SimplifiedLayerNormalization")
def simplified_layer_normalization(draw):
    kind, shape = draw.type("T"), positive(draw.shape(1, 4))
    axis = draw.integer(-len(shape), len(shape) - 1)
    attributes = {"axis": axis, **real_attributes(draw, ("epsilon",), 1e-5, 0.1)}
    scale_kind = draw.type("V", [kind])
    inputs = [draw.tensor(kind, shape, -3, 3), draw.tensor(scale_kind, shape[axis % len(shape) :], -3, 3)]
    stash = draw.type("U", ["float"])
    if stash == "double" or draw.rare():
        attributes["stash_type"] = {"float": 1, "double": 11}[stash]
    return finished(draw, inputs, attributes, outputs=draw.integer(1, 2), roundings=16)


@family("com.microsoft.EmbedLayerNormalization")
def embed_layer_normalization(draw):
    kind = draw.type("T")
    draw.types["T1"] = "int32"
    batch, length, hidden, words = (draw.integer(1, n) for n in (3, 5, 8, 9))
    ids = lambda rows, most: draw.tensor("int32", (rows, length), 0, most)  # noqa: E731
    table = lambda *shape: draw.tensor(kind, shape, -1, 1)  # noqa: E731
    segments = draw.flag()
    inputs = [ids(batch, words - 1), ids(batch, 1) if segments else None, table(words, hidden)]
    inputs += [table(length + 1, hidden), table(2, hidden) if segments else None, table(hidden), table(hidden)]
    inputs += [ids(batch, 1) if draw.flag() else None]
    inputs += [ids(draw.choice((1, batch)), length) if draw.flag() else None]
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    if draw.flag():
        attributes["mask_index_type"] = 1
    return finished(draw, inputs, attributes, outputs=draw.integer(1, 3), roundings=64, magnitude=64)


@family("com.microsoft.Gelu", "com.microsoft.BiasGelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu",
        "com.microsoft.BiasSplitGelu")  # fmt: skip
def gelu(draw):
    kind, shape = draw.type("T"), positive(draw.shape(1, 3))
    if draw.schema.name == "BiasSplitGelu":
        shape = (draw.integer(1, 2), draw.integer(1, 3), 2 * draw.integer(1, 20))
    inputs = [draw.tensor(kind, shape, -4, 4)]
    has_bias = draw.flag() if draw.schema.name == "FastGelu" else draw.schema.name.startswith("Bias")
    inputs += [draw.tensor(kind, shape[-1:], -2, 2)] if has_bias else []
    attributes = real_attributes(draw, ("alpha",), 0.5, 2)
    return finished(draw, inputs, attributes, roundings=8, magnitude=8)


@family("com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul", "com.microsoft.FusedMatMulActivation")
def fused_matmul(draw):
    kind = draw.type("T")
    m, k, n = (draw.integer(1, 9) for _ in range(3))
    batch = tuple(draw.integer(1, 3) for _ in range(draw.integer(0, 2)))
    attributes = {}
    if draw.flag():
        attributes["alpha"] = draw.real(0.25, 2)
    shapes = [operand(draw, attributes, letter, (*batch, *pair)) for letter, pair in (("A", (m, k)), ("B", (k, n)))]
    if "activation" in draw.schema.attributes:
        attributes.update(activation_by_name(draw))
    return finished(draw, [draw.tensor(kind, shape, -2, 2) for shape in shapes], attributes, roundings=16, magnitude=40)


def operand(draw, attributes, letter, shape):
    """Returns the shape that trans and transBatch convert to this one."""
    if draw.flag():
        attributes["trans" + letter] = draw.integer(0, 1)
    if "transBatch" + letter in draw.schema.attributes and len(shape) > 2 and draw.flag():
        attributes["transBatch" + letter] = draw.integer(0, 1)
    if attributes.get("trans" + letter):
        shape = (*shape[:-2], shape[-1], shape[-2])
    if attributes.get("transBatch" + letter):
        shape = (shape[-2], *shape[:-2], shape[-1])
    return shape


# Parameters in the attributes activation_alpha and so on.
PARAMETERS = {
    "Elu": ("alpha",), "HardSigmoid": ("alpha", "beta"), "LeakyRelu": ("alpha",), "Relu": (),
    "Selu": ("alpha", "gamma"), "Sigmoid": (), "Softplus": (), "Softsign": (), "Tanh": (),
    "ThresholdedRelu": ("alpha",),
}  # fmt: skip


def activation_by_name(draw):
    softmax = "activation_axis" in draw.schema.attributes and draw.rare()
    name = "Softmax" if softmax else draw.choice(sorted(PARAMETERS))
    values = {f"activation_{p}": draw.real(0.25, 1.25) for p in PARAMETERS.get(name, ())}
    return {"activation": name, **values, **({"activation_axis": draw.choice((-1, -2))} if softmax else {})}


@family("com.microsoft.FusedGemm")
def fused_gemm(draw):
    kind = draw.type("T")
    m, k, n = (draw.integer(1, 9) for _ in range(3))
    attributes = {name: draw.integer(0, 1) for name in ("transA", "transB") if draw.flag()}
    attributes.update({name: draw.real(0.25, 2) for name in ("alpha", "beta") if draw.flag()})
    attributes.update(activation_by_name(draw))
    shapes = [(k, m) if attributes.get("transA") else (m, k), (n, k) if attributes.get("transB") else (k, n)]
    if draw.flag():
        shapes.append(draw.choice(((m, n), (n,), (1, n), (m, 1), ())))
    return finished(draw, [draw.tensor(kind, shape, -2, 2) for shape in shapes], attributes, roundings=16, magnitude=40)


# The number of parameters in the list activation_params.
COUNTS = {"Relu": 0, "Sigmoid": 0, "Silu": 0, "Tanh": 0, "LeakyRelu": 1, "Clip": 2, "HardSigmoid": 2}


@family("com.microsoft.FusedConv", "com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv")
def fused_conv(draw):
    name, kind, group = draw.schema.name, draw.type("T"), draw.integer(1, 3)
    size, kernel = image(draw, draw.integer(1, 2))
    channels, out = draw.integer(1, 4), group * draw.integer(1, 4)
    attributes = {"group": group, **spatial_attributes(draw, len(size), size, kernel)}
    if draw.flag():
        attributes["kernel_shape"] = kernel
    last = name != "FusedConv"
    pixels = (*size, group * channels) if last else (group * channels, *size)
    weights = (out, *kernel, channels) if name == "NhwcConv" else (out, channels, *kernel)
    inputs = [draw.tensor(kind, (draw.integer(1, 2), *pixels), -2, 2), draw.tensor(kind, weights, -1, 1)]
    inputs.append(draw.tensor(kind, (out,), -1, 1) if draw.flag() else None)
    if "activation" in draw.schema.attributes and draw.flag():
        activation = draw.choice(sorted(COUNTS))
        attributes["activation"] = activation
        low = {"Clip": -1}.get(activation, 0.25)
        values = [draw.real(low, 0.5), draw.real(0.5, 2)][: COUNTS[activation]]
        attributes.update({"activation_params": values} if values else {})
    if "Z" in {entry.name for entry in draw.schema.inputs} and draw.flag():
        summand = with_spatial_output(draw, attributes, size, kernel, out, last, inputs[0].shape[0])
        inputs.append(draw.tensor(kind, summand, -2, 2))
    return finished(draw, inputs, attributes, roundings=16, magnitude=40)


def with_spatial_output(draw, attributes, size, kernel, out, last, batch):
    """Returns the shape of the convolution."""
    from own.windows import geometry

    lengths = geometry(finished(draw, [], attributes), size, kernel)[-1]
    return (batch, *lengths, out) if last else (batch, out, *lengths)


@family("com.microsoft.NhwcMaxPool")
def nhwc_max_pool(draw):
    kind, (size, kernel) = draw.type("T"), image(draw, draw.integer(1, 3))
    attributes = {"kernel_shape": kernel, **spatial_attributes(draw, len(size), size, kernel)}
    if draw.flag():
        attributes["ceil_mode"] = draw.integer(0, 1)
    x = draw.tensor(kind, (draw.integer(1, 2), *size, draw.integer(1, 40)), -128, 255)
    return finished(draw, [x], attributes)


@family("com.microsoft.BiasAdd")
def bias_add(draw):
    kind, shape = draw.type("T"), tuple(draw.integer(1, 5) for _ in range(3))
    return finished(draw, [draw.tensor(kind, s, -3, 3) for s in (shape, shape[-1:], shape)], magnitude=9)


@family("com.microsoft.GroupNorm", "com.microsoft.SkipGroupNorm")
def group_norm(draw):
    kind, parameter, groups = draw.type("T"), draw.type("M"), draw.integer(1, 3)
    channels, (height, width) = groups * draw.integer(1, 3), (draw.integer(2, 5) for _ in range(2))
    batch, last = draw.integer(1, 2), draw.integer(0, 1)
    attributes = {"groups": groups, "activation": draw.integer(0, 1), **real_attributes(draw, ("epsilon",), 1e-5, 0.1)}
    if not last or draw.flag():
        attributes["channels_last"] = last
    laid = lambda c, h, w: (batch, h, w, c) if last else (batch, c, h, w)  # noqa: E731
    shape = laid(channels, height, width)
    inputs = [draw.tensor(kind, shape, -3, 3), *(draw.tensor(parameter, (channels,), -2, 2) for _ in range(2))]
    outputs, low = 1, inputs[0].astype(np.float64)
    if draw.schema.name == "SkipGroupNorm":
        inputs.append(draw.tensor(kind, draw.choice((shape, laid(channels, 1, 1), (batch, channels))), -3, 3))
        inputs.append(draw.tensor(kind, (channels,), -2, 2) if draw.flag() else None)
        outputs = draw.integer(1, 2)
    stretched = stretch(np.moveaxis(low, -1, 1) if last else low, (2, 3), attributes.get("epsilon", 1e-5))
    return finished(draw, inputs, attributes, outputs=outputs, roundings=64, magnitude=4 * stretched)


@family("com.microsoft.QLinearReduceMean")
def qlinear_reduce_mean(draw):
    kind, shape = draw.type("T"), positive(draw.shape(1, 4))
    axes = sorted({draw.integer(0, len(shape) - 1) for _ in range(2)})
    attributes = {"axes": axes, "keepdims": draw.integer(0, 1)}
    return finished(draw, [*quantized(draw, kind, shape), *parameters(draw, kind, OUTPUT_SCALES)], attributes)


@family("com.microsoft.CDist")
def cdist(draw):
    kind, (m, n, k) = draw.type("T"), (draw.integer(1, 9) for _ in range(3))
    attributes = {"metric": draw.choice(("sqeuclidean", "euclidean"))} if draw.flag() else {}
    # Far enough apart to avoid cancellation.
    inputs = [draw.tensor(kind, (m, k), 1, 3), draw.tensor(kind, (n, k), -3, -1)]
    return finished(draw, inputs, attributes, roundings=32, magnitude=36 * k)
