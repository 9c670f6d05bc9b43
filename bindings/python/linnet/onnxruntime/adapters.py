"""Adapters: files of values for inputs, which runs can use."""

from __future__ import annotations

import operator
from pathlib import Path

from linnet import _linnet
from linnet.onnxruntime import types
from linnet.onnxruntime.values import OrtValue

_FORMAT_VERSION = 1


def _contents(path: str) -> bytes:
    if not isinstance(path, str):
        raise TypeError(f"the path of an adapter is a str, got {type(path)}")
    try:
        return Path(path).read_bytes()
    except OSError as cause:
        raise RuntimeError(f"the adapter {path} cannot be read: {cause}") from cause


def _version(number: int) -> int:
    if not -(2**31) <= operator.index(number) < 2**31:
        raise TypeError(f"a version is an int of 32 bits, got {number}")
    return operator.index(number)


class AdapterFormat:
    """The contents of an adapter file: arrays by name, and the versions of the adapter and of its model."""

    def __init__(self) -> None:
        self._versions = (0, 0)
        self._parameters: dict[str, OrtValue] = {}

    @staticmethod
    def read_adapter(file_path: str) -> AdapterFormat:
        adapter = AdapterFormat()
        *versions, arrays = _linnet.onnxruntime_read_adapter(_contents(file_path))
        adapter._versions = versions[0], versions[1]
        adapter._parameters = {name: OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
        return adapter

    def export_adapter(self, file_path: str) -> None:
        arrays = {name: value.numpy() for name, value in self._parameters.items()}
        contents = _linnet.onnxruntime_write_adapter(*self._versions, arrays)
        try:
            Path(file_path).write_bytes(contents)
        except OSError as cause:
            raise RuntimeError(f"the adapter {file_path} cannot be written: {cause}") from cause

    def get_format_version(self) -> int:
        return _FORMAT_VERSION

    def set_adapter_version(self, adapter_version: int) -> None:
        self._versions = _version(adapter_version), self._versions[1]

    def get_adapter_version(self) -> int:
        return self._versions[0]

    def set_model_version(self, model_version: int) -> None:
        self._versions = self._versions[0], _version(model_version)

    def get_model_version(self) -> int:
        return self._versions[1]

    def set_parameters(self, params: dict[str, OrtValue]) -> None:
        self._parameters = {name: value._get_c_value() for name, value in params.items()}

    def get_parameters(self) -> dict[str, OrtValue]:
        return dict(self._parameters)


class LoraAdapter:
    """Values for inputs. It is empty until it is loaded."""

    def __init__(self) -> None:
        self._parameters: dict[str, types.Array] = {}

    def Load(self, adapter_path: str) -> None:
        self._parameters = _linnet.onnxruntime_read_adapter(_contents(adapter_path))[2]
