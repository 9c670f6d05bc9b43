"""ONNX Runtime's exceptions, and Linnet's errors as such."""

from __future__ import annotations

import os

import linnet


class Fail(Exception):
    pass


class InvalidArgument(Exception):
    pass


class NoSuchFile(Exception):
    pass


class NoModel(Exception):
    pass


class EngineError(Exception):
    pass


class RuntimeException(Exception):
    pass


class InvalidProtobuf(Exception):
    pass


class ModelLoaded(Exception):
    pass


class NotImplemented(Exception):
    pass


class InvalidGraph(Exception):
    pass


class EPFail(Exception):
    pass


class ModelLoadCanceled(Exception):
    pass


class ModelRequiresCompilation(Exception):
    pass


class NotFound(Exception):
    pass


class DeviceReset(Exception):
    pass


_CODES = {
    Fail: (1, "FAIL"), InvalidArgument: (2, "INVALID_ARGUMENT"), NoSuchFile: (3, "NO_SUCHFILE"),
    InvalidProtobuf: (7, "INVALID_PROTOBUF"), NotImplemented: (9, "NOT_IMPLEMENTED"),
    InvalidGraph: (10, "INVALID_GRAPH"), ModelLoadCanceled: (12, "MODEL_LOAD_CANCELED"),
}  # fmt: skip


def error(kind: type[Exception], message: str) -> Exception:
    """The exception with the head that all messages of ONNX Runtime have."""
    code, name = _CODES[kind]
    return kind(f"[ONNXRuntimeError] : {code} : {name} : {message}")


def text(exception: Exception) -> str:
    """The message without that head."""
    return str(exception).split(" : ", 3)[-1]


def unsupported(what: str) -> Exception:
    return error(NotImplemented, f"{what} is not supported by Linnet")


def of_load(cause: linnet.Error, model: str | bytes) -> Exception:
    """What ONNX Runtime raises where a model does not load."""
    message = str(cause)
    if isinstance(cause, linnet.IoError) and isinstance(model, str) and not os.path.exists(model):
        return error(NoSuchFile, f"Load model from {model} failed: the file does not exist")
    if "not an ONNX model" in message:
        return error(InvalidProtobuf, message)
    if "empty file" in message:
        return error(InvalidArgument, message)
    kinds: dict[type[linnet.Error], type[Exception]] = {
        linnet.ModelError: InvalidGraph, linnet.TypeError: InvalidGraph, linnet.ShapeError: InvalidGraph,
             linnet.UnsupportedError: NotImplemented}  # fmt: skip
    return error(kinds.get(type(cause), Fail), message)


def of_run(cause: linnet.Error) -> Exception:
    """What ONNX Runtime raises where a run fails; inputs were checked before."""
    if isinstance(cause, linnet.CancelledError):
        return error(Fail, "the run ended because terminate was set to True")
    return error(NotImplemented if isinstance(cause, linnet.UnsupportedError) else Fail, str(cause))
