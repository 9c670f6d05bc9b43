"""Exports PyTorch modules as ONNX files for Linnet, and checks that run_model computes what PyTorch does.

linnet_torch.export(module, args, path) is all that most programs need; see docs/exporter.md.
"""

from .errors import ExportError, MismatchError
from .exporter import export
from .operators import MyAddFunction, load_operators, my_add, register_deform_conv2d

__all__ = [
    "ExportError",
    "MismatchError",
    "MyAddFunction",
    "export",
    "load_operators",
    "my_add",
    "register_deform_conv2d",
]
