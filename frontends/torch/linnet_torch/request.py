"""The settings of one export."""

from dataclasses import dataclass, field
from typing import Any, Optional

import torch

from . import state
from .arguments import Arguments
from .nested import flatten


@dataclass
class Request:
    """An export as every exporter receives it. The fields are those of linnet_torch.export."""

    module: torch.nn.Module
    program: Any  # of torch.export, if one was given; `module` is then made from it
    arguments: Arguments
    input_names: list[str]
    output_names: list[str]
    axes: list[dict]  # of each tensor, as dynamic_shapes.axes_of returns them
    opset_version: Optional[int]
    forms: dict[str, str]  # deform_conv, my_add, selu
    translations: dict
    functions: list = field(default_factory=list)  # autograd.Functions with a `symbolic` that the module calls
    bodies: list = field(default_factory=list)  # FunctionProtos that the exporter calls
    quantised: Optional[torch.nn.Module] = None  # the module that `module` is made from, if that is quantised

    def results(self, arguments: Arguments, module=None, seed: int = 0) -> list[torch.Tensor]:
        """Returns the tensors that the given module, or another of its kind, returns.

        Restores its buffers and PyTorch's random number generator.
        """
        return results(module or self.given, arguments, seed)

    @property
    def given(self) -> torch.nn.Module:
        """The module whose results the file must have."""
        return self.module if self.quantised is None else self.quantised


def results(module: torch.nn.Module, arguments: Arguments, seed: int = 0) -> list[torch.Tensor]:
    with state.kept(module), torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        return [tensor.detach().clone() for tensor in flatten(arguments.call(module))]
