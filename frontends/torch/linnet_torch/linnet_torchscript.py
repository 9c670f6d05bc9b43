"""Linnet's own exporter on TorchScript: the rules of liblinnet_torch_export, and examples of several sizes."""

from pathlib import Path

import torch

from . import library, linnet
from .errors import ExportError
from .request import Request
from .sizes import dim_name
from .state import kept

opset_of = linnet.opset_of


def export(request: Request, file: str, opset: int) -> None:
    operator, functions, forms = library.exporter(), linnet.functions_of(request), request.forms
    dynamic = {
        name: {axis: dim_name(dim, axis, name) for axis, dim in axes.items()}
        for name, axes in zip(request.input_names, request.axes)
    }
    # If my_add becomes a function, the writer adds its body.
    my_add = "decompose" if forms["my_add"] == "decompose" else "custom"
    script = Path(f"{file}.pt")
    try:
        module, arguments = _torchscript(request)
        torch.jit.save(module, str(script))
        # Evaluating the module on other examples consumes random numbers.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            operator(
                *(str(script), arguments, request.input_names, dynamic, request.output_names),
                *(functions, forms["deform_conv"], my_add, opset, request.opset_version is None, file),
            )
    except RuntimeError as error:
        raise ExportError(str(error)) from None
    script.unlink()


def _torchscript(request: Request) -> tuple:
    """Returns the module, traced unless it is TorchScript, and the arguments to call it with."""
    module = request.module
    with request.arguments.tensors_alone(module) as arguments:
        if isinstance(module, torch.jit.ScriptModule):
            return module, arguments
        with kept(module):
            return torch.jit.trace(module, arguments, check_trace=False), arguments
