"""Converts Python's numbers and nested lists, which have no dtype, to tensors of a given dtype."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]


def array(value: Any, dtype: np.dtype[Any]) -> _Array:
    """Returns the value as an array of `dtype`. Floats are rounded to it. Raises TypeError if the value contains
    anything but numbers, and ValueError or OverflowError for numbers that an integer dtype cannot hold."""
    plain = np.asarray(value)
    _require_numbers(plain, complex_too=dtype.kind == "c")
    if dtype.kind in "bfc" or not _is_integer(dtype):
        return np.asarray(value, dtype)
    # ml_dtypes wraps numbers that its small integers cannot hold, and NumPy truncates fractions.
    wide = np.asarray(value, dtype if dtype.kind in "iu" else np.int64)
    result = wide.astype(dtype)
    same = (result.astype(wide.dtype) == wide) & (wide == plain)
    if not np.all(same):
        raise ValueError(f"{dtype} does not hold {plain[~same].flat[0]}")
    return result


def _require_numbers(plain: _Array, complex_too: bool) -> None:
    if plain.dtype.kind in "biuf" or plain.size == 0 or (complex_too and plain.dtype.kind == "c"):
        return
    for item in plain.flat:  # NumPy represents large ints, fractions and decimals as objects, and everything mixed with
                             # them
        if plain.dtype.kind != "O" or not isinstance(item, numbers.Number):
            raise TypeError(f"expected numbers, got {type(item).__name__.removesuffix('_')}")


def _is_integer(dtype: np.dtype[Any]) -> bool:
    """Also recognises the integer types of ml_dtypes, which all have kind V."""
    return dtype.kind in "iu" or dtype.name.startswith(("int", "uint"))
