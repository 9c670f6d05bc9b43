"""Operators of com.microsoft that move elements, and experimental ones that ONNX Runtime still has."""

import numpy as np
from by_operator import own

from .microsoft import given
from .microsoft_fused import number


@own("com.microsoft.GatherND")
def gather_nd(configuration):
    x, where = configuration.inputs
    return [x[tuple(np.moveaxis(where, -1, 0))]]


@own("com.microsoft.Pad")
def pad(configuration):
    x, pads, value = given(configuration, 3)
    before, after = pads.reshape(2, -1)
    mode = configuration.attributes.get("mode", "constant")
    filled = {"constant_values": 0 if value is None else value.reshape(())} if mode == "constant" else {}
    return [np.pad(x, list(zip(before, after)), mode=mode, **filled)]


@own("com.microsoft.Trilu")
def trilu(configuration):
    x, k = given(configuration, 2)
    row, column = np.indices(x.shape[-2:])
    offset = column - row - (0 if k is None else int(k))
    kept = offset >= 0 if configuration.attributes.get("upper", 1) else offset <= 0
    return [np.where(kept, x, np.zeros((), x.dtype))]


@own("com.microsoft.ExpandDims")
def expand_dims(configuration):
    return [np.expand_dims(configuration.inputs[0], int(configuration.inputs[1]))]


@own("com.microsoft.Range")
def ranges(configuration):
    start, limit, step = (1 if x is None else x.reshape(()).item() for x in given(configuration, 3))
    return [np.arange(start, limit, step).astype(configuration.inputs[0].dtype)]


@own("com.microsoft.Unique")
def unique(configuration):
    y, first, places, counts = np.unique(configuration.inputs[0], True, True, True)
    order = np.argsort(first)
    rank = np.argsort(order)
    return [y[order], rank[places.reshape(-1)], counts[order]]


@own("Affine", "Scale", "ScaledTanh", "ParametricSoftplus")
def experimental_function(configuration):
    x, name = configuration.inputs[0].astype(np.float64), configuration.schema.name
    alpha, beta = number(configuration, "alpha", 1), number(configuration, "beta", 0)
    return [
        {
            "Affine": lambda: alpha * x + beta,
            "ParametricSoftplus": lambda: alpha * np.log1p(np.exp(beta * x)),
            "Scale": lambda: number(configuration, "scale", 1) * x,
            "ScaledTanh": lambda: alpha * np.tanh(beta * x),
        }[name]()
    ]


@own("Crop")
def crop(configuration):
    x, (left, top, right, bottom) = configuration.inputs[0], configuration.attributes["border"]
    height, width = configuration.attributes.get("scale", (x.shape[2] - top - bottom, x.shape[3] - left - right))
    return [x[:, :, top : top + height, left : left + width]]


@own("ImageScaler")
def image_scaler(configuration):
    bias = np.array(configuration.attributes["bias"], np.float32).astype(np.float64).reshape(-1, 1, 1)
    return [number(configuration, "scale", 1) * configuration.inputs[0].astype(np.float64) + bias]


@own("DynamicSlice")
def dynamic_slice(configuration):
    x, starts, ends, axes = given(configuration, 4)
    parts = [slice(None)] * x.ndim
    for axis, start, end in zip(range(x.ndim) if axes is None else axes, starts, ends):
        parts[axis] = slice(int(start), int(end))
    return [x[tuple(parts)]]
