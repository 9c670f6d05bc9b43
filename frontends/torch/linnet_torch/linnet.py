"""Linnet's own exporter, that of the program export_model: the rules of liblinnet_torch_export on TorchScript."""

import contextlib
import warnings
from pathlib import Path

import torch

from . import library
from .dynamic_shapes import dim_name
from .errors import ExportError
from .request import Request
from .symbolics import SELU_DOMAIN

_OLDEST_OPSET, _DEFAULT_OPSET, _NEWEST_OPSET, _DEFORM_CONV_OPSET = 13, 17, 21, 19


def opset_of(request: Request) -> int:
    """The opset of the file: 17 unless asked for another; DeformConv needs 19."""
    opset = _DEFAULT_OPSET if request.opset_version is None else request.opset_version
    if not _OLDEST_OPSET <= opset <= _NEWEST_OPSET:
        raise ExportError(
            f"opset_version must be {_OLDEST_OPSET} to {_NEWEST_OPSET} with Linnet's exporter, got {opset}"
        )
    return max(opset, _DEFORM_CONV_OPSET) if request.forms["deform_conv"] == "standard" else opset


def export(request: Request, file: str, opset: int) -> None:
    operator, functions, forms = library.exporter(), _functions(request), request.forms
    dynamic = {
        name: {axis: dim_name(dim, axis, name) for axis, dim in axes.items()}
        for name, axes in zip(request.input_names, request.axes)
    }
    # The writer adds the body where my_add becomes a function.
    my_add = "decompose" if forms["my_add"] == "decompose" else "custom"
    script = Path(f"{file}.pt")
    try:
        arguments = _save(request, script)
        # Evaluating the module on other examples draws random numbers.
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(0)
            operator(
                *(str(script), arguments, request.input_names, dynamic, request.output_names),
                *(functions, forms["deform_conv"], my_add, opset, file),
            )
    except RuntimeError as error:
        raise ExportError(f"Linnet's exporter cannot export {type(request.module).__name__}: {error}") from None
    script.unlink()


def _save(request: Request, script: Path) -> tuple:
    """Saves the module as TorchScript and returns the arguments to call it with."""
    with _quiet():
        module, arguments = _torchscript(request)
        torch.jit.save(module, str(script))
    return arguments


def _torchscript(request: Request) -> tuple:
    """The module, traced where it is no TorchScript, and the arguments to call it with."""
    module = request.module
    if isinstance(module, torch.jit.ScriptModule):
        with request.arguments.exported(module) as arguments:
            return module, arguments
    with request.arguments.tensors_alone(module) as tensors:
        return torch.jit.trace(module, tensors, check_trace=False), tensors


def _functions(request: Request) -> dict:
    """Domain and name of the model function that is called for an operator."""
    result = {"aten::selu": [SELU_DOMAIN, "Selu"]} if request.forms["selu"] == "function" else {}
    for overload, function in request.translations.items():
        if not hasattr(function, "to_function_proto"):
            raise ExportError(
                f"custom_translation_table: Linnet's exporter takes functions of onnxscript.script only, for {overload}"
            )
        proto = function.to_function_proto()
        schema = overload._schema
        name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
        result[name] = [proto.domain, proto.name]
    return result


@contextlib.contextmanager
def _quiet():
    """Without the warnings that say nothing of the module: that TorchScript grows old, deform_conv2d's groups."""
    with warnings.catch_warnings():
        deform_conv = r"torchvision\.ops\.deform_conv|linnet_torch\.operators"
        warnings.filterwarnings("ignore", category=torch.jit.TracerWarning, module=deform_conv)
        warnings.filterwarnings("ignore", message="`torch.jit.* is deprecated")
        yield
