"""How much results may differ from PyTorch's because PyTorch's own are rounded, ambiguous or random."""

import copy

import numpy as np
import onnx
import torch

from . import quantised
from .arguments import Arguments
from .request import Request

# The largest accepted difference, in multiples of PyTorch's own rounding error, as in export_model --check.
_ROUNDING_ERRORS = 4
# How far inputs are changed, in units in the last place, and how often, to see which results depend on such changes.
_UNITS, _CHANGES = 3, 4
# One step, and the rounding of both its ends.
_STEP = 1.01
_NARROW = {onnx.TensorProto.FLOAT16: torch.float16, onnx.TensorProto.BFLOAT16: torch.bfloat16}


def slack(request: Request, arguments: Arguments, expected: list, model: onnx.ModelProto) -> list:
    """Returns, for each result, the accepted difference: numbers or arrays.

    For floats it is 4 times the sum of two parts:
    - the difference from PyTorch's results in float64 or one unit in the last place of the largest element in the
      narrowest type that the file computes in, whichever is larger,
    - for each element, its difference for inputs changed in their last digits.

    An integer that changes in those runs may have any value. So may a result that changes with another random seed. For
    a quantised module, the accepted difference is at least the change that one step of quantised tensors causes where
    they become floats.
    """
    runs = ({"seed": 1}, {"double": request.quantised is None}, *({"change": i} for i in range(1, _CHANGES + 1)))
    others = [_results(request, arguments, expected, **run) for run in runs]
    epsilon = _narrowest(model)
    found = [_slack_of(result, epsilon, *each) for result, *each in zip(expected, *others)]
    if request.quantised is None:
        return found
    return [np.maximum(slack, step) for slack, step in zip(found, _steps(request, arguments))]


def _steps(request: Request, arguments: Arguments) -> list:
    """Returns the largest change of each result of a quantised module when quantised tensors are one step off."""
    results = request.results(arguments, request.module)
    moved = []
    for seed in range(_CHANGES):
        with quantised.moved(seed):
            moved.append(request.results(arguments, request.module))
    return [_step_of(result, others) for result, *others in zip(results, *moved)]


def _step_of(result: torch.Tensor, others: list):
    if not result.is_floating_point():
        return np.where(np.any([(result != other).numpy() for other in others], axis=0), np.inf, 0)
    return _STEP * max(_magnitude(_difference(result, other)) for other in others)


def _slack_of(expected, epsilon, drawn, exact, *changed):
    if not _same(expected, drawn):
        return np.inf
    if not (expected.is_floating_point() or expected.is_complex()):
        is_open = np.any([(expected != other).numpy() for other in (exact, *changed)], axis=0)
        return np.where(is_open, np.inf, 0)
    unit = 0 if expected.dtype in (torch.float64, torch.complex128) else epsilon * _magnitude(expected)
    rounding = max(unit, _magnitude(_difference(expected, exact)))
    changes = np.max([_difference(expected, other).numpy() for other in changed], axis=0)
    return _ROUNDING_ERRORS * (rounding + changes)


def _results(request: Request, arguments: Arguments, expected: list, double=False, change=0, seed=0) -> list:
    """Returns the results of another run, or `expected` if the module fails or returns other shapes."""
    try:
        module, tensors = request.given, arguments.tensors()
        if double:
            module = copy.deepcopy(module).double()
            tensors = [tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors]
        if change:
            tensors = [_changed(tensor, change) for tensor in tensors]
        found = request.results(arguments.with_tensors(tensors), module, seed)
    except Exception:  # a module may raise anything on types that it rejects
        return expected
    if [tensor.shape for tensor in found] != [tensor.shape for tensor in expected]:
        return expected
    return found


def _changed(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    if tensor.dtype not in (torch.float32, torch.float64):
        return tensor
    noise = torch.rand(tensor.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2 - 1
    return (tensor.double() * (1 + _UNITS * torch.finfo(tensor.dtype).eps * noise)).to(tensor.dtype)


def _difference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    wide = torch.complex128 if a.is_complex() else torch.float64
    return (a.to(wide) - b.to(wide)).abs().nan_to_num(0, 0, 0)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and bool(((a == b) | ((a != a) & (b != b))).all())


def _magnitude(tensor: torch.Tensor) -> float:
    return float(tensor.abs().nan_to_num(0, 0, 0).max()) if tensor.numel() else 0.0


def _narrowest(model: onnx.ModelProto) -> float:
    """Returns the epsilon of the narrowest floating-point type that the model has weights of or casts to."""
    used = {tensor.data_type for tensor in model.graph.initializer}
    used |= {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)}
    used |= {a.i for node in model.graph.node if node.op_type == "Cast" for a in node.attribute if a.name == "to"}
    return max([torch.finfo(torch.float32).eps, *(torch.finfo(dtype).eps for n, dtype in _NARROW.items() if n in used)])
