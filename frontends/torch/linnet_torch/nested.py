"""Tensors in nested tuples, lists and dicts."""

import torch


def flatten(value) -> list[torch.Tensor]:
    """The tensors in `value`, in order; leaves of other types are left out."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def leaves(value) -> list:
    """All that is neither tuple nor list nor dict, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for element in value for leaf in leaves(element)]
    return [value]


def map_tensors(value, function):
    """A copy of the structure with function(tensor) in place of each tensor, in the order of flatten()."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, dict):
        return type(value)((key, map_tensors(element, function)) for key, element in value.items())
    if isinstance(value, (tuple, list)):
        mapped = [map_tensors(element, function) for element in value]
        return type(value)(*mapped) if hasattr(value, "_fields") else type(value)(mapped)
    return value
