"""Operators of com.microsoft on complex numbers, matrices and images."""

import numpy as np
from by_operator import family

from .elementwise import broadcast_pair
from .microsoft import finished
from .movement import positive


@family("com.microsoft.ComplexMul", "com.microsoft.ComplexMulConj")
def complex_mul(draw):
    kind = draw.type("T")
    return finished(draw, [draw.tensor(kind, (*shape, 2), -3, 3) for shape in broadcast_pair(draw)], roundings=4, magnitude=18)


def transformed_axes(draw):
    """Returns the axes before those of the signal, and the number of the signal's axes."""
    return positive(draw.shape(0, 2, most=3)), draw.integer(1, 3)


@family("com.microsoft.Rfft")
def rfft(draw):
    before, axes = transformed_axes(draw)
    shape = (*before, *(draw.integer(1, 5) for _ in range(axes)))
    attributes = {"signal_ndim": axes, "normalized": 0, "onesided": 1}
    return finished(draw, [draw.tensor(draw.type("T"), shape, -3, 3)], attributes, roundings=16, magnitude=64)


@family("com.microsoft.Irfft")
def irfft(draw):
    before, axes = transformed_axes(draw)
    shape = (*before, *(draw.integer(1, 5) for _ in range(axes - 1)), draw.integer(2, 5), 2)
    attributes = {"signal_ndim": axes, "normalized": 0, "onesided": 1}
    return finished(draw, [draw.tensor(draw.type("T"), shape, -3, 3)], attributes, roundings=16, magnitude=8)


@family("com.microsoft.Inverse")
def inverse(draw):
    """The diagonal of the matrices dominates, so that inverses are exact to a few roundings."""
    kind, n = draw.type("T"), draw.integer(1, 6)
    x = draw.tensor(kind, (*positive(draw.shape(0, 2, most=3)), n, n), -1, 1)
    return finished(draw, [x + (8 * np.eye(n)).astype(x.dtype)], roundings=32, magnitude=1)


@family("com.microsoft.GridSample")
def grid_sample(draw):
    attributes = {"mode": draw.choice(("bilinear", "nearest", "bicubic")), "align_corners": draw.integer(0, 1)}
    attributes["padding_mode"] = draw.choice(("zeros", "border", "reflection"))
    batch, channels = draw.integer(1, 2), draw.integer(1, 3)
    x = draw.tensor("float", (batch, channels, draw.integer(2, 5), draw.integer(2, 5)), -5, 7)
    grid = draw.tensor("float", (batch, draw.integer(1, 4), draw.integer(1, 4), 2), -1.2, 1.2)
    draw.types.update(T1="float", T2="float")
    return finished(draw, [x, grid], attributes, roundings=8, magnitude=7)


@family("com.microsoft.CropAndResize")
def crop_and_resize(draw):
    batch, regions = draw.integer(1, 3), draw.integer(1, 4)
    x = draw.tensor("float", (batch, draw.integer(1, 3), draw.integer(1, 6), draw.integer(1, 6)), -5, 7)
    rois = draw.tensor("float", (regions, 4), -0.3, 1.3)
    images = draw.tensor("int32", (regions,), 0, batch - 1)
    size = np.array([draw.integer(1, 5), draw.integer(1, 5)], np.int32)
    attributes = {"mode": draw.choice(("bilinear", "nearest"))} if draw.flag() else {}
    if draw.flag():
        attributes["extrapolation_value"] = draw.real(-2, 2)
    draw.types.update(T1="float", T2="int32")
    return finished(draw, [x, rois, images, size], attributes, roundings=16, magnitude=12)
