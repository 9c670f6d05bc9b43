"""Converts inputs from the forms that ONNX Runtime accepts to those of linnet.Session.run."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import numpy as np

from linnet import _linnet
from linnet.onnxruntime import errors, types
from linnet.onnxruntime.types import Array, NodeArg
from linnet.onnxruntime.values import OrtValue


def check_names(feed: Mapping[str, Any], inputs: Iterable[NodeArg], overridable: Container[str]) -> None:
    """Raises an exception if names are missing or unknown. Optional inputs may be left out."""
    required = [arg.name for arg in inputs if not arg.type.startswith("optional")]
    missing = [name for name in required if name not in feed]
    if missing:
        raise ValueError(f"Required inputs ({missing}) are missing from input feed ({list(feed)}).")
    for name in feed:
        if name not in overridable and name not in {arg.name for arg in inputs}:
            raise errors.error(errors.InvalidArgument, f"Invalid input name: {name}")


def convert(arg: NodeArg, value: Any) -> Any:
    """Returns the value for an input. Raises InvalidArgument if it does not fit, and RuntimeError for other kinds of
    objects."""
    if isinstance(value, OrtValue):
        value = value._value
    if arg.type.startswith("optional("):
        return None if value is None else _convert(arg, arg.type[len("optional(") : -1], value)
    if value is None:
        raise errors.error(errors.Fail, f"input '{arg.name}' has no value")
    return _convert(arg, arg.type, value)


def _convert(arg: NodeArg, type_text: str, value: Any) -> Any:
    if type_text.startswith("tensor("):
        return tensor(arg, _array(arg.name, type_text, value), type_text)
    if type_text.startswith("seq(tensor("):
        return _sequence(arg.name, type_text, value)
    if not isinstance(value, list if type_text.startswith("seq(") else dict):
        raise RuntimeError(f"input '{arg.name}' of type {type_text} cannot be of {type(value)}")
    return value


def _array(name: str, type_text: str, value: Any) -> Array:
    if isinstance(value, list):
        try:
            value = np.array(value, types.dtype_of(type_text))
        except (TypeError, ValueError) as cause:
            raise RuntimeError(f"no tensor can be made of the list for input '{name}': {cause}") from cause
    if not isinstance(value, np.ndarray):
        raise RuntimeError(f"Unable to handle object of type {type(value)} for input '{name}'")
    return _strings(value) if type_text == "tensor(string)" else value


def _strings(array: Array) -> Array:
    """Converts objects of all kinds by their str(), as ONNX Runtime does."""
    if array.dtype.kind != "O":
        return array
    return np.array([str(item) for item in array.ravel()], object).reshape(array.shape)


def tensor(arg: NodeArg, array: Array, type_text: str) -> Array:
    """Returns the array. Raises InvalidArgument if its dtype or shape is not that of the input."""
    actual = types.type_of_array(array)
    if actual != type_text:
        raise errors.error(errors.InvalidArgument,
                           f"Unexpected input data type. Actual: ({actual}) , expected: ({type_text})")  # fmt: skip
    dims = arg._dims
    if dims is None or dims == list(array.shape):
        return array
    numbers = [dim if isinstance(dim, int) else -1 for dim in dims]
    if mismatch := _linnet.onnxruntime_shape_mismatch(arg.name, numbers, array.shape):
        raise errors.error(errors.InvalidArgument, mismatch)
    return array if dims else array.reshape(())


def _sequence(name: str, type_text: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        raise errors.error(errors.InvalidArgument, f"input '{name}' is a sequence, got a tensor")
    element = type_text[len("seq(") : -1]
    for item in value:
        if not isinstance(item, np.ndarray) or types.type_of_array(item) != element:
            raise RuntimeError(f"input '{name}' of type {type_text} takes a list of arrays of that dtype")
    return value
