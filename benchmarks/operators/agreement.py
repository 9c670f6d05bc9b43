"""Checks whether the outputs of two engines agree, according to a case's `agreement`:
values    (default) floats within rounding of their type relative to the largest value, all else equal
scales    numbers may differ by one, as differently rounded bytes do, or by that share of the largest value
norms     the norm of the difference is small: a few elements may be rounded another way
elements  equal elements, in another shape
shapes    only equal shapes: the values are random or unspecified
"""

import numpy as np
from engines import Problem

# Relative to the largest value, for sums of many elements in another order.
TOLERANCES = {"float64": 1e-9, "float32": 1e-4, "float16": 6e-3, "bfloat16": 5e-2}
NORM = 0.02


def check(agreement, ours, theirs):
    """Raises Problem if outputs, given as lists of values, differ."""
    for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        check_value(agreement, f"output {i}", one, other)


def check_value(agreement, what, one, other):
    if isinstance(other, dict):
        one, other = ([value[key] for key in sorted(other)] for value in (one, other))
    if not isinstance(other, list):
        check_array(agreement, what, np.asarray(one), np.asarray(other))
        return
    if len(one) != len(other):
        raise Problem(f"{what} has {len(one)} elements, not {len(other)}")
    for part, expected in zip(one, other):
        check_value(agreement, what, part, expected)


def check_array(agreement, what, one, other):
    if agreement == "elements":
        one, other = one.ravel(), other.ravel()
    if one.shape != other.shape:
        raise Problem(f"{what} has the shape {list(one.shape)}, not {list(other.shape)}")
    if agreement != "shapes" and not is_near(agreement, one, other):
        raise Problem(f"{what} differs by {largest_difference(one, other)}")


def is_near(agreement, one, other):
    if other.dtype.kind in "OUS":
        return one.astype(str).tolist() == other.astype(str).tolist()
    if np.array_equal(one, other):
        return True
    difference, expected = np.abs(wide(one) - wide(other)), np.abs(wide(other))
    largest = expected[np.isfinite(expected)].max(initial=0)
    if agreement == "norms":
        return np.linalg.norm(difference) <= NORM * np.linalg.norm(expected)
    if agreement == "scales":
        return difference.max() <= max(1, NORM * largest)
    tolerance = TOLERANCES.get(other.dtype.name, 0)
    near = (difference <= tolerance * (largest + expected)) | (one == other) | ((one != one) & (other != other))
    return bool(near.all())


def wide(array):
    return array.astype(np.float64)


def largest_difference(one, other):
    if other.dtype.kind in "OUS":
        return "texts"
    with np.errstate(all="ignore"):
        return f"{np.nanmax(np.abs(wide(one) - wide(other)), initial=0):.3g}"
