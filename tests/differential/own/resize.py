"""Resize and Upsample, with exact fractions as positions and sums in float64."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
from by_operator import own
from values import is_integer, type_name, nearest_integers


def given(configuration, i):
    """Returns the i-th input if it is present and not empty."""
    found = configuration.inputs[i] if i < len(configuration.inputs) else None
    return found if found is not None and found.size else None


def targets(configuration):
    """Returns [(length of the output, scale, roi)] for each axis."""
    x, name, since = configuration.inputs[0], configuration.schema.name, configuration.schema.since_version
    modern = name == "Resize" and since >= 11
    if name == "Upsample" and since < 9:
        a = configuration.attributes
        scales = a["scales"] if since >= 7 else [1, 1, a["height_scale"], a["width_scale"]]
    else:
        scales = given(configuration, 2 if modern else 1)
    axes = [axis % x.ndim for axis in configuration.attributes.get("axes", range(x.ndim))]
    roi = given(configuration, 1) if modern else None
    found = [(n, Fraction(1), (0, 1)) for n in x.shape]
    sizes = given(configuration, 3) if modern and scales is None else None
    kept = kept_scale(configuration, x, axes, sizes)
    for i, axis in enumerate(axes):
        n = x.shape[axis]
        if sizes is None:
            length, scale = int(np.float32(scales[i]) * np.float32(n)), Fraction(float(np.float32(scales[i])))
        elif kept is None:
            length, scale = int(sizes[i]), Fraction(int(sizes[i]), n)
        else:
            length, scale = floor(kept * n + Fraction(1, 2)), kept
        region = (0, 1) if roi is None else (Fraction(float(roi[i])), Fraction(float(roi[i + len(axes)])))
        found[axis] = length, scale, region
    return found


def kept_scale(configuration, x, axes, sizes):
    policy = configuration.attributes.get("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch" or sizes is None:
        return None
    ratios = [Fraction(int(size), x.shape[axis]) for size, axis in zip(sizes, axes)]
    return min(ratios) if policy == "not_larger" else max(ratios)


def coordinates(configuration):
    since = configuration.schema.since_version
    if configuration.schema.name == "Upsample" or since < 11:
        return "asymmetric"
    return configuration.attributes.get("coordinate_transformation_mode", "half_pixel")


def position(mode, o, n, length, scale, region):
    """Returns the position in the input of the output's element o."""
    width, half = scale * n, Fraction(1, 2)
    if mode == "align_corners":
        return Fraction(0) if length == 1 or width == 1 else o * (n - 1) / (width - 1)
    if mode == "asymmetric":
        return o / scale
    if mode == "tf_half_pixel_for_nn":
        return (o + half) / scale
    if mode == "tf_crop_and_resize":
        start, end = region
        return (
            start * (n - 1) + o * (end - start) * (n - 1) / (width - 1)
            if length > 1
            else half * (start + end) * (n - 1)
        )
    if mode == "pytorch_half_pixel" and length == 1:
        return Fraction(0)
    offset = Fraction(n, 2) * (1 - length / width) if mode == "half_pixel_symmetric" else 0
    return offset + (o + half) / scale - half


def positions(configuration):
    """Yields the positions of all output elements, axis by axis."""
    mode, x = coordinates(configuration), configuration.inputs[0]
    for n, (length, scale, region) in zip(x.shape, targets(configuration)):
        yield from (position(mode, o, n, length, scale, region) for o in range(length))


def nearest(configuration, at, scale):
    mode = configuration.attributes.get("nearest_mode", "round_prefer_floor")
    if coordinates(configuration) == "asymmetric" and "nearest_mode" not in configuration.attributes:
        if configuration.schema.name == "Upsample":
            mode = "floor"
        elif configuration.schema.since_version < 11:
            mode = "ceil" if scale < 1 else "floor"
    half = Fraction(1, 2)
    rounded = {"floor": floor(at), "ceil": ceil(at), "round_prefer_floor": ceil(at - half)}
    return rounded.get(mode, floor(at + half))


def weight(mode, a, distance):
    d = abs(distance)
    if mode in ("linear", "bilinear"):
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def along(configuration, n, length, scale, region):
    """Returns the matrix [length, n] that resizes an axis, which elements are outside of a crop, and whether floats
    represent all weights exactly."""
    a = configuration.attributes
    mode, how = a.get("mode", "nearest"), coordinates(configuration)
    matrix, outside, exact = np.zeros((length, n)), np.zeros(length, bool), True
    stretch = min(float(scale), 1.0) if a.get("antialias") else 1.0
    reach = int(2 / stretch) + 2
    for o in range(length):
        at = position(how, o, n, length, scale, region)
        outside[o] = how == "tf_crop_and_resize" and not 0 <= at <= n - 1
        if mode == "nearest":
            matrix[o, min(max(nearest(configuration, at, scale), 0), n - 1)] = 1
            continue
        base, cubic = floor(at), float(np.float32(a.get("cubic_coeff_a", -0.75)))
        taps = {i: weight(mode, cubic, float(i - at) * stretch) for i in range(base - reach, base + reach + 2)}
        if a.get("exclude_outside"):
            taps = {i: w for i, w in taps.items() if 0 <= i < n}
        total = sum(taps.values()) if a.get("exclude_outside") or a.get("antialias") else 1
        for i, w in taps.items():
            matrix[o, min(max(i, 0), n - 1)] += w / total
            exact = exact and w / total * 2**20 % 1 == 0
    return matrix, outside, exact


@own("Resize", "Upsample")
def resize(configuration):
    x, a = configuration.inputs[0], configuration.attributes
    y, outside, exact = x, np.zeros((), bool), True
    moves = a.get("mode", "nearest") == "nearest"
    resized = [axis % x.ndim for axis in a.get("axes", range(x.ndim))]
    for axis, (length, scale, region) in enumerate(targets(configuration)):
        beyond = np.zeros(length, bool)
        if axis in resized:
            matrix, beyond, held = along(configuration, x.shape[axis], length, scale, region)
            exact = exact and held
            # If elements are only moved, there is no product, since they may be strings.
            product = None if moves else np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
            y = np.take(y, matrix.argmax(1), axis) if moves else product
        outside = outside[..., None] | beyond
    if outside.any():
        y = np.where(outside, extrapolated(a.get("extrapolation_value", 0), x.dtype), y)
    return [y if moves or not is_integer(type_name(x)) else whole(y, x.dtype, exact)]


def extrapolated(value, dtype):
    if dtype == object:
        return ""
    return np.rint(value) if is_integer(type_name(np.zeros(0, dtype))) else np.float32(value)


def whole(y, dtype, exact):
    """Rounds to integers. Raises ValueError if the rounding of weights decides a tie."""
    if not exact and np.any(np.abs(y - np.floor(y) - 0.5) < 1e-9):
        raise ValueError("rounding decides a tie")
    return nearest_integers(y, dtype)
