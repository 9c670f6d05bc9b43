"""Runs ONNX models on CPUs: linnet.Session("model.onnx").run({"x": array})."""

from linnet import dtypes
from linnet._linnet import Cancellation, Context
from linnet._linnet import version as __version__
from linnet.batching import batched
from linnet.errors import (
    CancelledError,
    Error,
    InternalError,
    IoError,
    LimitError,
    ModelError,
    ShapeError,
    TypeError,
    UnsupportedError,
)
from linnet.files import ModelFiles
from linnet.images import read_image
from linnet.session import Memory, Metadata, NodeEvent, Session, ValueInfo, cached

# All but TypeError, which would hide Python's TypeError after `from linnet import *`.
__all__ = [
    "Cancellation", "CancelledError", "Context", "Error", "InternalError", "IoError", "LimitError", "Memory", "Metadata", "ModelError",
    "ModelFiles", "NodeEvent", "Session", "ShapeError", "UnsupportedError", "ValueInfo", "__version__", "batched", "cached",
    "read_image",
]  # fmt: skip

dtypes.register()
