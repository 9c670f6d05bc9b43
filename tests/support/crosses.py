"""Crosses of features: every cell, or a sample of them that is quick enough for each change.

LINNET_ALL_CELLS=1 asks for all.
"""

import itertools
import os

SAMPLE = 24


def cells(*axes):
    """Combinations of the axes. The sample takes SAMPLE of them at equal distances, so that it has every value of an
    axis that is shorter than it."""
    every = list(itertools.product(*axes))
    if os.environ.get("LINNET_ALL_CELLS") == "1":
        return every
    step = max(1, len(every) // SAMPLE)
    while any(step % len(axis) == 0 for axis in axes if len(axis) > 1):
        step += 1
    return every[::step]
