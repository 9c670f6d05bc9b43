"""Combinations of features: all cells, or a sample that is small enough to run at each change.

LINNET_ALL_CELLS=1 selects all.
"""

import itertools
import os

SAMPLE = 24


def cells(*axes):
    """Returns combinations of the axes. The sample has SAMPLE of them at equal distances, so it contains every value of
    each axis with fewer values."""
    every = list(itertools.product(*axes))
    if os.environ.get("LINNET_ALL_CELLS") == "1":
        return every
    step = max(1, len(every) // SAMPLE)
    while any(step % len(axis) == 0 for axis in axes if len(axis) > 1):
        step += 1
    return every[::step]
