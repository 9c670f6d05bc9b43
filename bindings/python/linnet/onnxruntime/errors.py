"""ONNX Runtime's exceptions, and the conversion of Linnet's errors to them."""

from __future__ import annotations

import linnet
from linnet import _linnet


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
    """Returns the exception, whose message begins with the prefix that all messages of ONNX Runtime have."""
    code, name = _CODES[kind]
    return kind(f"[ONNXRuntimeError] : {code} : {name} : {message}")


def text(exception: Exception) -> str:
    """Returns the message without that prefix."""
    return str(exception).split(" : ", 3)[-1]


def unsupported(what: str) -> Exception:
    return error(NotImplemented, f"{what} is not supported by Linnet")


def of_load(cause: linnet.Error, model: str | bytes) -> Exception:
    """Returns the exception that ONNX Runtime raises for a model that fails to load."""
    code, message = _linnet.onnxruntime_load_failure(cause, "" if isinstance(model, bytes) else model)
    return error(next(kind for kind, (number, _) in _CODES.items() if number == code), message)


def of_run(cause: linnet.Error) -> Exception:
    """Returns the exception that ONNX Runtime raises for a failed run whose inputs were checked before."""
    if isinstance(cause, linnet.CancelledError):
        return error(Fail, "the run ended because terminate was set to True")
    return error(NotImplemented if isinstance(cause, linnet.UnsupportedError) else Fail, str(cause))
