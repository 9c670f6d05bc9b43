"""GridSample."""

import itertools
from math import floor

import numpy as np
from by_operator import own


def cubic(d):
    d, a = abs(d), -0.75
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def reflected(x, low, high):
    """Reflects x at both ends until it is between them."""
    while high > low and not low <= x <= high:
        x = 2 * low - x if x < low else 2 * high - x
    return x if high > low else low


def edges(corners, n):
    return (0, n - 1) if corners else (-0.5, n - 0.5)


def location(a, grid, n):
    """Returns the position of a grid coordinate along an axis, before and after it is moved into the image. In cubic
    mode, only the taps are moved."""
    corners, padding = a.get("align_corners", 0), a.get("padding_mode", "zeros")
    x = (grid + 1) / 2 * (n - 1) if corners else ((grid + 1) * n - 1) / 2
    moved = float(np.rint(x)) if a.get("mode") == "nearest" else x
    if a.get("mode") in ("cubic", "bicubic"):
        return x, moved
    if padding == "border":
        moved = min(max(moved, 0), n - 1)
    elif padding == "reflection":
        moved = reflected(moved, *edges(corners, n))
    return x, moved


def taps(a, x, n):
    """Returns the [(element, weight)] of a location. Elements outside are omitted if the padding is zeros."""
    mode, padding, base = a.get("mode", "linear"), a.get("padding_mode", "zeros"), floor(x)
    if mode == "nearest":
        found = [(base, 1.0)]
    elif mode in ("linear", "bilinear"):
        found = [(base, base + 1 - x), (base + 1, x - base)]
    else:
        found = [(i, cubic(x - i)) for i in range(base - 1, base + 3)]
    if padding == "reflection":
        found = [(int(reflected(i, *edges(a.get("align_corners", 0), n))), w) for i, w in found]
    if padding != "zeros":
        found = [(min(max(i, 0), n - 1), w) for i, w in found]
    return [(i, w) for i, w in found if 0 <= i < n]


@own("GridSample")
def grid_sample(configuration):
    (x, grid), a = configuration.inputs, configuration.attributes
    moves, size = a.get("mode") == "nearest", x.shape[2:]
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype if moves else np.result_type(x.dtype, np.float64))
    y[...] = "" if x.dtype == object else 0
    rounded = np.zeros(y.shape, bool)
    for n, *at in itertools.product(range(len(x)), *map(range, grid.shape[1:-1])):
        # The grid lists the axes from the innermost to the outermost.
        given = grid[(n, *at)].astype(np.float64)[::-1]
        axes = [taps(a, location(a, float(g), length)[1], length) for g, length in zip(given, size)]
        rounded[(n, slice(None), *at)] = any(w * 2**20 % 1 for places in axes for _, w in places)
        for places in itertools.product(*axes):
            value = x[(n, slice(None), *(i for i, _ in places))]
            if moves:
                y[(n, slice(None), *at)] = value
            else:
                y[(n, slice(None), *at)] += value * np.prod([w for _, w in places])
    return [y if moves or x.dtype.kind not in "iu" else cut(y, rounded, x.dtype)]


def cut(y, rounded, dtype):
    """Casts to integers, clamped to the range of the type. Raises ValueError if rounded weights decide whether a value
    reaches an integer."""
    if np.any(rounded & (y != 0) & (np.abs(y - np.rint(y)) < 1e-9)):
        raise ValueError("rounding decides what is whole")
    return np.clip(np.trunc(y), np.iinfo(dtype).min, np.iinfo(dtype).max)
