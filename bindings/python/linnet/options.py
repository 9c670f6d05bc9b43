"""Checks of options and other arguments, for the extension module, too: a value of another type is a TypeError, one out
of range a ValueError. Both name the argument. Each function returns the value as the extension module takes it."""

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
    """"int 5", of what is long the beginning."""
    text = " ".join(repr(value).split())
    return f"{type(value).__name__} {text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + '...'}"


def integer(name: str, value: Any, most: int = MOST_INT64, least: int = 0) -> int:
    """From `least` to `most`. A bool is no number here."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, got {shown(value)}")
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, got {number}")
    return number


def flag(name: str, value: Any) -> bool:
    """A bool, Python's or NumPy's."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be a bool, got {shown(value)}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """A str that UTF-8 can hold: it has no half of a surrogate pair."""
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
    """A copy as an array."""
    try:
        return np.array(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array: {error}") from error


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    if text(name, value) not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, got {value!r}")
    return value


def names(name: str, value: Any) -> list[str]:
    """Texts or paths. A single text would be read letter by letter."""
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of str, got {shown(value)}")
    return [path(name, item) for item in value]


def files(name: str, value: Any) -> Any:
    """An object with the functions of ModelFiles, or None."""
    if value is not None and not all(callable(getattr(value, function, None)) for function in ("size", "read")):
        raise TypeError(f"{name} must have functions size(name) and read(name, offset, size), got {shown(value)}")
    return value


def path(name: str, value: Any) -> str:
    plain = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(plain, str):
        raise TypeError(f"{name} must be a str or a path, got {shown(value)}")
    return text(name, plain)


def folder(name: str, value: Any) -> str:
    """A path of a folder, which is made where it is missing, or an empty text."""
    plain = path(name, value)
    try:
        if plain:
            os.makedirs(plain, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} must be a folder: {error}") from error
    return plain
