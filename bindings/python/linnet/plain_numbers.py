"""Numbers and nested lists of Python, which become tensors of a dtype that they do not have themselves."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]


def array(value: Any, dtype: np.dtype[Any]) -> _Array:
    """The value as an array of `dtype`, to which floats are rounded. Raises TypeError where it has anything but numbers,
    ValueError or OverflowError for numbers that an integer dtype does not hold."""
    plain = np.asarray(value)
    _require_numbers(plain, complex_too=dtype.kind == "c")
    if dtype.kind in "bfc" or not _is_integer(dtype):
        return np.asarray(value, dtype)
    # ml_dtypes wraps what its small integers do not hold, and NumPy cuts off fractions.
    wide = np.asarray(value, dtype if dtype.kind in "iu" else np.int64)
    result = wide.astype(dtype)
    same = (result.astype(wide.dtype) == wide) & (wide == plain)
    if not np.all(same):
        raise ValueError(f"{dtype} does not hold {plain[~same].flat[0]}")
    return result


def _require_numbers(plain: _Array, complex_too: bool) -> None:
    if plain.dtype.kind in "biuf" or plain.size == 0 or (complex_too and plain.dtype.kind == "c"):
        return
    for item in plain.flat:  # to NumPy, large ints, fractions and decimals are objects, and all that is beside them
        if plain.dtype.kind != "O" or not isinstance(item, numbers.Number):
            raise TypeError(f"expected numbers, got {type(item).__name__.removesuffix('_')}")


def _is_integer(dtype: np.dtype[Any]) -> bool:
    """Also for the types of ml_dtypes, which are all of kind V."""
    return dtype.kind in "iu" or dtype.name.startswith(("int", "uint"))
