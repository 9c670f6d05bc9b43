"""Checks of options and other arguments, also for the extension module. A value of another type raises TypeError, a
value out of range ValueError. Both messages name the argument. Each function returns the value in the form that the
extension module takes."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

MOST_THREADS = 1024
MOST_INT64 = 2**63 - 1
MOST_SEED = 2**64 - 1
MOST_ROWS = 2**31 - 1
MOST_SHOWN = 80


def shown(value: Any) -> str:
    """Returns a text such as "int 5". Long values are truncated."""
    text = " ".join(repr(value).split())
    return f"{type(value).__name__} {text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + '...'}"


def integer(name: str, value: Any, most: int = MOST_INT64, least: int = 0) -> int:
    """Returns an int from `least` to `most`. A bool is not accepted."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, got {shown(value)}")
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, got {number}")
    return number


def flag(name: str, value: Any) -> bool:
    """Returns a bool, from Python's or NumPy's type."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be a bool, got {shown(value)}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Returns a str that can be encoded in UTF-8: it has no unpaired surrogates."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {shown(value)}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text that UTF-8 holds, got {value!r}")
    return value


def instance(name: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def mapping(name: str, value: Any) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, got {shown(value)}")
    return dict(value)


def array(name: str, value: Any) -> np.ndarray[Any, Any]:
    """Returns a copy of the value as an array."""
    try:
        return np.array(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array: {error}") from error


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    if text(name, value) not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, got {value!r}")
    return value


def names(name: str, value: Any) -> list[str]:
    """Returns a list of texts or paths. A single text is refused because it would be read letter by letter."""
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of str, got {shown(value)}")
    return [path(name, item) for item in value]


def files(name: str, value: Any) -> Any:
    """Returns an object with the functions of ModelFiles, or None."""
    if value is not None and not all(callable(getattr(value, function, None)) for function in ("size", "read")):
        raise TypeError(f"{name} must have functions size(name) and read(name, offset, size), got {shown(value)}")
    return value


def path(name: str, value: Any) -> str:
    plain = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(plain, str):
        raise TypeError(f"{name} must be a str or a path, got {shown(value)}")
    return text(name, plain)


def folder(name: str, value: Any) -> str:
    """Returns the path of a folder, or an empty text. Creates the folder if it is missing."""
    plain = path(name, value)
    try:
        if plain:
            os.makedirs(plain, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} must be a folder: {error}") from error
    return plain
