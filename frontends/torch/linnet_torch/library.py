"""liblinnet_torch_ops, the C++ library that holds the operators linnet::my_add and linnet::deform_conv2d."""

import ctypes
import os
from pathlib import Path
from typing import Optional

import torch

from .errors import ExportError

_NAME = "liblinnet_torch_ops.so"


def find() -> Optional[Path]:
    """$LINNET_TORCH_OPS, else beside this package, else in the source tree's build."""
    if named := os.environ.get("LINNET_TORCH_OPS"):
        return Path(named)
    package = Path(__file__).resolve().parent
    found = (folder / _NAME for folder in (package, package.parents[2] / "build" / "lib"))
    return next(filter(Path.is_file, found), None)


def require() -> ctypes.CDLL:
    """The library. Throws ExportError that says why it is not loaded."""
    if _library is None:
        raise ExportError(_problem)
    return _library


def _load() -> tuple[Optional[ctypes.CDLL], str]:
    path = find()
    if path is None:
        return None, (
            f"{_NAME} was not found. Build it with `cmake -B build -DLINNET_BUILD_TORCH=ON && cmake --build build "
            "--target linnet_torch_ops` or as docs/exporter.md says, or name it in LINNET_TORCH_OPS."
        )
    try:
        torch.ops.load_library(str(path))
        library = ctypes.CDLL(str(path))
    except OSError as error:
        return None, f"{path} does not load into PyTorch {torch.__version__}: {error}. Build it for this PyTorch."
    library.linnet_torch_register_deform_conv2d.restype = ctypes.c_bool
    return library, ""


_library, _problem = _load()
