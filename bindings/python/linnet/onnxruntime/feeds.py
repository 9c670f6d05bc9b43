"""Inputs as ONNX Runtime takes them, made ready for linnet.Session.run."""

import numpy as np

from linnet.onnxruntime import errors, types
from linnet.onnxruntime.values import OrtValue


def check_names(feed, inputs, overridable):
    """Raises where names are missing or unknown. Optional inputs may be left out."""
    required = [arg.name for arg in inputs if not arg.type.startswith("optional")]
    missing = [name for name in required if name not in feed]
    if missing:
        raise ValueError(f"Required inputs ({missing}) are missing from input feed ({list(feed)}).")
    for name in feed:
        if name in overridable:
            raise errors.unsupported(f"another value for the initializer '{name}'")
        if name not in {arg.name for arg in inputs}:
            raise errors.error(errors.InvalidArgument, f"Invalid input name: {name}")


def convert(arg, value):
    """The value for an input. Raises InvalidArgument where it does not fit, RuntimeError for other kinds of objects."""
    if isinstance(value, OrtValue):
        value = value._value
    if arg.type.startswith("optional("):
        return None if value is None else _convert(arg, arg.type[len("optional(") : -1], value)
    if value is None:
        raise errors.error(errors.Fail, f"input '{arg.name}' has no value")
    return _convert(arg, arg.type, value)


def _convert(arg, type_text, value):
    if type_text.startswith("tensor("):
        return tensor(arg, _array(arg.name, type_text, value), type_text)
    if type_text.startswith("seq(tensor("):
        return _sequence(arg.name, type_text, value)
    if not isinstance(value, list if type_text.startswith("seq(") else dict):
        raise RuntimeError(f"input '{arg.name}' of type {type_text} cannot be of {type(value)}")
    return value


def _array(name, type_text, value):
    if isinstance(value, list):
        try:
            value = np.array(value, types.dtype_of(type_text))
        except (TypeError, ValueError) as cause:
            raise RuntimeError(f"no tensor can be made of the list for input '{name}': {cause}") from cause
    if not isinstance(value, np.ndarray):
        raise RuntimeError(f"Unable to handle object of type {type(value)} for input '{name}'")
    return _strings(value) if type_text == "tensor(string)" else value


def _strings(array):
    """As ONNX Runtime, takes objects of all kinds by their str()."""
    if array.dtype.kind != "O":
        return array
    return np.array([str(item) for item in array.ravel()], object).reshape(array.shape)


def tensor(arg, array, type_text):
    """The array, where its dtype and shape are the input's."""
    actual = types.type_of_array(array)
    if actual != type_text:
        raise errors.error(errors.InvalidArgument,
                           f"Unexpected input data type. Actual: ({actual}) , expected: ({type_text})")  # fmt: skip
    dims = arg._dims
    if dims == [] and array.size == 1:
        return array.reshape(())
    if dims is None or (len(dims) == array.ndim and all(_fits(dim, n) for dim, n in zip(dims, array.shape))):
        return array
    raise errors.error(errors.InvalidArgument,
                       f"input '{arg.name}' must be of shape {dims}, got {list(array.shape)}")  # fmt: skip


def _fits(dim, size):
    return not isinstance(dim, int) or dim == size


def _sequence(name, type_text, value):
    if isinstance(value, np.ndarray):
        raise errors.error(errors.InvalidArgument, f"input '{name}' is a sequence, got a tensor")
    element = type_text[len("seq(") : -1]
    for item in value:
        if not isinstance(item, np.ndarray) or types.type_of_array(item) != element:
            raise RuntimeError(f"input '{name}' of type {type_text} takes a list of arrays of that dtype")
    return value
