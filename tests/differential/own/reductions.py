"""Reductions."""

import math

import numpy as np
from by_operator import own


def wrapped(value, bits, signed):
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value


def reduced_axes(configuration):
    """Returns None if nothing is reduced."""
    a, x = configuration.attributes, configuration.inputs[0]
    axes = configuration.inputs[1] if len(configuration.inputs) > 1 else a.get("axes", [])
    axes = tuple(int(axis) % x.ndim for axis in (() if axes is None else axes))
    if not axes and a.get("noop_with_empty_axes"):
        return None
    return axes or tuple(range(x.ndim))


@own("ReduceL1", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce_integers(configuration):
    """Uses sums of 64 bits, which wrap around. A mean is truncated to an integer."""
    x, name, axes = configuration.inputs[0], configuration.schema.name, reduced_axes(configuration)
    if x.dtype.kind not in "iu" or axes is None:
        raise NotImplementedError("integers, along some axes")
    step = {"ReduceL1": abs, "ReduceSumSquare": lambda v: v * v}.get(name, lambda v: v)
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*rest, *axes).reshape(*[x.shape[axis] for axis in rest], -1)
    y = np.zeros(rows.shape[:-1], x.dtype)
    signed, bits = x.dtype.kind == "i", 8 * x.dtype.itemsize
    for at in np.ndindex(y.shape):
        values = [step(v) for v in rows[at].tolist()]
        total = wrapped(math.prod(values) if name == "ReduceProd" else sum(values), 64, signed)
        if name == "ReduceMean" and values:
            total = abs(total) // len(values) * (-1 if total < 0 else 1)
        y[at] = wrapped(total, bits, signed)
    return [np.expand_dims(y, sorted(axes)) if configuration.attributes.get("keepdims", 1) else y]


@own("ReduceLogSum", "ReduceLogSumExp")
def reduce_logarithms(configuration):
    # Without axes, each element is reduced separately.
    x, axes = configuration.inputs[0].astype(np.float64), reduced_axes(configuration) or ()
    most = np.zeros(())
    if configuration.schema.name == "ReduceLogSumExp":
        most = x.max(axes, keepdims=True, initial=-np.inf)
        x = np.exp(x - np.where(np.isfinite(most), most, 0))
    y = np.where(np.isfinite(most), most, 0) + np.log(x.sum(axes, keepdims=True))
    y = y if configuration.attributes.get("keepdims", 1) else y.squeeze(axes)
    return [np.trunc(y) if configuration.inputs[0].dtype.kind in "iu" else y]


@own("GlobalMaxPool")
def global_max_pool(configuration):
    x = configuration.inputs[0]
    return [x.max(tuple(range(2, x.ndim)), keepdims=True)]
