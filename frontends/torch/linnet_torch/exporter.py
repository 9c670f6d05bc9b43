"""linnet_torch.export: converts a PyTorch module to an ONNX file and runs it with run_model."""

import contextlib
import warnings
from pathlib import Path

import torch

from . import choice, program, quantised
from .arguments import Arguments
from .called_functions import functions_called
from .check import Check
from .dynamic_shapes import axes_of
from .engine import find_run_model
from .errors import ExportError, MismatchError, cause_of, first_line, without_frames
from .nested import flatten
from .request import Request
from .similar import did_you_mean
from .sizes import check_sizes
from .state import evaluation, kept
from .writer import write

_FORMS = {
    "deform_conv": ("custom", "standard"),
    "my_add": ("custom", "decompose", "function"),
    "selu": ("function", "standard"),
    "exporter": ("auto", *choice.WAYS),
}


def export(
    module,
    args=None,
    path=None,
    *,
    kwargs=None,
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

    module          a torch.nn.Module, TorchScript included, a torch.export.ExportedProgram, or the path of a .pt2 file
    args            the example inputs, as torch.onnx.export takes them: a tensor, or a tuple of arguments, which are
                    pytrees or objects that hold tensors. A program contains its own
    path            the file to write
    kwargs          the example's keyword arguments. Without it, a dict at the end of args holds them if forward accepts
                    them
    dynamic_shapes  the dynamic axes, as torch.export.export takes them: {"x": {0: "N"}}; names or Dim objects. A name
                    may be an expression of others: {"mask": {1: "past + T"}}
                    Default: no axes; for a program, its dynamic axes
    input_names     default: the parameter names of module.forward
    output_names    default: "output", or "output_0", "output_1", ... for several outputs
    opset_version   9 to 19 with the TorchScript exporter (default 17), 18 to 23 with the dynamo exporter (default 20),
                    13 to 25 with Linnet's (default 17, or what an operator needs)
    exporter        "torchscript" or "dynamo": PyTorch's exporters
                    "linnet": Linnet's own, on a program of torch.export or, if there is no such program, on TorchScript
                    "auto": the first of dynamo (PyTorch 2.9 and newer), torchscript and linnet that exports the module
                    and whose file passes the check. Modules that call an autograd.Function with a `symbolic` begin with
                    torchscript. If dynamo finds that a branch depends on the values of a tensor, nothing is traced.
                    Modules that torch.ao.quantization has quantised are always written by "linnet"
    deform_conv     deform_conv2d of torchvision and linnet as "custom" (custom::deform_conv2d) or "standard"
                    (DeformConv; requires opset 19 or newer)
    my_add          linnet::my_add and MyAddFunction as "custom" (custom::my_add), "decompose" (Mul and Add) or
                    "function" (custom::my_add with its body in the file)
    selu            aten::selu as "function" (custom-onnx-script::Selu with its body in the file) or "standard" (Selu)
    custom_translation_table
                    {torch.ops.ns.name.default: onnxscript function} for your own operators; overrides all other rules.
                    The TorchScript exporter (PyTorch 2.0 or newer) and Linnet's accept onnxscript.script functions of
                    tensors
    check           run the file with run_model and compare each output with PyTorch: for the example, for random
                    inputs and, if axes are dynamic, for other lengths. Inputs that the module rejects are skipped
    run_model       the command; default: $LINNET_RUN_MODEL, PATH, the source tree's build
    atol, rtol      allowed: |difference| <= max(atol, rtol * |PyTorch's value|), or 4 times the difference between
                    PyTorch's own result and its result in float64

    Returns the name of the exporter that wrote the file: "torchscript", "dynamo" or "linnet".
    The module is exported in evaluation mode. Its modes and buffers, PyTorch's random number generator and its registry
    of symbolic functions do not change. Warnings of PyTorch are repeated.
    Raises ExportError; MismatchError if outputs differ (the file is not removed); and, if an exporter is requested by
    name, the errors of torch.onnx.export.
    """
    forms = {"deform_conv": deform_conv, "my_add": my_add, "selu": selu}
    _check_choices(exporter=exporter, **forms)
    if path is None:
        raise ExportError("export needs the path of the file to write")
    check_file = Check(find_run_model(run_model), atol, rtol) if check else None
    axes = given = None
    if program.is_program(module):
        given = program.load(module)
        args, kwargs = program.example_of(given) if args is None else (args, kwargs)
        axes = program.dynamic_axes(given) if dynamic_shapes is None else None
        module = program.as_module(given)
    elif args is None:
        raise ExportError("export needs args, the example inputs; only programs of torch.export have their own")
    original = None
    if quantised.is_quantised(module):
        choice.check_quantised(exporter)
        original, module = module, quantised.as_floats(module)
    arguments = Arguments(module, args, kwargs)
    input_names = list(input_names or arguments.names())
    axes = axes_of(dynamic_shapes, arguments.by_parameter) if axes is None else axes
    with _repeated_warnings(), evaluation(original or module), torch.no_grad():
        results, called = _first_run(module, arguments)
        output_names = list(output_names or _output_names(len(results), input_names))
        if len(output_names) != len(results):
            raise ExportError(f"the model has {len(results)} outputs, but {len(output_names)} names for them")
        request = Request(
            *(module, given, arguments, input_names, output_names, axes, opset_version, forms),
            *(custom_translation_table or {}, called, [], original),
        )

        _check_names(request)

        def attempt(way) -> None:
            with kept(module):
                write(request, Path(path), way)
            if check_file:
                check_file(Path(path), request)

        ways = choice.ways(exporter, module, called, original is not None)
        return _first_that_works(ways, attempt, type(request.given).__name__)


def _first_run(module: torch.nn.Module, arguments: Arguments) -> tuple:
    """Returns the tensors that the module returns, and the autograd.Functions with a `symbolic` that it calls."""
    with kept(module) as changed, torch.random.fork_rng(devices=[]):
        found = functions_called(lambda: flatten(arguments.call(module)))
    if changed:
        warnings.warn(
            f"the module changes its buffers when it runs ({', '.join(changed)}); the file begins each run with the "
            "values that they have now. A .pt2 file of torch.export keeps them as states",
            stacklevel=3,
        )
    return found


def _first_that_works(ways: list, attempt, module: str) -> str:
    """Calls attempt(way) for each exporter until one succeeds, and returns the name of that exporter."""
    problems = []
    while ways:
        way, *ways = ways
        try:
            attempt(way)
        except Exception as error:  # PyTorch's exporters may raise anything
            ways = choice.left_after(error, ways)
            if not (problems or ways or choice.is_guard_on_data(error)):
                raise
            problems.append((way, without_frames(error)))
            continue
        if problems:
            reasons = "\n".join(f"{choice.TITLES[failed]} failed: {first_line(error)}" for failed, error in problems)
            warnings.warn(f"{choice.TITLES[way]} wrote the file. {reasons}", stacklevel=3)
        return choice.name_of(way)
    raise _error_of(problems, module) from problems[0][1]


def _error_of(problems: list, module: str) -> Exception:
    """Returns one error that contains the errors of all exporters."""
    errors = [error for _, error in problems]
    guard = next(filter(choice.is_guard_on_data, errors), None)
    if guard:
        return ExportError(
            f"{module} depends on the values of a tensor in Python, by a branch or a size, which a file cannot hold: "
            f"use torch.where or torch.cond, or export torch.jit.script(module). PyTorch's error: {cause_of(guard)}"
        )
    kind = MismatchError if any(isinstance(error, MismatchError) for error in errors) else ExportError
    reasons = "\n".join(f"- {choice.TITLES[way]}: {first_line(error)}" for way, error in problems)
    return kind(f"{module} cannot be exported: {first_line(errors[-1])}\nAll that was tried:\n{reasons}")


@contextlib.contextmanager
def _repeated_warnings():
    """Emits each warning once, however often PyTorch emits it and whatever it has emitted before."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        for w in {(str(w.message), w.category): w for w in caught}.values():
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)


def _check_names(request: Request) -> None:
    names, counted = request.input_names, len(request.arguments.tensors())
    if len(names) != counted:
        raise ExportError(f"the arguments hold {counted} tensors, but there are {len(names)} names")
    all_names = names + request.output_names
    if twice := next((name for name in all_names if all_names.count(name) > 1), None):
        raise ExportError(f"two inputs or outputs have the name {twice!r}")
    check_sizes(request)


def _check_choices(**choices: str) -> None:
    for name, choice_ in choices.items():
        if choice_ not in _FORMS[name]:
            similar = did_you_mean(choice_, _FORMS[name])
            raise ExportError(f"{name} must be one of {', '.join(_FORMS[name])}, got {choice_!r}{similar}")


def _output_names(count: int, taken: list) -> list[str]:
    result = ["output"] if count == 1 else [f"output_{i}" for i in range(count)]
    while set(result) & set(taken):
        result = [f"{name}_" for name in result]
    return result
