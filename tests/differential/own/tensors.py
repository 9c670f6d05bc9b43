"""Operators that generate, move and compare elements."""

import functools

import numpy as np
from by_operator import own
from onnx import numpy_helper


@own("Optional")
def optional(configuration):
    return [configuration.inputs[0] if configuration.inputs else None]


@own("OneHot")
def one_hot(configuration):
    where, depth, (off, on) = configuration.inputs
    depth, places = int(depth.reshape(-1)[0]), where.astype(np.int64)
    # Before version 11, a negative index is out of range.
    places = np.where((places < 0) & (configuration.schema.since_version >= 11), places + depth, places)
    axis = configuration.attributes.get("axis", -1) % (where.ndim + 1)
    hot = np.expand_dims(places, axis) == np.arange(depth).reshape(
        [-1 if i == axis else 1 for i in range(where.ndim + 1)]
    )
    y = np.empty(hot.shape, configuration.inputs[2].dtype)
    y[...] = off
    y[hot] = on
    return [y]


def order(x, y):
    """Returns the sort order of two parts as -1, 0 or 1, with NaN last."""
    for a, b in zip(x.ravel().tolist(), y.ravel().tolist()):
        if a == b or (a != a and b != b):
            continue
        return -1 if b != b or (a == a and a < b) else 1
    return 0


@own("Unique")
def unique(configuration):
    x, a = configuration.inputs[0], configuration.attributes
    axis = a.get("axis")
    parts = [np.asarray(v) for v in x.ravel()] if axis is None else [p for p in np.moveaxis(x, axis, 0)]
    found, inverse = [], []
    for i, part in enumerate(parts):
        same = next((k for k, first in enumerate(found) if order(parts[first], part) == 0), len(found))
        found += [i] if same == len(found) else []
        inverse.append(same)
    ranks = list(range(len(found)))
    if a.get("sorted", 1):
        ranks.sort(key=functools.cmp_to_key(lambda i, j: order(parts[found[i]], parts[found[j]])))
    places = {rank: new for new, rank in enumerate(ranks)}
    first, inverse = [found[rank] for rank in ranks], [places[i] for i in inverse]
    counts = [inverse.count(i) for i in range(len(first))]
    y = x.ravel()[first] if axis is None else np.take(x, first, axis)
    return [y, *(np.array(v, np.int64) for v in (first, inverse, counts))][: configuration.outputs]


@own("Constant")
def constant(configuration):
    ((name, value),) = configuration.attributes.items()
    if name == "value":
        return [numpy_helper.to_array(value)]
    if name != "sparse_value":
        kind = {"int": np.int64, "str": object, "flo": np.float32}[name[6:9]]
        return [np.array(value, kind)]
    values, indices = numpy_helper.to_array(value.values), numpy_helper.to_array(value.indices)
    y = np.zeros(tuple(value.dims), values.dtype)
    places = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), y.shape)
    y.reshape(-1)[places] = values
    return [y]


WINDOWS = {"HannWindow": (0.5, 0.5, 0), "HammingWindow": (25 / 46, 21 / 46, 0), "BlackmanWindow": (0.42, 0.5, 0.08)}


@own(*WINDOWS)
def window(configuration):
    constant, once, twice = WINDOWS[configuration.schema.name]
    size = int(configuration.inputs[0])
    whole = size if configuration.attributes.get("periodic", 1) else size - 1
    angle = 2 * np.pi * np.arange(size) / whole
    return [constant - once * np.cos(angle) + twice * np.cos(2 * angle)]
