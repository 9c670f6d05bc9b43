"""Compares arrays with PyTorch's."""

from typing import Optional

import numpy as np

from .errors import MismatchError


def compare(got: dict, expected: dict, atol: float, rtol: float, slack: Optional[dict] = None) -> None:
    """Raises MismatchError on the first output with |got - expected| > max(atol, rtol * |expected|, slack) anywhere.

    NaN equals NaN, and an infinity equals only itself. Dtypes and shapes must be equal. Integers must be equal within
    slack.

    slack: numbers or arrays by output; infinity allows any value of an element
    """
    for name, value in expected.items():
        if name not in got:
            raise MismatchError(f"output '{name}' is missing; the file has {', '.join(got)}")
        if got[name].dtype != value.dtype or got[name].shape != value.shape:
            raise MismatchError(f"output '{name}' is {_describe(got[name])}, in PyTorch {_describe(value)}")
        _compare_values(name, got[name], value, atol, rtol, (slack or {}).get(name, 0))


def _compare_values(name: str, got: np.ndarray, expected: np.ndarray, atol: float, rtol: float, slack) -> None:
    exact = expected.dtype.kind in "biu"
    with np.errstate(invalid="ignore", over="ignore"):
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        reference = expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64)
        difference = np.where(same, 0, np.abs(got.astype(reference.dtype) - reference))
        allowed = slack if exact else np.maximum(np.maximum(atol, rtol * np.abs(reference)), slack)
        close = (difference <= allowed) & (np.isfinite(reference) | np.isposinf(slack))
    bad = ~(same | close | np.isposinf(slack))
    if not bad.any():
        return
    worst = np.unravel_index(np.argmax(np.where(bad, np.nan_to_num(difference, nan=np.inf), -1)), got.shape)
    raise MismatchError(
        f"output '{name}' differs from PyTorch in {bad.sum()} of {bad.size} elements; largest |difference| "
        f"{difference[worst]:.6g} at [{', '.join(map(str, worst))}]: got {got[worst]}, PyTorch {expected[worst]} "
        f"(atol {atol:g}, rtol {rtol:g})"
    )


def _describe(array: np.ndarray) -> str:
    return f"{array.dtype} {list(array.shape)}"
