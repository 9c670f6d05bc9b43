"""PyTorch's older exporter: it traces a module or takes a scripted one, and calls a symbolic function per operator."""

import contextlib
import inspect

import torch

from . import symbolics
from .errors import ExportError
from .registration import registered
from .request import Request
from .sizes import dim_name
from .upgrade import EXPORTER_OPSET, NEWEST_OPSET, OLDEST_OPSET


def opset_of(request: Request) -> int:
    """Returns the opset of the file: 17 unless another is requested; DeformConv needs 19."""
    opset = EXPORTER_OPSET if request.opset_version is None else request.opset_version
    if not OLDEST_OPSET <= opset <= NEWEST_OPSET:
        raise ExportError(f"opset_version must be {OLDEST_OPSET} to {NEWEST_OPSET}, got {opset}")
    return NEWEST_OPSET if request.forms["deform_conv"] == "standard" else opset


def export(request: Request, file: str, opset: int) -> None:
    """Writes `file`. For opsets above 17, upgrade.py must still raise its opset."""
    opset = min(opset, EXPORTER_OPSET)
    rules = symbolics.rules(**request.forms) | _onnxscript_rules(request.translations)
    # Since PyTorch 2.5 this exporter must be requested explicitly.
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    module = request.module
    with registered(rules, opset), request.arguments.tensors_alone(module) as args, _slow_path(module):
        torch.onnx.export(
            _traced(module, args),
            args,
            file,
            opset_version=opset,
            input_names=request.input_names,
            output_names=request.output_names,
            dynamic_axes={
                name: {axis: dim_name(dim, axis, name) for axis, dim in axes.items()}
                for name, axes in zip(request.input_names, request.axes)
            },
            **options,
        )


@contextlib.contextmanager
def _slow_path(module: torch.nn.Module):
    """Avoids the single operator that PyTorch 1.13 uses for attention without gradients and cannot export."""
    attention = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)
    parts = (part for part in module.modules() if isinstance(part, attention))
    frozen = {weight for part in parts for weight in part.parameters() if not weight.requires_grad}
    with torch.enable_grad():
        for weight in frozen:
            weight.requires_grad_(True)
        try:
            yield
        finally:
            for weight in frozen:
                weight.requires_grad_(False)


def _traced(module: torch.nn.Module, args) -> torch.nn.Module:
    """Returns the module, traced if a part of it is scripted, because PyTorch's exporter does not trace such
    modules."""
    whole = isinstance(module, torch.jit.ScriptModule)
    if whole or not any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
        return module
    return torch.jit.trace(module, args, check_trace=False)


def _onnxscript_rules(translations: dict) -> dict:
    if translations and torch.__version__ < (2, 0):
        raise ExportError(f"custom_translation_table needs PyTorch 2.0 or newer, this is {torch.__version__}")
    return {overload._schema.name: _onnxscript_rule(function) for overload, function in translations.items()}


def _onnxscript_rule(function):
    return lambda g, *inputs: g.onnxscript_op(function, *inputs).setType(inputs[0].type())
