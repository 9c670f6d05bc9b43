"""linnet_torch.export: a PyTorch module becomes an ONNX file that run_model has run."""

import contextlib
from pathlib import Path

import torch

from . import check as checker
from . import choice, dynamo, torchscript
from .arguments import Arguments
from .dynamic_shapes import axes_of
from .errors import ExportError
from .nested import flatten
from .request import Request
from .writer import write

_FORMS = {
    "deform_conv": ("custom", "standard"),
    "my_add": ("custom", "decompose", "function"),
    "selu": ("function", "standard"),
    "exporter": ("auto", "torchscript", "dynamo"),
}


def export(
    module: torch.nn.Module,
    args,
    path,
    *,
    dynamic_shapes=None,
    input_names=None,
    output_names=None,
    opset_version=None,
    exporter: str = "auto",
    deform_conv: str = "custom",
    my_add: str = "custom",
    selu: str = "function",
    custom_translation_table=None,
    check: bool = True,
    run_model=None,
    atol: float = 1e-5,
    rtol: float = 1e-5,
) -> None:
    """Exports `module` to the ONNX file `path` and checks that run_model computes from it what PyTorch does.

    args            the example inputs, as torch.onnx.export takes them: a tensor, or a tuple of arguments
    dynamic_shapes  which axes are dynamic, as torch.export.export takes it: {"x": {0: "N"}}; names or Dim objects
    input_names     default: the parameter names of module.forward
    output_names    default: "output", or "output_0", "output_1" ... where there are several
    opset_version   9 to 19 from the TorchScript exporter (default 17), 18 to 23 from the dynamo exporter (default 20)
    exporter        PyTorch's "torchscript" or "dynamo" exporter, or "auto": dynamo from PyTorch 2.9 on, except for
                    modules that contain TorchScript or call an autograd.Function with a `symbolic`
    deform_conv     deform_conv2d of torchvision and linnet as "custom" (custom::deform_conv2d) or "standard"
                    (DeformConv; makes the file opset 19 at least)
    my_add          linnet::my_add and MyAddFunction as "custom" (custom::my_add), "decompose" (Mul and Add) or
                    "function" (custom::my_add with its body in the file)
    selu            aten::selu as "function" (custom-onnx-script::Selu with its body in the file) or "standard" (Selu)
    custom_translation_table
                    {torch.ops.ns.name.default: onnxscript function} for operators of your own; wins over all else.
                    From the TorchScript exporter: onnxscript.script functions of tensors, PyTorch 2.0 or newer
    check           run the file with run_model and compare each output with PyTorch; where axes are dynamic, once more
                    with twice their lengths, if the module takes those
    run_model       the command; default: $LINNET_RUN_MODEL, PATH, the source tree's build
    atol, rtol      allowed: |difference| <= max(atol, rtol * |PyTorch's value|)

    The module is exported in evaluation mode; its modes and PyTorch's registry of symbolic functions stay as they were.
    Raises ExportError, where outputs differ MismatchError (the file is kept), and what torch.onnx.export raises.
    """
    forms = {"deform_conv": deform_conv, "my_add": my_add, "selu": selu}
    _check_choices(exporter=exporter, **forms)
    command = checker.find_run_model(run_model) if check else None
    arguments = Arguments(module, args)
    input_names = list(input_names or arguments.names())
    axes = axes_of(dynamic_shapes, arguments.by_parameter)
    with _evaluation(module), torch.no_grad():
        result, called = choice.functions_called(lambda: arguments.call(module))
        output_names = list(output_names or _output_names(len(flatten(result)), input_names))
        request = Request(
            *(module, arguments, input_names, output_names, axes, opset_version, forms, custom_translation_table or {})
        )
        write(request, Path(path), torchscript if choice.choose(exporter, module, called) == "torchscript" else dynamo)
        if check:
            checker.check(command, Path(path), request, result, {"atol": atol, "rtol": rtol})


def _check_choices(**choices: str) -> None:
    for name, choice_ in choices.items():
        if choice_ not in _FORMS[name]:
            raise ExportError(f"{name} must be one of {', '.join(_FORMS[name])}, got {choice_!r}")


def _output_names(count: int, taken: list) -> list[str]:
    result = ["output"] if count == 1 else [f"output_{i}" for i in range(count)]
    while set(result) & set(taken):
        result = [f"{name}_" for name in result]
    return result


@contextlib.contextmanager
def _evaluation(module: torch.nn.Module):
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode
