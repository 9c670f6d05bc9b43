"""linnet_torch.export: a PyTorch module becomes an ONNX file that run_model has run."""

import contextlib
import inspect
import os
import tempfile
import warnings
from pathlib import Path

import onnx
import torch

from . import check as checker
from . import functions, symbolics
from .arguments import Arguments
from .errors import ExportError, MismatchError
from .nested import flatten
from .registration import registered
from .upgrade import EXPORTER_OPSET, NEWEST_OPSET, upgrade

_FORMS = {
    "deform_conv": ("custom", "standard"),
    "my_add": ("custom", "decompose", "function"),
    "selu": ("function", "standard"),
}
_OLDEST_OPSET = 9


def export(
    module: torch.nn.Module,
    args,
    path,
    *,
    opset_version: int = 17,
    input_names=None,
    output_names=None,
    dynamic_axes=None,
    deform_conv: str = "custom",
    my_add: str = "custom",
    selu: str = "function",
    check: bool = True,
    run_model=None,
    atol: float = 1e-5,
    rtol: float = 1e-5,
) -> None:
    """Exports `module` to the ONNX file `path` and checks that run_model computes from it what PyTorch does.

    args            the example inputs, as torch.onnx.export takes them: a tensor, or a tuple of arguments
    opset_version   9 to 19
    input_names     default: the parameter names of module.forward
    output_names    default: "output", or "output_0", "output_1" ... where there are several
    dynamic_axes    as torch.onnx.export takes it
    deform_conv     torchvision::deform_conv2d as "custom" (custom::deform_conv2d) or "standard" (DeformConv; makes the
                    file opset 19)
    my_add          linnet::my_add and MyAddFunction as "custom" (custom::my_add), "decompose" (Mul and Add) or
                    "function" (custom::my_add with its body in the file)
    selu            aten::selu as "function" (custom-onnx-script::Selu with its body in the file) or "standard" (Selu)
    check           run the file with run_model and compare each output with PyTorch
    run_model       the command; default: $LINNET_RUN_MODEL, PATH, the source tree's build
    atol, rtol      allowed: |difference| <= max(atol, rtol * |PyTorch's value|)

    The module is exported in evaluation mode; its modes and PyTorch's registry of symbolic functions stay as they were.
    Raises ExportError, where outputs differ MismatchError (the file is kept), and what torch.onnx.export raises.
    """
    _check_choices(opset_version, deform_conv=deform_conv, my_add=my_add, selu=selu)
    command = checker.find_run_model(run_model) if check else None
    opset = NEWEST_OPSET if deform_conv == "standard" else opset_version
    rules = symbolics.rules(deform_conv, my_add, selu)
    arguments = Arguments(module, args)
    tensors = arguments.tensors()
    input_names = list(input_names or tensors)
    with _evaluation(module), torch.no_grad():
        outputs = flatten(arguments.call(module))
        output_names = list(output_names or _output_names(len(outputs), input_names))
        with _replacing(Path(path)) as file:
            with registered(rules, min(opset, EXPORTER_OPSET)), arguments.exported(module) as args, _quiet():
                _torch_export(module, args, file, min(opset, EXPORTER_OPSET), input_names, output_names, dynamic_axes)
            _finish(file, my_add, opset)
    if check:
        _check(
            command, Path(path), dict(zip(input_names, tensors.values())), dict(zip(output_names, outputs)), atol, rtol
        )


def _check_choices(opset_version: int, **choices: str) -> None:
    if not _OLDEST_OPSET <= opset_version <= NEWEST_OPSET:
        raise ExportError(f"opset_version must be {_OLDEST_OPSET} to {NEWEST_OPSET}, got {opset_version}")
    for name, choice in choices.items():
        if choice not in _FORMS[name]:
            raise ExportError(f"{name} must be one of {', '.join(_FORMS[name])}, got {choice!r}")


def _output_names(count: int, taken: list) -> list[str]:
    result = ["output"] if count == 1 else [f"output_{i}" for i in range(count)]
    while set(result) & set(taken):
        result = [f"{name}_" for name in result]
    return result


def _torch_export(module, args, file, opset, input_names, output_names, dynamic_axes) -> None:
    # Since PyTorch 2.5 the exporter that calls symbolic functions has to be asked for.
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(
        module,
        args,
        str(file),
        opset_version=opset,
        input_names=input_names,
        output_names=output_names,
        dynamic_axes=dynamic_axes,
        **options,
    )


def _finish(file: Path, my_add: str, opset: int) -> None:
    """What PyTorch's exporter cannot write: function bodies, and opsets above its newest."""
    model = onnx.load(str(file), load_external_data=False)
    has_functions = functions.attach(model, my_add, opset)
    if upgrade(model, opset) or has_functions:
        onnx.save(model, str(file))


def _check(command: str, path: Path, inputs: dict, outputs: dict, atol: float, rtol: float) -> None:
    graph = onnx.load(str(path), load_external_data=False).graph
    used = {value.name for value in graph.input}
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in inputs.items() if name in used}
    got = checker.run(command, path, arrays)
    try:
        checker.compare(got, {name: value.detach().cpu().numpy() for name, value in outputs.items()}, atol, rtol)
    except MismatchError as error:
        raise MismatchError(f"{path}: {error}") from None


@contextlib.contextmanager
def _evaluation(module: torch.nn.Module):
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode


@contextlib.contextmanager
def _replacing(path: Path):
    """A path beside `path` to write to; it takes the place of `path` when all went well and vanishes otherwise."""
    with tempfile.TemporaryDirectory(dir=path.resolve().parent, prefix=f".{path.name}.") as folder:
        file = Path(folder) / path.name
        yield file
        for written in Path(folder).iterdir():
            os.replace(written, path.parent / written.name)


@contextlib.contextmanager
def _quiet():
    """Without the warnings that say nothing: several for each custom operator, one for torchvision's offset groups."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=torch.jit.TracerWarning, module=r"torchvision\.ops\.deform_conv")
        warnings.filterwarnings("ignore", message="The shape inference of .* type is missing")
        warnings.filterwarnings("ignore", message="'torch.onnx._patch_torch._graph_op' is deprecated")
        yield
