"""The element types of ONNX as NumPy's dtypes."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from linnet import _linnet

# By number of onnx.TensorProto.DataType.
_NUMPY = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
    11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
}  # fmt: skip
_ML_DTYPES = {
    16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz", 21: "uint4",
    22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2", 27: "float6_e2m3fn",
    28: "float6_e3m2fn",
}  # fmt: skip


def numpys() -> dict[int, np.dtype[Any]]:
    return {number: np.dtype(name) for number, name in _NUMPY.items()}


def by_number() -> dict[int, np.dtype[Any]]:
    """Returns NumPy's dtypes by number, and those of ml_dtypes where it is installed."""
    if not importlib.util.find_spec("ml_dtypes"):
        return numpys()
    import ml_dtypes

    known = {number: getattr(ml_dtypes, name, None) for number, name in _ML_DTYPES.items()}
    return numpys() | {number: np.dtype(scalar) for number, scalar in known.items() if scalar}


def register() -> None:
    _linnet.set_dtypes(numpys(), by_number)
