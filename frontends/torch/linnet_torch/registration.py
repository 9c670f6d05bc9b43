"""Registers symbolic functions for one export and restores PyTorch's registry afterwards."""

import contextlib

import torch

try:
    from torch.onnx._internal.torchscript_exporter import registration
except ImportError:  # PyTorch up to 2.8
    from torch.onnx._internal import registration

from .operators import MyAddFunction


@contextlib.contextmanager
def registered(rules: dict, opset: int):
    """Within the context, `rules` (qualified name -> symbolic function) apply to `opset` and override all others.

    PyTorch's own unregister_custom_op_symbolic() forgets the function that was registered before, and leaves an entry
    without functions, on which a later export fails. Functions of onnxscript register themselves. All of this is
    restored here. What PyTorch registers in the meantime, as newer versions do at their first export, stays.
    """
    found = {name: _custom_function(name, opset) for name in rules}
    groups = registration.registry._registry
    known = set(groups)
    with _my_add_function(rules["linnet::my_add"]):
        try:
            for name, rule in rules.items():
                torch.onnx.register_custom_op_symbolic(name, rule, opset)
            yield
        finally:
            for name in rules:
                _restore(name, opset, found[name])
            for name in groups.keys() - known:
                if not groups[name]._functions._base:
                    del groups[name]


def _custom_function(name: str, opset: int):
    group = registration.registry.get_function_group(name)
    return group._functions[opset] if group is not None and group._functions.overridden(opset) else None


def _restore(name: str, opset: int, function) -> None:
    if function is not None:
        registration.registry.register(name, opset, function, custom=True)
    elif _custom_function(name, opset) is not None:
        torch.onnx.unregister_custom_op_symbolic(name, opset)


@contextlib.contextmanager
def _my_add_function(rule):
    found = MyAddFunction.symbolic
    MyAddFunction.symbolic = staticmethod(rule)
    try:
        yield
    finally:
        MyAddFunction.symbolic = staticmethod(found)
