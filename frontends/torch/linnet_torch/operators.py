"""The PyTorch operators that Linnet adds: my_add as TORCH_LIBRARY operator and as autograd.Function, deform_conv2d."""

import ctypes
import functools
import os
from pathlib import Path

import torch

from .errors import ExportError
from .symbolics import my_add_rule

_LIBRARY_NAME = "liblinnet_torch_ops.so"


def find_library() -> Path:
    """The path of liblinnet_torch_ops: $LINNET_TORCH_OPS, else beside this package, else in the source tree's build."""
    if named := os.environ.get("LINNET_TORCH_OPS"):
        return Path(named)
    package = Path(__file__).resolve().parent
    for folder in (package, package.parents[2] / "build" / "lib"):
        if (folder / _LIBRARY_NAME).is_file():
            return folder / _LIBRARY_NAME
    raise ExportError(
        f"{_LIBRARY_NAME} was not found. Build it with `cmake -B build -DLINNET_BUILD_TORCH=ON && cmake --build build "
        "--target linnet_torch_ops` (needs libtorch-dev), or name it in LINNET_TORCH_OPS."
    )


@functools.lru_cache(maxsize=None)
def load_operators() -> ctypes.CDLL:
    """Loads the library, which registers torch.ops.linnet.my_add; later calls return the same handle."""
    path = find_library()
    try:
        torch.ops.load_library(str(path))
    except OSError as error:
        raise ExportError(f"{path} does not load into this PyTorch: {error}") from error
    library = ctypes.CDLL(str(path))
    library.linnet_torch_register_deform_conv2d.restype = ctypes.c_bool
    return library


def my_add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """2a + b by the TORCH_LIBRARY operator linnet::my_add, with PyTorch's broadcasting and type promotion."""
    load_operators()
    return torch.ops.linnet.my_add(a, b)


def register_deform_conv2d() -> bool:
    """Registers torchvision::deform_conv2d (schema and forward CPU kernel) where nobody has; returns whether it did.

    For programs that load TorchScript files without torchvision: PyTorch refuses a second registration of one
    operator, so torchvision cannot be imported afterwards.
    """
    return load_operators().linnet_torch_register_deform_conv2d()


class MyAddFunction(torch.autograd.Function):
    """2a + b as autograd.Function, in pure Python: `MyAddFunction.apply(a, b)`.

    Exports as custom::my_add; linnet_torch.export(my_add=...) chooses another form.
    """

    @staticmethod
    def forward(ctx, a, b):
        ctx.shapes = a.shape, b.shape
        return 2 * a + b

    @staticmethod
    def backward(ctx, grad):
        a_shape, b_shape = ctx.shapes
        return (2 * grad).sum_to_size(a_shape), grad.sum_to_size(b_shape)

    symbolic = staticmethod(my_add_rule("custom"))
