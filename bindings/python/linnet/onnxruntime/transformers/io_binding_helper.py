"""The types of inputs and outputs as dtypes of NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from linnet.onnxruntime import types
from linnet.onnxruntime.session import InferenceSession

_TORCH = {"float": "float32", "double": "float64", "float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz",
          "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz"}  # fmt: skip


class TypeHelper:
    """All functions raise ValueError for unknown types and names."""

    @staticmethod
    def get_input_type(ort_session: InferenceSession, name: str) -> str:
        return _type_of(ort_session.get_inputs(), name)

    @staticmethod
    def get_output_type(ort_session: InferenceSession, name: str) -> str:
        return _type_of(ort_session.get_outputs(), name)

    @staticmethod
    def ort_type_to_numpy_type(ort_type: str) -> type[Any]:
        dtype = types.dtype_of(ort_type)
        if dtype is None or dtype == object:
            raise ValueError(f"{ort_type} has no NumPy type")
        return dtype.type

    @staticmethod
    def ort_type_to_torch_type(ort_type: str) -> torch.dtype:
        name = ort_type.removeprefix("tensor(").removesuffix(")")
        found = getattr(torch, _TORCH.get(name, name), None)
        if not isinstance(found, torch.dtype):
            raise ValueError(f"{ort_type} has no PyTorch type")
        return found


def _type_of(args: list[types.NodeArg], name: str) -> str:
    for arg in args:
        if arg.name == name:
            return arg.type
    raise ValueError(f"there is no value '{name}'")
