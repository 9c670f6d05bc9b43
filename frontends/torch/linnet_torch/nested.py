"""Tensors in nested values: pytrees, as torch.export and torch.func define them, and other objects that hold tensors.

An object that is not registered as a pytree node (a dataclass, a cache) counts as a node of its attributes.
"""

import copy

import torch
from torch.utils import _pytree as pytree


def flatten(value) -> list[torch.Tensor]:
    """Returns the tensors in `value`, in order. Leaves of other types are omitted."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def leaves(value) -> list:
    """Returns all leaves, in order."""
    result = []
    for leaf in pytree.tree_flatten(value)[0]:
        attributes = _attributes(leaf)
        result += leaves(list(attributes.values())) if attributes else [leaf]
    return result


def map_tensors(value, function):
    """Returns a copy of the structure with function(tensor) for each tensor, in the order of flatten()."""
    return pytree.tree_map(lambda leaf: _map_leaf(leaf, function), value)


def _map_leaf(leaf, function):
    if isinstance(leaf, torch.Tensor):
        return function(leaf)
    attributes = _attributes(leaf)
    if not attributes:
        return leaf
    result = copy.copy(leaf)
    vars(result).update({name: map_tensors(value, function) for name, value in attributes.items()})
    return result


def _attributes(leaf) -> dict:
    """Returns the attributes of an object that holds tensors; empty for all others, including modules and classes."""
    return vars(leaf) if _holds_tensors(leaf, set()) else {}


def _holds_tensors(leaf, seen: set) -> bool:
    if isinstance(leaf, (torch.Tensor, torch.nn.Module, type)) or callable(leaf) or id(leaf) in seen:
        return False
    seen.add(id(leaf))
    parts = pytree.tree_flatten(list(getattr(leaf, "__dict__", {}).values()))[0]
    return any(isinstance(part, torch.Tensor) or _holds_tensors(part, seen) for part in parts)
