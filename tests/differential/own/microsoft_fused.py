"""Operators of com.microsoft that combine several of ONNX, according to their documentation, in float64."""

import numpy as np
from by_operator import own

from .microsoft import given, real, rounded
from .recurrent import ACTIVATIONS
from .windows import by_channel, convolve, pool


def wide(values):
    return [None if x is None else x.astype(np.float64) for x in values]


def number(configuration, name, default):
    return float(np.float32(configuration.attributes.get(name, default)))


def normalized(x, axes, epsilon, centered=True):
    """Returns the rows normalised over the axes, their mean and their factor."""
    mean = x.mean(axes, keepdims=True)
    rest = x - mean if centered else x
    factor = 1 / np.sqrt((rest**2).mean(axes, keepdims=True) + epsilon)
    return rest * factor, mean, factor


@own("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_layer_normalization(configuration):
    centered = configuration.schema.name == "SkipLayerNormalization"
    x, skip, gamma, *rest = wide(given(configuration, 5 if centered else 4))
    beta, bias = rest if centered else (None, *rest)
    total = x + skip + (0 if bias is None else bias)
    y, mean, factor = normalized(total, (-1,), number(configuration, "epsilon", 1e-12), centered)
    mean = mean if centered else 0 * mean
    return [y * gamma + (0 if beta is None else beta), mean, factor, total][: configuration.outputs]


@own("LayerNormalization", "SimplifiedLayerNormalization")
def layer_normalization(configuration):
    centered = configuration.schema.name == "LayerNormalization"
    x, scale, b = wide(given(configuration, 3))
    axes = tuple(range(configuration.attributes.get("axis", -1) % x.ndim, x.ndim))
    y, mean, factor = normalized(x, axes, number(configuration, "epsilon", 1e-5), centered)
    y = y * scale + (0 if b is None else b)
    return ([y, mean, factor] if centered else [y, factor])[: configuration.outputs]


@own("com.microsoft.EmbedLayerNormalization")
def embed_layer_normalization(configuration):
    ids, segments, words, positions, segment, gamma, beta, mask, places = given(configuration, 9)
    total = words.astype(np.float64)[ids]
    total = total + positions.astype(np.float64)[np.arange(ids.shape[1]) if places is None else places]
    total = total if segments is None else total + segment.astype(np.float64)[segments]
    y = normalized(total, (-1,), number(configuration, "epsilon", 1e-12))[0] * wide([gamma])[0] + wide([beta])[0]
    count = np.zeros(len(ids), np.int32) if mask is None else (mask == 1).sum(1).astype(np.int32)
    return [y, count, total][: configuration.outputs]


def erf(x):
    from math import erf as of_one

    return np.vectorize(of_one, otypes=[np.float64])(x)


def gelu_of(x):
    return x / 2 * (1 + erf(x / np.sqrt(2)))


def swish(x, alpha=1):
    return x / (1 + np.exp(-alpha * x))


@own("com.microsoft.Gelu", "com.microsoft.BiasGelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu",
     "com.microsoft.BiasSplitGelu")  # fmt: skip
def gelu(configuration):
    x, bias = wide(given(configuration, 2))
    x = x if bias is None else x + bias
    name = configuration.schema.name
    if name == "FastGelu":
        return [x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))]
    if name == "QuickGelu":
        return [swish(x, number(configuration, "alpha", 1.702))]
    left, right = np.split(x, 2, -1) if name == "BiasSplitGelu" else (1, x)
    return [left * gelu_of(right)]


def ordered(configuration, letter, x):
    a = configuration.attributes
    x = np.moveaxis(x, 0, -2) if a.get("transBatch" + letter) else x
    return x.swapaxes(-1, -2) if a.get("trans" + letter) else x


def activated(configuration, y):
    a = configuration.attributes
    name = a.get("activation")
    values = [float(np.float32(v)) for v in a.get("activation_params", ())]
    alpha = values[0] if values else number(configuration, "activation_alpha", 0)
    if name in (None, "Selu", "Silu", "Clip", "Softmax"):
        axis, gamma = a.get("activation_axis", -1), number(configuration, "activation_gamma", 0)
        powers = np.exp(y - y.max(axis, keepdims=True))
        return {
            None: lambda: y,
            "Clip": lambda: np.clip(y, *values),
            "Selu": lambda: gamma * np.where(y > 0, y, alpha * np.expm1(y)),
            "Silu": lambda: swish(y),
            "Softmax": lambda: powers / powers.sum(axis, keepdims=True),
        }[name]()
    beta = values[1] if len(values) > 1 else number(configuration, "activation_beta", 0)
    return ACTIVATIONS[name][0](y, alpha, beta)


@own("com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul", "com.microsoft.FusedMatMulActivation")
def fused_matmul(configuration):
    a, b = (ordered(configuration, letter, x) for letter, x in zip("AB", wide(configuration.inputs)))
    return [activated(configuration, number(configuration, "alpha", 1) * (a @ b))]


@own("com.microsoft.FusedGemm")
def fused_gemm(configuration):
    a, b, c = wide(given(configuration, 3))
    y = number(configuration, "alpha", 1) * (ordered(configuration, "A", a) @ ordered(configuration, "B", b))
    return [activated(configuration, y if c is None else y + number(configuration, "beta", 1) * c)]


@own("com.microsoft.FusedConv", "com.microsoft.NhwcConv", "com.microsoft.NhwcFusedConv")
def fused_conv(configuration):
    x, w, b, z = wide(given(configuration, 4))
    last = configuration.schema.name != "FusedConv"
    w = np.moveaxis(w, -1, 1) if configuration.schema.name == "NhwcConv" else w
    y = convolve(configuration, np.moveaxis(x, -1, 1) if last else x, w)
    y = y if b is None else y + by_channel(b, x.ndim - 2)
    y = np.moveaxis(y, 1, -1) if last else y
    return [activated(configuration, y if z is None else y + z)]


@own("com.microsoft.NhwcMaxPool")
def nhwc_max_pool(configuration):
    from .microsoft import alike

    x = np.moveaxis(configuration.inputs[0], -1, 1)
    return [np.moveaxis(pool(alike(configuration, "MaxPool", [x]))[0], 1, -1)]


@own("com.microsoft.BiasAdd")
def bias_add(configuration):
    return [sum(wide(configuration.inputs))]


@own("com.microsoft.GroupNorm", "com.microsoft.SkipGroupNorm")
def group_norm(configuration):
    x, gamma, beta, skip, bias = wide(given(configuration, 5))
    a = configuration.attributes
    last = a.get("channels_last", 1)
    first = lambda v: v if v is None else np.moveaxis(v, -1, 1) if last and v.ndim == 4 else v  # noqa: E731
    x, skip = first(x), first(skip)
    total = x if bias is None else x + by_channel(bias, 2)
    total = total if skip is None else total + skip.reshape(*skip.shape[:2], *(skip.shape[2:] or (1, 1)))
    groups = total.reshape(len(x), a["groups"], -1)
    y = normalized(groups, (-1,), number(configuration, "epsilon", 1e-5))[0].reshape(x.shape)
    y = y * by_channel(gamma, 2) + by_channel(beta, 2)
    y = swish(y) if a["activation"] else y
    return [np.moveaxis(v, 1, -1) if last else v for v in (y, total)][: configuration.outputs]


@own("com.microsoft.QLinearReduceMean")
def qlinear_reduce_mean(configuration):
    x, x_scale, x_zero, scale, zero = given(configuration, 5)
    a = configuration.attributes
    mean = real(x, x_scale, x_zero).mean(tuple(a["axes"]), keepdims=bool(a["keepdims"]))
    return [rounded(mean, scale, zero, x.dtype)]


@own("com.microsoft.CDist")
def cdist(configuration):
    a, b = wide(configuration.inputs)
    square = ((a[:, None] - b[None]) ** 2).sum(-1)
    return [np.sqrt(square) if configuration.attributes.get("metric") == "euclidean" else square]
