"""Windows and spectra."""

import numpy as np
from by_operator import family
from configuration import Configuration
from values import element_type

from .elementwise import trim
from .movement import int64s


def whole(draw, variable, value):
    """Returns a scalar of int32 or int64."""
    return np.asarray(value, np.int32 if draw.type(variable) == "int32" else np.int64)


@family("HannWindow", "HammingWindow", "BlackmanWindow")
def window(draw):
    attributes = {"periodic": draw.integer(0, 1)} if draw.flag() else {}
    attributes["output_datatype"] = element_type(draw.type("T2", ("float", "double", "float16")))
    return Configuration(
        draw.schema, [whole(draw, "T1", draw.integer(2, 20))], attributes, types=draw.types, magnitude=1
    )


@family("DFT")
def dft(draw):
    since, rank, kind = draw.schema.since_version, draw.integer(1, 3), draw.type("T1")
    shape = [draw.integer(1, 2), *(draw.integer(2, 9) for _ in range(rank))]
    inverse, onesided = draw.integer(0, 1), draw.rare()
    axis = draw.integer(1, rank)
    parts = 1 if onesided or (draw.flag() and not inverse) else 2
    inverse = 0 if onesided else inverse
    length = whole(draw, "T2", draw.integer(2, 12)) if draw.flag() or "T2" in draw.forced else None
    draw.types.setdefault("T2", "int64")
    attributes = {"inverse": inverse, "onesided": int(onesided)}
    # An infinity spreads over all frequencies, depending on the order of additions.
    inputs = [draw.tensor(kind, (*shape, parts), -3, 3), length]
    if since < 20:
        attributes["axis"] = axis
    else:
        inputs.append(np.asarray(axis if draw.flag() else axis - rank - 2, np.int64))
    return Configuration(draw.schema, trim(inputs), attributes, types=draw.types, roundings=16)


@family("STFT")
def stft(draw):
    kind, length = draw.type("T1"), draw.integer(4, 8)
    signal = draw.tensor(kind, (draw.integer(1, 2), length + draw.integer(0, 16), 1), -3, 3)
    step = whole(draw, "T2", draw.integer(1, 4))
    given = draw.tensor(kind, (length,), -3, 3) if draw.flag() else None
    inputs = [signal, step, given, whole(draw, "T2", length)]
    return Configuration(draw.schema, inputs, {"onesided": draw.integer(0, 1)}, types=draw.types, roundings=16)


@family("MelWeightMatrix")
def mel_weight_matrix(draw):
    numbers = [whole(draw, "T1", n) for n in (draw.integer(2, 8), draw.choice((16, 32)), 8192)]
    edges = [draw.tensor(draw.type("T2"), (), n, n) for n in (0, 4096)]
    attributes = {"output_datatype": element_type(draw.type("T3", ("float", "double", "float16")))}
    return Configuration(draw.schema, [*numbers, *edges], attributes, types=draw.types)


@family("Det")
def determinant(draw):
    n = draw.integer(1, 4)
    x = draw.tensor(draw.type("T"), (*(draw.integer(1, 3) for _ in range(draw.integer(0, 2))), n, n))
    return Configuration(draw.schema, [x], {}, types=draw.types, roundings=32, magnitude=27)


@family("AffineGrid")
def affine_grid(draw):
    rank, batch = draw.integer(2, 3), draw.integer(1, 2)
    theta = draw.tensor(draw.type("T1"), (batch, rank, rank + 1))
    draw.types["T2"] = "int64"
    size = int64s([batch, draw.integer(1, 3), *(draw.integer(2, 5) for _ in range(rank))])
    return Configuration(
        draw.schema, [theta, size], {"align_corners": draw.integer(0, 1)}, types=draw.types, roundings=8
    )


@family("Col2Im")
def col2im(draw):
    image, block = [draw.integer(3, 6) for _ in range(2)], [draw.integer(1, 3) for _ in range(2)]
    strides = [draw.integer(1, 2) for _ in range(2)]
    pads = [draw.integer(0, 1) for _ in range(4)]
    spread = (
        [draw.integer(1, min(3, (n - 1) // max(1, k - 1))) for n, k in zip(image, block)] if draw.flag() else [1, 1]
    )
    count = 1
    for i in range(2):
        count *= (image[i] + pads[i] + pads[i + 2] - (block[i] - 1) * spread[i] - 1) // strides[i] + 1
    x = draw.tensor(draw.type("T"), (draw.integer(1, 2), draw.integer(1, 2) * block[0] * block[1], count))
    attributes = {"strides": strides, "pads": pads}
    if spread != [1, 1] or draw.flag():
        attributes["dilations"] = spread
    return Configuration(draw.schema, [x, int64s(image), int64s(block)], attributes, types=draw.types, roundings=4)


@family("MaxUnpool")
def max_unpool(draw):
    kind = draw.type("T1")
    height, width = draw.integer(1, 3), draw.integer(1, 3)
    x = draw.tensor(kind, (1, 1, height, width))
    # The position in each 2 x 2 window that the maximum came from, in an image without its padding.
    pads = [draw.integer(0, 1) for _ in range(4)] if min(height, width) > 1 and draw.flag() else [0] * 4
    given = not any(pads) and draw.flag()
    # With a given shape, windows need not reach its end.
    more = [draw.integer(0, 1) if given else 0 for _ in range(2)]
    lengths = [2 * height - pads[0] - pads[2] + more[0], 2 * width - pads[1] - pads[3] + more[1]]
    rows, columns = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    corner = draw.tensor("int64", (2, height, width), 0, 1)
    row = np.clip(2 * rows + corner[0] - pads[0], 0, lengths[0] - 1)
    column = np.clip(2 * columns + corner[1] - pads[1], 0, lengths[1] - 1)
    where = (row * lengths[1] + column).reshape(1, 1, height, width)
    draw.types["T2"] = "int64"
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    if any(pads):
        attributes["pads"] = pads
    inputs = [x, where.astype(np.int64)]
    if given:
        inputs.append(int64s([1, 1, *lengths]))
    return Configuration(draw.schema, inputs, attributes, types=draw.types)


@family("MaxRoiPool")
def max_roi_pool(draw):
    kind, count = draw.type("T"), draw.integer(1, 3)
    corners = np.array([[0, *(draw.integer(0, 3) for _ in range(2))] for _ in range(count)])
    far = corners[:, 1:] + np.array([[draw.integer(0, 4) for _ in range(2)] for _ in range(count)])
    # It is unspecified whether NaN is a maximum.
    x = draw.tensor(kind, (1, 2, 8, 8), -3, 3)
    attributes = {"pooled_shape": [draw.integer(1, 3), draw.integer(1, 3)]}
    scale = draw.choice((1.0, 0.5, 2.0))
    if scale != 1 or draw.flag():
        attributes["spatial_scale"] = scale
    rois = np.concatenate([corners, far], 1).astype(np.float64)
    rois[:, 1:] /= scale
    rois = rois.astype(x.dtype)
    return Configuration(draw.schema, [x, rois], attributes, types=draw.types)
