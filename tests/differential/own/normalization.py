"""Normalisations."""

import numpy as np
from by_operator import own


@own("BatchNormalization")
def batch_normalization(configuration):
    """Supports inference only, with a mean and variance for each channel or for each of its elements."""
    a = configuration.attributes
    if a.get("training_mode") or configuration.outputs > 1:
        raise NotImplementedError("training")
    x, *parameters = (v.astype(np.float64) for v in configuration.inputs)
    shape = [-1, *[1] * (x.ndim - 2)]
    scale, b, mean, variance = (v.reshape(shape) if a.get("spatial", 1) else v for v in parameters)
    epsilon = float(np.float32(a.get("epsilon", 1e-5)))
    return [(x - mean) / np.sqrt(variance + epsilon) * scale + b]


@own("MeanVarianceNormalization")
def mean_variance_normalization(configuration):
    x = configuration.inputs[0].astype(np.float64)
    a = configuration.attributes
    axes = (0, 1, 2, 3) if a.get("across_channels") else tuple(a.get("axes", (0, 2, 3)))
    centred = x - x.mean(axes, keepdims=True)
    if not a.get("normalize_variance", 1):
        return [centred]
    return [centred / (np.sqrt((centred**2).mean(axes, keepdims=True)) + 1e-9)]


@own("LRN")
def lrn(configuration):
    x, a = configuration.inputs[0].astype(np.float64), configuration.attributes
    defaults = {"alpha": 0.0001, "beta": 0.75, "bias": 1.0}
    alpha, beta, bias = (float(np.float32(a.get(name, value))) for name, value in defaults.items())
    size, channels = a["size"], x.shape[1]
    sums = np.zeros_like(x)
    for c in range(channels):
        around = range(max(0, c - (size - 1) // 2), min(channels - 1, c + size // 2) + 1)
        sums[:, c] = (x[:, list(around)] ** 2).sum(1)
    return [x / (bias + alpha / size * sums) ** beta]


def first_maximum(rows):
    return np.arange(rows.shape[-1]) == rows.argmax(-1)[..., None]


def logarithms_of_shares(rows):
    moved = rows - rows.max(-1, keepdims=True)
    return moved - np.log(np.exp(moved).sum(-1, keepdims=True))


ROWS = {
    "Hardmax": first_maximum,
    "LogSoftmax": logarithms_of_shares,
    "Softmax": lambda rows: np.exp(logarithms_of_shares(rows)),
}


@own(*ROWS)
def of_rows(configuration):
    """Before version 13, rows begin at the axis and extend to the end."""
    x, since = configuration.inputs[0].astype(np.float64), configuration.schema.since_version
    axis = configuration.attributes.get("axis", -1 if since >= 13 else 1) % max(x.ndim, 1)
    rows = np.moveaxis(x, axis, -1) if since >= 13 else x.reshape(*x.shape[:axis], -1)
    y = ROWS[configuration.schema.name](rows)
    return [np.moveaxis(y, -1, axis) if since >= 13 else y.reshape(x.shape)]
