"""A copy of a quantised module that computes with floats."""

import copy
import functools
import re

import torch
from torch.utils import _pytree as pytree

from ..errors import ExportError
from . import is_part
from .calls import Calls
from .grid import Quantised
from .weights import unpacked

# The names of scales and zero points in graphs.
_NUMBER_OF_GRAPH = re.compile(r"_(scale|zero_point)_\d+$")


def as_floats(module: torch.nn.Module) -> torch.nn.Module:
    shared = [*module.parameters(), *module.buffers()]
    result = copy.deepcopy(module, {id(tensor): tensor for tensor in shared}).eval()
    converted = {}
    for name, part in list(result.named_modules()):
        try:
            _unpack_weights(part, converted)
        except ExportError as error:
            raise _at(name, error) from None
        _make_numbers(part)
    return _with_forward(result)


def _unpack_weights(part: torch.nn.Module, converted: dict) -> None:
    """Makes weights separate parts, so that exporters see their tensors. converted: the weights already converted, by
    id"""
    for values in (vars(part), part._buffers, part._parameters):
        for name, value in list(values.items()):
            if _is_quantised(value):
                del values[name]
                part._modules[name] = converted.setdefault(id(value), (value, unpacked(value)))[1]


def _is_quantised(value) -> bool:
    return type(value) is torch.ScriptObject or (isinstance(value, torch.Tensor) and value.is_quantized)


def _at(place: str, error: ExportError) -> ExportError:
    return ExportError(f"{place or 'the module'}: {error}")


def _make_numbers(part: torch.nn.Module) -> None:
    """Converts scales and zero points in buffers to Python numbers, which a capture treats as constants."""
    for name, value in list(part._buffers.items()):
        is_of_graph = isinstance(part, torch.fx.GraphModule) and _NUMBER_OF_GRAPH.search(name)
        if is_of_graph or (is_part(part) and name in ("scale", "zero_point")):
            del part._buffers[name]
            setattr(part, name, value.item())


def _with_forward(module: torch.nn.Module) -> torch.nn.Module:
    """Puts the parts into a plain module: torch.export runs the graph of an FX module without calling its parts."""
    result, names = torch.nn.Module(), {id(part): name for name, part in module.named_modules()}
    vars(result).update(vars(module))

    @functools.wraps(module.forward)
    def forward(*args, **kwargs):
        try:
            with Calls():
                outputs = module.forward(*args, **kwargs)
        except ExportError as error:
            raise _at(names.get(id(_innermost(error)), ""), error) from None
        if any(isinstance(leaf, Quantised) for leaf in pytree.tree_flatten(outputs)[0]):
            raise ExportError("the module returns a quantised tensor; end it with a DeQuantStub")
        return outputs

    result.forward = forward
    return result


def _innermost(error: ExportError):
    """Returns the innermost module whose code raised the error."""
    frame, found = error.__traceback__, None
    while frame is not None:
        part = frame.tb_frame.f_locals.get("self")
        found = part if isinstance(part, torch.nn.Module) else found
        frame = frame.tb_next
    return found
