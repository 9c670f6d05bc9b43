"""The permitted difference between a result and that of a reference: one rounding to its type, and inherited
roundings."""

import numpy as np
from containers import elementary, tensors

# The distance from 1 to the next number.
LAST_PLACE = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float": 2.0**-23, "double": 2.0**-52}
LAST_PLACE.update(complex64=LAST_PLACE["float"], complex128=LAST_PLACE["double"])
# The distance from 0 to the next number.
SMALLEST = {"bfloat16": 2.0**-133, "float16": 2.0**-24, "float": 2.0**-149, "double": 5e-324}
SMALLEST.update(complex64=SMALLEST["float"], complex128=SMALLEST["double"])
# The types in which Linnet computes: float32 for halves.
WORKING = {"bfloat16": "float", "float16": "float"}


def tolerance(configuration, answer):
    """Returns (rtol, atol) for all outputs of a configuration.

    A result is rounded once to the type of the output, as the reference's is, which is a unit in the last place. Before
    that, both have errors of `ulps` units of the type in which they are computed, relative to the result, and sums have
    errors of `roundings` units relative to the largest summand.
    """
    rtol = atol = 0.0
    for i, value in enumerate(answer.outputs):
        kind = elementary(configuration.output_type(i))
        if kind not in LAST_PLACE:
            continue
        unit = max(LAST_PLACE[WORKING.get(kind, kind)], LAST_PLACE[answer.precision])
        rtol = max(rtol, LAST_PLACE[kind] + configuration.ulps * unit)
        largest = max(configuration.magnitude, magnitude(value))
        atol = max(atol, 4 * SMALLEST[kind] + configuration.roundings * unit * largest)
    return rtol, atol


def magnitude(value):
    """Returns the largest absolute value of the finite elements."""
    parts = [np.abs(x.ravel().astype(np.complex128)) for x in tensors(value)]
    found = np.concatenate([np.zeros(1), *parts])
    return float(found[np.isfinite(found)].max())
