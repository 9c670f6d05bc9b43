"""One exception for each kind of error; each is one of Python's own kinds, too."""

import builtins


class Error(RuntimeError):
    """What all of Linnet's errors are."""


class ModelError(Error, ValueError):
    """The model is malformed, or an input or output of that name does not exist."""


class UnsupportedError(Error, NotImplementedError):
    """Valid, but not supported by this build."""


class TypeError(Error, builtins.TypeError):
    """A dtype, or kind of value, that does not fit."""


class ShapeError(Error, ValueError):
    """A rank or dimension that does not fit."""


class IoError(Error, OSError):
    """A file cannot be read or written."""


class LimitError(Error, MemoryError):
    """A limit on memory, size, depth or time was hit."""


class CancelledError(Error):
    """The run was cancelled."""


class InternalError(Error):
    """A bug in Linnet."""
