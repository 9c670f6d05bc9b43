"""The package's C++ libraries.

liblinnet_torch_ops contains the operators linnet::my_add and linnet::deform_conv2d. liblinnet_torch_export contains
Linnet's own exporter as the operator linnet::export_onnx.
"""

import ctypes
import functools
import os
from pathlib import Path
from typing import Optional

import torch

from .errors import ExportError

_OPERATORS, _EXPORTER = "linnet_torch_ops", "linnet_torch_export"


def find() -> Optional[Path]:
    """Finds liblinnet_torch_ops: $LINNET_TORCH_OPS, else next to this package, else in the source tree's build."""
    if named := os.environ.get("LINNET_TORCH_OPS"):
        return Path(named)
    package = Path(__file__).resolve().parent
    found = (folder / f"lib{_OPERATORS}.so" for folder in (package, package.parents[2] / "build" / "lib"))
    return next(filter(Path.is_file, found), None)


def require() -> ctypes.CDLL:
    """Returns the library of operators. Raises an ExportError with the reason if it is not loaded."""
    if _library is None:
        raise ExportError(_problem)
    return _library


@functools.lru_cache(maxsize=None)
def exporter():
    """Returns the operator linnet::export_onnx, from the library next to that of the operators. Raises as require()."""
    operators = find()
    _load(_EXPORTER, operators and operators.with_name(f"lib{_EXPORTER}.so"))
    return torch.ops.linnet.export_onnx


def has_exporter() -> bool:
    """Whether exporter() succeeds."""
    try:
        exporter()
        return True
    except ExportError:
        return False


def _load(name: str, path: Optional[Path]) -> ctypes.CDLL:
    if path is None or not path.is_file():
        raise ExportError(
            f"lib{name}.so was not found. Build it with `cmake -B build -DLINNET_BUILD_TORCH=ON && cmake --build build "
            f"--target {name}` or as described in docs/exporter.md; LINNET_TORCH_OPS may name lib{_OPERATORS}.so."
        )
    try:
        torch.ops.load_library(str(path))
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ExportError(
            f"{path} does not load into PyTorch {torch.__version__}: {error}. Build it for this PyTorch."
        ) from None


def _load_operators() -> tuple[Optional[ctypes.CDLL], str]:
    try:
        library = _load(_OPERATORS, find())
    except ExportError as error:
        return None, str(error)
    library.linnet_torch_register_deform_conv2d.restype = ctypes.c_bool
    return library, ""


_library, _problem = _load_operators()
