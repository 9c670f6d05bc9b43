"""One exception for each kind of error. Each is also a subclass of one of Python's built-in exceptions."""

import builtins


class Error(RuntimeError):
    """The base class of all errors of Linnet."""


class ModelError(Error, ValueError):
    """The model is malformed, or has no input or output of the given name."""


class UnsupportedError(Error, NotImplementedError):
    """The model is valid, but this build does not support it: an operator, an opset, a type."""


class TypeError(Error, builtins.TypeError):
    """A dtype or a kind of value does not fit."""


class ShapeError(Error, ValueError):
    """A rank or a dimension does not fit."""


class IoError(Error, OSError):
    """A file cannot be read or written."""


class LimitError(Error, MemoryError):
    """A limit on memory, size, depth or time was exceeded."""


class CancelledError(Error):
    """A Cancellation ended the run."""


class InternalError(Error):
    """A bug in Linnet."""
