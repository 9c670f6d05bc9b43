"""Checks of a session's options: a value of another type is a TypeError, one out of range a ValueError. Both name the
option. Each function returns the value as the extension module takes it."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

MOST_THREADS = 1024
MOST_INT64 = 2**63 - 1
MOST_SEED = 2**64 - 1


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def integer(name: str, value: Any, most: int = MOST_INT64) -> int:
    """From 0 to `most`. A bool is no number here."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, got {_shown(value)}")
    number = operator.index(value)
    if not 0 <= number <= most:
        raise ValueError(f"{name} must be from 0 to {most}, got {number}")
    return number


def flag(name: str, value: Any) -> bool:
    """A bool, Python's or NumPy's."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be a bool, got {_shown(value)}")
    return bool(value)


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {_shown(value)}")
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, got {value!r}")
    return value


def names(name: str, value: Any) -> list[str]:
    """Texts or paths. A single text would be read letter by letter."""
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of str, got {_shown(value)}")
    return [path(name, item) for item in value]


def path(name: str, value: Any) -> str:
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str or a path, got {_shown(value)}")
    return text


def folder(name: str, value: Any) -> str:
    """A path of a folder, which is made where it is missing, or an empty text."""
    text = path(name, value)
    try:
        if text:
            os.makedirs(text, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} must be a folder: {error}") from error
    return text
