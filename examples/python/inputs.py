"""Inputs for any model of numbers."""

import numpy as np

NUMBERS = {"bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), "float16", "float32", "float64"}


def constant_inputs(session, value):
    """An array of equal values for each input; dims that the model leaves open are 1. Raises ValueError for inputs that are
    no tensors of numbers."""
    arrays = {}
    for info in session.inputs:
        if info.shape is None or info.dtype not in NUMBERS:
            raise ValueError(f"input '{info.name}' of {info.dtype} is not a tensor of numbers of a known rank")
        arrays[info.name] = np.full([dim if isinstance(dim, int) else 1 for dim in info.shape], value, info.dtype)
    return arrays
