"""ONNX types in the notation of ONNX Runtime, and descriptions of models."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import linnet
from linnet import dtypes
from linnet.onnxruntime import errors

Array = npt.NDArray[Any]
_NAMES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
    17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
    23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2", 27: "float6e2m3", 28: "float6e3m2",
}  # fmt: skip
_BY_NUMBER: dict[int, np.dtype[Any]] = dtypes.by_number() | {8: np.dtype(object)}
_BY_TYPE = {f"tensor({_NAMES[number]})": dtype for number, dtype in _BY_NUMBER.items()}
_TYPES = {dtype: text for text, dtype in _BY_TYPE.items()}
_LINNETS = {"float32": "float", "float64": "double"}
_CONTAINERS = {"sequence": "seq", "optional": "optional"}


def type_of_text(text: str) -> str:
    """Converts Linnet's "float32" or "sequence(int64)" to ONNX Runtime's "tensor(float)" or "seq(tensor(int64))"."""
    kind, _, inner = text.partition("(")
    if not inner:
        return f"tensor({_LINNETS.get(kind, kind)})"
    if kind == "map":
        key, value = inner[:-1].split(",", 1)
        return f"map({key},{type_of_text(value)})"
    return f"{_CONTAINERS[kind]}({type_of_text(inner[:-1])})"


def dtype_of(type_text: str) -> np.dtype[Any] | None:
    """Returns the dtype of "tensor(...)", or None if neither NumPy nor ml_dtypes (where installed) has it."""
    return _BY_TYPE.get(type_text)


def type_of_array(array: Array) -> str:
    """Returns ONNX Runtime's name of the array's type. Raises RuntimeError if ONNX has no such dtype."""
    found = _TYPES.get(array.dtype) or _TYPES.get(array.dtype.newbyteorder("="))
    if found is None and array.dtype.kind in "SU":
        return "tensor(string)"
    if found is None:
        raise RuntimeError(f"no tensor of ONNX has elements of NumPy's type {array.dtype}")
    return found


def dtype_of_element(element_type: int | npt.DTypeLike) -> np.dtype[Any]:
    """Returns the dtype for a number of ONNX's element types, or for anything that NumPy accepts as a dtype."""
    if not isinstance(element_type, int):
        return np.dtype(element_type)
    if element_type not in _BY_NUMBER:
        raise errors.unsupported(f"the element type {_NAMES.get(element_type, element_type)} in Python without ml_dtypes")
    return _BY_NUMBER[element_type]


def number_of_type(type_text: str) -> int:
    name = type_text[len("tensor(") : -1]
    return next((number for number, known in _NAMES.items() if known == name), 0)


class NodeArg:
    """An input or output of a model: name, type, shape. A dim is an int, a symbol or None."""

    __slots__ = ("_dims", "_name", "_type")

    def __init__(self, info: linnet.ValueInfo, dimensions: dict[str, int]) -> None:
        self._name = info.name
        self._type = type_of_text(info.dtype)
        self._dims: list[int | str | None] | None = None
        if info.shape is not None:
            self._dims = [dimensions.get(dim, dim) if isinstance(dim, str) else dim for dim in info.shape]

    @property
    def name(self) -> str:
        return self._name

    @property
    def type(self) -> str:
        return self._type

    @property
    def shape(self) -> list[int | str | None]:
        return list(self._dims or [])

    def __str__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


class ModelMetadata:
    """The metadata of a model."""

    __slots__ = (
        "custom_metadata_map", "description", "domain", "graph_description", "graph_name", "producer_name", "version",
    )  # fmt: skip

    def __init__(self, metadata: linnet.Metadata) -> None:
        self.custom_metadata_map = dict(metadata.properties)
        for name in self.__slots__[1:]:
            setattr(self, name, getattr(metadata, name))
