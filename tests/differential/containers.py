"""Sequences (lists), maps (dicts) and optionals of tensors. A type is a tensor's element type, "float", or a container
in the notation of schemas, "seq(tensor(float))". An optional is its value or EMPTY."""

import re

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from values import element_type, numpy_dtype

EMPTY = type("Empty", (), {"__repr__": lambda self: "empty"})()


def held(kind):
    """Returns the type of the contents of a sequence or optional."""
    inner = kind[kind.index("(") + 1 : -1]
    return inner[7:-1] if inner.startswith("tensor(") else inner


def elementary(kind):
    """Returns the element type of the tensors; for maps, that of the values."""
    return re.findall(r"\w+", kind)[-1]


def tensors(value):
    """Returns all tensors in a value."""
    if isinstance(value, (list, dict)):
        return [x for part in (value.values() if isinstance(value, dict) else value) for x in tensors(part)]
    return [] if value is EMPTY or value is None else [np.asarray(value)]


def with_tensors(change, value):
    """Returns the value with every tensor changed."""
    if isinstance(value, list):
        return [with_tensors(change, part) for part in value]
    if isinstance(value, dict):
        return {key: with_tensors(change, part) for key, part in value.items()}
    return value if value is EMPTY or value is None else change(np.asarray(value))


def type_proto(kind, shape=None):
    if kind.startswith("seq("):
        return helper.make_sequence_type_proto(type_proto(held(kind)))
    if kind.startswith("optional("):
        return helper.make_optional_type_proto(type_proto(held(kind)))
    if kind.startswith("map("):
        key, value = re.findall(r"\w+", kind)[1:]
        return helper.make_map_type_proto(element_type(key), type_proto(value))
    return helper.make_tensor_type_proto(element_type(kind), shape)


def conform(kind, value):
    """Converts a reference's value to the type in the schema."""
    if kind.startswith("optional("):
        return EMPTY if value is None else conform(held(kind), value)
    if kind.startswith("seq("):
        return [conform(held(kind), part) for part in value]
    if kind.startswith("map("):
        return {key: conform(elementary(kind), part) for key, part in value.items()}
    return conform_tensor(kind, np.asarray(value))


def conform_tensor(kind, value):
    dtype = numpy_dtype(kind)
    if value.dtype != dtype and value.dtype.kind in "US":
        return value.astype(object)
    if value.dtype == np.uint8 and dtype.name.startswith("float8"):
        return value.view(dtype)  # ONNX Runtime's Python interface returns the bytes of float8.
    if value.dtype != dtype and (dtype == object or value.dtype == np.uint8):
        raise TypeError(f"expected {dtype}, got {value.dtype}")
    with np.errstate(all="ignore"):
        return value.astype(dtype)


def tensor_proto(value, name):
    if value.dtype == object:
        data = [str(text).encode() for text in value.ravel()]
        return helper.make_tensor(name, TensorProto.STRING, value.shape, data)
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def value_proto(value, kind, name=""):
    """Returns the contents of a test case's data file."""
    if kind.startswith("seq("):
        result = onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.TENSOR)
        maps = held(kind).startswith("map(")
        result.elem_type = onnx.SequenceProto.MAP if maps else onnx.SequenceProto.TENSOR
        (result.map_values if maps else result.tensor_values).extend(value_proto(part, held(kind)) for part in value)
        return result
    if kind.startswith("optional("):
        return optional_proto(value, kind, name)
    return map_proto(value, name) if kind.startswith("map(") else tensor_proto(value, name)


def optional_proto(value, kind, name):
    sequence = kind.startswith("optional(seq(")
    result = onnx.OptionalProto(name=name)
    result.elem_type = onnx.OptionalProto.SEQUENCE if sequence else onnx.OptionalProto.TENSOR
    if value is not EMPTY:
        (result.sequence_value if sequence else result.tensor_value).CopyFrom(value_proto(value, held(kind)))
    return result


def map_proto(value, name):
    texts = any(isinstance(key, str) for key in value)
    result = onnx.MapProto(name=name, key_type=TensorProto.STRING if texts else TensorProto.INT64)
    if texts:
        result.string_keys.extend(key.encode() for key in value)
    else:
        result.keys.extend(value)
    result.values.elem_type = onnx.SequenceProto.TENSOR
    result.values.tensor_values.extend(tensor_proto(np.asarray(part), "") for part in value.values())
    return result
