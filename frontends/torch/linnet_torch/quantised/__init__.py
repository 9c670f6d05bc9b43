"""Converts modules that PyTorch's eager or FX graph mode quantised to float modules that exporters can follow.

PyTorch's quantised operators take packed weights, and integer tensors with a scale, which torch.export cannot follow.
In a copy of the module, weights are int8 tensors. A quantised tensor is a float tensor that is rounded to its grid
wherever PyTorch rounds; in the file these are QuantizeLinear and DequantizeLinear.
"""

import torch

# The packages of PyTorch's quantised modules, and those parts of them that compute with floats.
_LIBRARIES = ("torch.ao.nn.quantized", "torch.ao.nn.intrinsic.quantized", "torch.ao.nn.sparse.quantized")
_FLOATS = ("torch.ao.nn.quantized.reference", "torch.ao.nn.quantized.modules.functional_modules.F")


def is_quantised(module: torch.nn.Module) -> bool:
    """Whether a module has parts that torch.ao.quantization made from others."""
    return any(is_part(part) or _quantises(part) for part in module.modules())


def is_part(part: torch.nn.Module) -> bool:
    """Whether a module of PyTorch computes with quantised tensors."""
    names = [f"{base.__module__}.{base.__name__}" for base in type(part).__mro__]
    return any(name.startswith(_LIBRARIES) and not name.startswith(_FLOATS) for name in names)


def _quantises(part: torch.nn.Module) -> bool:
    """Whether a module is a graph that FX graph mode wrote."""
    nodes = part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ()
    return any(node.target is torch.quantize_per_tensor for node in nodes)


def as_floats(module: torch.nn.Module) -> torch.nn.Module:
    """Returns the module in evaluation mode as a float module. It shares all that is not quantised with the given
    one."""
    from .conversion import as_floats as convert  # loads parts of PyTorch that no other module needs

    return convert(module)


def moved(seed: int):
    """Returns a context that perturbs modules of as_floats().

    Quantised tensors are one step off where they become floats, and ties between two integers are rounded to either.
    """
    from .grid import moved as move

    return move(seed)
