"""linnet_torch.export: a PyTorch module becomes an ONNX file that run_model has run."""

import contextlib
import warnings
from pathlib import Path

import torch

from . import check as checker
from . import choice, dynamo, library, linnet, program, torchscript
from .arguments import Arguments
from .dynamic_shapes import axes_of
from .errors import ExportError, MismatchError
from .nested import flatten
from .request import Request
from .writer import write

_EXPORTERS = {"torchscript": torchscript, "dynamo": dynamo, "linnet": linnet}
_FORMS = {
    "deform_conv": ("custom", "standard"),
    "my_add": ("custom", "decompose", "function"),
    "selu": ("function", "standard"),
    "exporter": ("auto", *_EXPORTERS),
}


def export(
    module,
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
) -> str:
    """Exports `module` to the ONNX file `path` and checks that run_model computes from it what PyTorch does.

    module          a torch.nn.Module, TorchScript included, or a torch.export.ExportedProgram
    args            the example inputs, as torch.onnx.export takes them: a tensor, or a tuple of arguments
    dynamic_shapes  which axes are dynamic, as torch.export.export takes it: {"x": {0: "N"}}; names or Dim objects.
                    Default: none; of an ExportedProgram those that it has
    input_names     default: the parameter names of module.forward
    output_names    default: "output", or "output_0", "output_1" ... where there are several
    opset_version   9 to 19 from the TorchScript exporter (default 17), 18 to 23 from the dynamo exporter (default 20),
                    13 to 21 from Linnet's (default 17)
    exporter        PyTorch's "torchscript" or "dynamo" exporter, "linnet": Linnet's own, or "auto": dynamo from PyTorch
                    2.9 on, except for modules that contain TorchScript or call an autograd.Function with a `symbolic`;
                    where PyTorch's cannot export the module or its file fails the check, Linnet's, with a warning
    deform_conv     deform_conv2d of torchvision and linnet as "custom" (custom::deform_conv2d) or "standard"
                    (DeformConv; makes the file opset 19 at least)
    my_add          linnet::my_add and MyAddFunction as "custom" (custom::my_add), "decompose" (Mul and Add) or
                    "function" (custom::my_add with its body in the file)
    selu            aten::selu as "function" (custom-onnx-script::Selu with its body in the file) or "standard" (Selu)
    custom_translation_table
                    {torch.ops.ns.name.default: onnxscript function} for operators of your own; wins over all else.
                    From the TorchScript exporter (PyTorch 2.0 or newer) and Linnet's: onnxscript.script functions of
                    tensors
    check           run the file with run_model and compare each output with PyTorch; where axes are dynamic, once more
                    with twice their lengths, if the module takes those
    run_model       the command; default: $LINNET_RUN_MODEL, PATH, the source tree's build
    atol, rtol      allowed: |difference| <= max(atol, rtol * |PyTorch's value|)

    Returns the name of the exporter that wrote the file: "torchscript", "dynamo" or "linnet".
    The module is exported in evaluation mode; its modes and PyTorch's registry of symbolic functions stay as they were.
    Raises ExportError, where outputs differ MismatchError (the file is kept), and what torch.onnx.export raises.
    """
    forms = {"deform_conv": deform_conv, "my_add": my_add, "selu": selu}
    _check_choices(exporter=exporter, **forms)
    command = checker.find_run_model(run_model) if check else None
    axes = None
    if program.is_program(module):
        axes = program.dynamic_axes(module) if dynamic_shapes is None else None
        module = program.as_module(module)
    arguments = Arguments(module, args)
    input_names = list(input_names or arguments.names())
    axes = axes_of(dynamic_shapes, arguments.by_parameter) if axes is None else axes
    with _evaluation(module), torch.no_grad():
        result, called = choice.functions_called(lambda: arguments.call(module))
        output_names = list(output_names or _output_names(len(flatten(result)), input_names))
        request = Request(
            *(module, arguments, input_names, output_names, axes, opset_version, forms, custom_translation_table or {})
        )

        def attempt(name: str) -> None:
            write(request, Path(path), _EXPORTERS[name])
            if check:
                checker.check(command, Path(path), request, result, {"atol": atol, "rtol": rtol})

        return _first_that_works(choice.choose(exporter, module, called), attempt, exporter == "auto")


def _first_that_works(chosen: str, attempt, may_change: bool) -> str:
    """Calls attempt(chosen) and, where that fails and may_change, attempt("linnet"); returns which went well."""
    try:
        attempt(chosen)
        return chosen
    except Exception as error:  # whatever PyTorch's exporter raises
        if not may_change or not library.has_exporter():
            raise
        problem = error
    try:
        attempt("linnet")
    except MismatchError:  # of the file that is there now
        raise
    except Exception as error:
        kind = type(problem) if isinstance(problem, ExportError) else ExportError
        raise kind(f"{problem}\nNor can exporter='linnet': {error}") from problem
    warnings.warn(
        f"PyTorch's {chosen} exporter failed, so Linnet's wrote the file (exporter='linnet'): {problem}", stacklevel=3
    )
    return "linnet"


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
