"""Modules that PyTorch's eager or FX graph mode has quantised, as modules of floats that exporters can follow.

PyTorch's quantised operators take packed weights, and tensors of integers with a scale; torch.export cannot follow
them. In a copy of the module the weights are tensors of int8, and a quantised tensor is one of floats, rounded to its
grid wherever PyTorch rounds: the QuantizeLinear and DequantizeLinear of the file.
"""

import torch

# Where PyTorch's quantised modules are defined, and what there computes with floats.
_LIBRARIES = ("torch.ao.nn.quantized", "torch.ao.nn.intrinsic.quantized", "torch.ao.nn.sparse.quantized")
_FLOATS = ("torch.ao.nn.quantized.reference", "torch.ao.nn.quantized.modules.functional_modules.F")


def is_quantised(module: torch.nn.Module) -> bool:
    """It has parts that torch.ao.quantization made of others."""
    return any(is_part(part) or _quantises(part) for part in module.modules())


def is_part(part: torch.nn.Module) -> bool:
    """A module of PyTorch's that computes with quantised tensors."""
    names = [f"{base.__module__}.{base.__name__}" for base in type(part).__mro__]
    return any(name.startswith(_LIBRARIES) and not name.startswith(_FLOATS) for name in names)


def _quantises(part: torch.nn.Module) -> bool:
    """A graph that FX graph mode wrote."""
    nodes = part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ()
    return any(node.target is torch.quantize_per_tensor for node in nodes)


def as_floats(module: torch.nn.Module) -> torch.nn.Module:
    """The module in evaluation mode as one of floats; it shares what is not quantised with the given one."""
    from .conversion import as_floats as convert  # which loads parts of PyTorch that no other module needs

    return convert(module)


def moved(seed: int):
    """A context in which modules of as_floats() have quantised tensors one step off where they become floats, and round
    ties between two integers to either."""
    from .grid import moved as move

    return move(seed)
