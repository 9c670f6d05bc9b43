"""Exports PyTorch modules as ONNX files for Linnet, and checks that run_model computes what PyTorch does.

Most programs need only linnet_torch.export(module, args, path); see docs/exporter.md.
"""

from .errors import ExportError, MismatchError
from .exporter import export
from .operators import DeformConv2d, MyAddFunction, deform_conv2d, my_add, register_deform_conv2d
from .pt2 import save_pt2

__all__ = [
    "DeformConv2d",
    "ExportError",
    "MismatchError",
    "MyAddFunction",
    "deform_conv2d",
    "export",
    "my_add",
    "register_deform_conv2d",
    "save_pt2",
]
