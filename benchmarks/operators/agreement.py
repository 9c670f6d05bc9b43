"""Whether two engines' outputs agree, by a case's `agreement`:
values    floats within rounding of their type relative to the largest value, all else equal; the default
scales    numbers may differ by one, as bytes do that are rounded otherwise, or by its share of the largest value
norms     the difference is small by its norm: a few elements may fall to another side
elements  the same in another shape
shapes    the values are random, or left open
"""

import numpy as np
from engines import Problem

# Relative to the largest value: sums of many elements in another order.
TOLERANCES = {"float64": 1e-9, "float32": 1e-4, "float16": 6e-3, "bfloat16": 5e-2}
NORM = 0.02


def check(agreement, ours, theirs):
    """Throws Problem where outputs, lists of values, differ."""
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
