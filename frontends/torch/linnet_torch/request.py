"""What one export asks for."""

from dataclasses import dataclass
from typing import Optional

import torch

from .arguments import Arguments


@dataclass
class Request:
    """An export as both of PyTorch's exporters take it; the fields are those of linnet_torch.export."""

    module: torch.nn.Module
    arguments: Arguments
    input_names: list[str]
    output_names: list[str]
    axes: list[dict]  # of each tensor, as dynamic_shapes.axes_of returns them
    opset_version: Optional[int]
    forms: dict[str, str]  # deform_conv, my_add, selu
    translations: dict
