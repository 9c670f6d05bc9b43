"""Linnet's own exporter on programs of torch.export: the command export_model."""

import subprocess
from pathlib import Path

import torch

from . import branches, linnet
from .engine import find_export_model
from .errors import ExportError, cause_of
from .function_nodes import FunctionNodes
from .program import input_shapes
from .request import Request
from .sizes import dim_name, shapes_with

opset_of = linnet.opset_of


def export(request: Request, file: str, opset: int) -> None:
    command = find_export_model()
    nodes = FunctionNodes(request.functions)
    with nodes.whole():
        program = request.program or _capture(request)
    request.bodies = nodes.bodies(opset)
    try:
        _write(request, program, file, [command, *_form(request, opset)])
    except _NoRule:  # the operators that composed ones decompose to may have rules
        _write(request, program.run_decompositions(), file, [command, *_form(request, opset)])


class _NoRule(ExportError):
    """An operator has no rule."""


def _write(request: Request, program, file: str, command: list[str]) -> None:
    archive = Path(f"{file}.pt2")
    torch.export.save(program, archive)
    arguments = [*command, str(archive), "-o", file, "--no-states", *_names(request, program)]
    result = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    archive.unlink()
    if result.returncode != 0:
        problem = result.stderr.strip().removeprefix("export_model: ")
        raise (_NoRule if "there is no lowering rule" in problem else ExportError)(problem)


def _form(request: Request, opset: int) -> list[str]:
    # If my_add becomes a function, the writer adds its body.
    my_add = "decompose" if request.forms["my_add"] == "decompose" else "custom"
    calls = [f"{name}={'::'.join(function)}" for name, function in linnet.functions_of(request).items()]
    calls += [f"{body.domain}::{body.name}={body.domain}::{body.name}" for body in request.bodies]
    return [
        *("--deform-conv", request.forms["deform_conv"], "--my-add", my_add),
        *(flag for call in calls for flag in ("--call", call)),
        *(("--opset", str(opset)) if request.opset_version is not None else ()),
    ]


def _names(request: Request, program) -> list[str]:
    """Returns the flags that name inputs, outputs and dynamic axes."""
    flags = ["--input-names", ",".join(request.input_names), "--output-names", ",".join(request.output_names)]
    named = {}
    for input_name, axes, shape in zip(request.input_names, request.axes, input_shapes(program)):
        for axis, dim in axes.items():
            if isinstance(shape[axis], int):
                raise ExportError(
                    f"axis {axis} of '{input_name}' is to be dynamic, but in {type(request.given).__name__} it can "
                    f"only be {shape[axis]}"
                )
            symbol, name = str(shape[axis]), dim_name(dim, axis, input_name)
            if symbol.isidentifier() and symbol != name:
                named.setdefault(symbol, name)
    return flags + [flag for symbol, name in named.items() for flag in ("--dim-name", f"{symbol}={name}")]


def _capture(request: Request):
    dynamic = any(request.axes)
    arguments = _at_least_two_long(request) if dynamic else request.arguments
    shapes = tuple({axis: _hint(dim) for axis, dim in axes.items()} for axes in request.axes)
    with arguments.tensors_alone(request.module) as tensors, branches.left_out():
        try:
            return torch.export.export(request.module, tensors, dynamic_shapes=(shapes,) if dynamic else None, strict=False)
        except Exception as error:  # torch.export raises many kinds
            raise ExportError(f"torch.export refuses it: {cause_of(error)}") from error


def _hint(dim):
    """Lets PyTorch itself find the relations between the sizes of a model."""
    return torch.export.Dim.AUTO if isinstance(dim, str) else dim


def _at_least_two_long(request: Request):
    """Returns the arguments, repeated to length 2 along shorter dynamic axes.

    torch.export treats lengths of 0 and 1 as constants.
    """
    shapes = shapes_with(request, lambda size, i: max(size, 2))
    tensors = [_filled(tensor, shape) for tensor, shape in zip(request.arguments.tensors(), shapes)]
    arguments = request.arguments.with_tensors(tensors)
    try:
        request.results(arguments)
        return arguments
    except Exception:  # a module may raise anything on sizes that it rejects
        return request.arguments


def _filled(tensor: torch.Tensor, shape: list) -> torch.Tensor:
    """Returns the tensor repeated along its axes up to this shape, or zeros if it is empty."""
    if tensor.numel() == 0:
        return torch.zeros(shape, dtype=tensor.dtype)
    counts = [-(-wanted // size) for wanted, size in zip(shape, tensor.shape)]
    return tensor.repeat(counts)[tuple(slice(size) for size in shape)] if shape else tensor
