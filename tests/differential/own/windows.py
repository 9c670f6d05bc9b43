"""Sliding windows: pooling and convolutions."""

import itertools

import numpy as np
from by_operator import own
from values import nearest_integers


def geometry(configuration, size, kernel):
    """Returns (strides, dilations, pads before, pads after, lengths of the output)."""
    a, rank = configuration.attributes, len(size)
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    auto, pads = a.get("auto_pad", "NOTSET"), a.get("pads", [0] * 2 * rank)
    before, behind, lengths = [], [], []
    for i in range(rank):
        span = (kernel[i] - 1) * dilations[i] + 1
        first, last = pads[i], pads[i + rank]
        if auto.startswith("SAME"):
            length = -(-size[i] // strides[i])
            total = max(0, (length - 1) * strides[i] + span - size[i])
            first = total // 2 if auto == "SAME_UPPER" else total - total // 2
            last = total - first
        elif auto == "VALID":
            first = last = 0
        if not auto.startswith("SAME"):
            room = size[i] + first + last - span
            length = room // strides[i] + 1
            if a.get("ceil_mode"):
                length = -(-room // strides[i]) + 1
                # No window begins after the input and the padding before it.
                length -= (length - 1) * strides[i] >= size[i] + first
        before.append(first)
        behind.append(last)
        lengths.append(length)
    return strides, dilations, before, behind, lengths


def windows(configuration, size, kernel):
    """Yields for each output position: (position, [(tap, position in the input)] of the taps inside the input, the
    number of taps inside the input or its padding)."""
    strides, dilations, before, behind, lengths = geometry(configuration, size, kernel)
    for at in itertools.product(*map(range, lengths)):
        taps, padded = [], 0
        for tap in itertools.product(*map(range, kernel)):
            place = [o * s - b + t * d for o, s, b, t, d in zip(at, strides, before, tap, dilations)]
            padded += all(p < n + e for p, n, e in zip(place, size, behind))
            if all(0 <= p < n for p, n in zip(place, size)):
                taps.append((tap, tuple(place)))
        yield at, taps, padded


@own("MaxPool", "AveragePool", "LpPool")
def pool(configuration):
    a, name, x = configuration.attributes, configuration.schema.name, configuration.inputs[0]
    size, kernel = x.shape[2:], a["kernel_shape"]
    lengths = geometry(configuration, size, kernel)[-1]
    wide = x if name == "MaxPool" else x.astype(np.float64)
    y, where = np.zeros((*x.shape[:2], *lengths), wide.dtype), np.zeros((*x.shape[:2], *lengths), np.int64)
    p = a.get("p", 2)
    for at, taps, padded in windows(configuration, size, kernel):
        values = np.stack([wide[(..., *place)] for _, place in taps], -1) if taps else np.zeros((*x.shape[:2], 0))
        if name == "AveragePool":
            y[(..., *at)] = values.sum(-1) / (padded if a.get("count_include_pad") else len(taps))
        elif name == "LpPool":
            y[(..., *at)] = (np.abs(values) ** p).sum(-1) ** (1 / p)
        elif taps:
            y[(..., *at)] = values.max(-1)
            order = "F" if a.get("storage_order") else "C"
            flat = np.array([np.ravel_multi_index(place, size, order=order) for _, place in taps])
            where[(..., *at)] = flat[values.argmax(-1)]
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * len(size)) * int(np.prod(size))
    return [y, where + planes][: configuration.outputs]


def convolve(configuration, x, w):
    """Returns the sums of products of x [N, C, ...] and w [M, C / group, ...]."""
    group, kernel = configuration.attributes.get("group", 1), w.shape[2:]
    lengths = geometry(configuration, x.shape[2:], kernel)[-1]
    y = np.zeros((len(x), len(w), *lengths), x.dtype)
    per_group, out = w.shape[1], len(w) // group
    for at, taps, _ in windows(configuration, x.shape[2:], kernel):
        for tap, place in taps:
            for g in range(group):
                image, weights = x[(slice(None), slice(g * per_group, (g + 1) * per_group), *place)], w[(..., *tap)]
                y[(slice(None), slice(g * out, (g + 1) * out), *at)] += image @ weights[g * out : (g + 1) * out].T
    return y


def by_channel(values, rank):
    """Reshapes a vector for axis 1 of a tensor with that many spatial axes."""
    return np.asarray(values).reshape(-1, *[1] * rank)


@own("Conv")
def conv(configuration):
    x, w, *b = (v.astype(np.float64) for v in configuration.inputs)
    y = convolve(configuration, x, w)
    return [y + by_channel(b[0], x.ndim - 2) if b else y]


def shifted(x, zero_point, axis):
    """Returns x - zero_point in a wide type, with one zero point, or one for each element of the axis."""
    wide = np.float64 if x.dtype.name.startswith("float8") else np.int64
    zero = np.zeros((), wide) if zero_point is None else zero_point.astype(wide)
    return x.astype(wide) - (zero.reshape(-1, *[1] * (x.ndim - 1 - axis)) if zero.size > 1 else zero.reshape(()))


@own("ConvInteger")
def conv_integer(configuration):
    x, w, x_zero, w_zero = (configuration.inputs + [None] * 2)[:4]
    return [wrapped(convolve(configuration, shifted(x, x_zero, 1), shifted(w, w_zero, 0)))]


def wrapped(sums):
    return sums.astype(np.int32)


@own("QLinearConv")
def qlinear_conv(configuration):
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, *b = configuration.inputs
    sums = convolve(configuration, shifted(x, x_zero, 1), shifted(w, w_zero, 0))
    if b:
        sums = sums + by_channel(b[0].astype(np.int64), x.ndim - 2)
    scale = x_scale.astype(np.float64) * by_channel(w_scale.astype(np.float64), x.ndim - 2) / y_scale.astype(np.float64)
    return [quantized(sums * scale, y_zero)]


@own("QLinearMatMul")
def qlinear_matmul(configuration):
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = configuration.inputs
    a, b = shifted(a, a_zero, a.ndim - 2), shifted(b, b_zero, b.ndim - 1)
    a_scale, b_scale, y_scale = (s.astype(np.float64) for s in (a_scale, b_scale, y_scale))
    scale = (a_scale.reshape(-1, 1) if a_scale.size > 1 else a_scale.reshape(())) * b_scale / y_scale
    return [quantized((a @ b) * scale, y_zero)]


@own("MatMulInteger")
def matmul_integer(configuration):
    a, b, a_zero, b_zero = (configuration.inputs + [None] * 2)[:4]
    return [wrapped(shifted(a, a_zero, a.ndim - 2) @ shifted(b, b_zero, b.ndim - 1))]


def quantized(values, zero_point):
    """Rounds, adds the zero point, and clamps to the type's range."""
    if zero_point.dtype.name.startswith("float8"):
        most = {"float8_e4m3fn": 448, "float8_e4m3fnuz": 240, "float8_e5m2": 57344, "float8_e5m2fnuz": 57344}
        limit = most[zero_point.dtype.name]
        moved = values + zero_point.astype(np.float64)
        return np.clip(moved, -limit, limit).astype(np.float32).astype(zero_point.dtype)
    return nearest_integers(np.rint(values) + zero_point.astype(np.float64), zero_point.dtype)


@own("ConvTranspose")
def conv_transpose(configuration):
    a = configuration.attributes
    x, w, *b = (v.astype(np.float64) for v in configuration.inputs)
    group, kernel, size, rank = a.get("group", 1), w.shape[2:], x.shape[2:], x.ndim - 2
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    extra = a.get("output_padding", [0] * rank)
    before, lengths = transposed_geometry(a, size, kernel, strides, dilations, extra)
    out, per_group = w.shape[1], x.shape[1] // group
    y = np.zeros((len(x), out * group, *lengths))
    for place in itertools.product(*map(range, size)):
        for tap in itertools.product(*map(range, kernel)):
            at = [p * s + t * d - f for p, s, t, d, f in zip(place, strides, tap, dilations, before)]
            if not all(0 <= i < n for i, n in zip(at, lengths)):
                continue
            for g in range(group):
                channels = slice(g * per_group, (g + 1) * per_group)
                image, weights = x[(slice(None), channels, *place)], w[(channels, slice(None), *tap)]
                y[(slice(None), slice(g * out, (g + 1) * out), *at)] += image @ weights
    return [y + by_channel(b[0], rank) if b else y]


def transposed_geometry(a, size, kernel, strides, dilations, extra):
    """Returns (pads before, lengths of the output) of a transposed convolution."""
    rank, auto, pads = len(size), a.get("auto_pad", "NOTSET"), a.get("pads", [0] * 2 * len(size))
    before, lengths = [], []
    for i in range(rank):
        whole = strides[i] * (size[i] - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1
        if "output_shape" in a or auto.startswith("SAME"):
            length = a["output_shape"][-rank:][i] if "output_shape" in a else size[i] * strides[i]
            total = whole - length
            before.append(total // 2 if auto == "SAME_UPPER" else total - total // 2)
        else:
            before.append(0 if auto == "VALID" else pads[i])
            length = whole - (0 if auto == "VALID" else pads[i] + pads[i + rank])
        lengths.append(length)
    return before, lengths


@own("Col2Im")
def col2im(configuration):
    x, image, block = configuration.inputs
    a, rank, wide = configuration.attributes, len(image), np.result_type(x.dtype, np.int64)
    if x.dtype.kind not in "iuc":
        wide = np.float64
    channels = x.shape[1] // int(np.prod(block))
    y = np.zeros((len(x), channels, *image), np.complex128 if x.dtype.kind == "c" else wide)
    columns = x.reshape(len(x), channels, *block, -1)
    for i, (_, taps, _) in enumerate(windows(configuration, list(image), list(block))):
        for tap, place in taps:
            y[(..., *place)] += columns[(slice(None), slice(None), *tap, i)]
    assert rank == len(configuration.attributes.get("strides", block)), a
    return [y.astype(x.dtype) if x.dtype.kind in "iu" else y]
