"""The dynamic axes of each input: torch.export's `dynamic_shapes`, for every version of PyTorch."""

import torch

from .errors import ExportError
from .nested import flatten
from .similar import did_you_mean


def axes_of(dynamic_shapes, by_parameter: dict) -> list[dict]:
    """Returns, for each tensor of the arguments in order, its dynamic axes: {axis: str or torch.export.Dim}.

    `dynamic_shapes` is a dict by parameter name, where missing parameters have fixed sizes, or a tuple in their order.
    It contains
    - for a tensor, None, {axis: dim}, or one dim per axis,
    - for a tuple, list or dict of tensors, the same nested,
    - for any other object that holds tensors, a list with an element for each.
    """
    if dynamic_shapes is None:
        dynamic_shapes = {}
    if isinstance(dynamic_shapes, dict):
        _check_keys("dynamic_shapes", "parameter", dynamic_shapes, by_parameter)
        dynamic_shapes = [dynamic_shapes.get(name) for name in by_parameter]
    if len(dynamic_shapes) > len(by_parameter):
        raise ExportError(f"dynamic_shapes has {len(dynamic_shapes)} entries for {len(by_parameter)} parameters")
    rest = [None] * (len(by_parameter) - len(dynamic_shapes))
    pairs = zip(by_parameter.items(), [*dynamic_shapes, *rest])
    return [axes for (name, value), spec in pairs for axes in _axes(f"dynamic_shapes[{name!r}]", value, spec)]


def _check_keys(place: str, kind: str, spec: dict, known: dict) -> None:
    """Raises ExportError on the first key of `spec` that `known` lacks."""
    for key in spec:
        if key not in known:
            names = ", ".join(map(str, known))
            raise ExportError(f"{place}: {key!r} is not a {kind}; there are {names}{did_you_mean(key, known)}")


def _axes(place: str, value, spec) -> list[dict]:
    tensors = flatten(value)
    if spec is None:
        return [{} for _ in tensors]
    if isinstance(value, torch.Tensor):
        return [_axes_of_tensor(place, value, spec)]
    if isinstance(value, dict) and isinstance(spec, dict):
        _check_keys(place, "key of the argument", spec, value)
        children = [(key, element, spec.get(key)) for key, element in value.items()]
    elif isinstance(value, (tuple, list)) and isinstance(spec, (tuple, list)) and len(value) == len(spec):
        children = list(zip(range(len(value)), value, spec))
    elif isinstance(spec, (tuple, list)) and not isinstance(value, (dict, tuple, list)) and len(tensors) == len(spec):
        children = list(zip(range(len(spec)), tensors, spec))
    else:
        raise ExportError(f"{place} has not the structure of the argument, a {type(value).__name__}")
    return [axes for key, element, inner in children for axes in _axes(f"{place}[{key!r}]", element, inner)]


def _axes_of_tensor(place: str, tensor: torch.Tensor, spec) -> dict:
    if not isinstance(spec, (dict, tuple, list)):
        raise ExportError(f"{place} must be None, a dict {{axis: dim}} or one dim per axis, got {spec!r}")
    dims = spec if isinstance(spec, dict) else dict(enumerate(spec))
    for axis in dims:
        if not isinstance(axis, int) or not -tensor.dim() <= axis < tensor.dim():
            raise ExportError(f"{place}: axis {axis!r} of a tensor with {tensor.dim()} dims")
    return {axis % tensor.dim(): dim for axis, dim in dims.items() if not _is_static(dim)}


def _is_static(dim) -> bool:
    hints = getattr(getattr(torch, "export", None), "Dim", None)
    return dim is None or isinstance(dim, int) or dim == getattr(hints, "STATIC", None)
