"""Represents autograd.Functions with a `symbolic` as one node each in a program of torch.export, with a body.

torch.export follows a Function into its forward and ignores `symbolic`. During a capture, each call therefore becomes
an operator of PyTorch. `symbolic` is called with a graph that records its requests, which become a model function.
"""

import contextlib
import functools
import itertools

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

DOMAIN = "linnet_functions"
_TENSOR = object()  # represents a tensor among the arguments of a call
_NUMBERS = itertools.count()


@functools.lru_cache(maxsize=None)
def _library():
    """Returns a library that is never destroyed: PyTorch fails on operators whose library no longer exists."""
    return torch.library.Library(DOMAIN, "FRAGMENT")


class FunctionNodes:
    """Collects the operators that calls become while `whole` lasts."""

    def __init__(self, functions: list):
        self._functions = functions
        self._calls = {}  # by name of the operator

    def bodies(self, opset: int) -> list[onnx.FunctionProto]:
        """Returns what `symbolic` makes of each call, named as the operator."""
        return [_body(name, *call, opset) for name, call in self._calls.items()]

    @contextlib.contextmanager
    def whole(self):
        own = {function: vars(function).get("apply") for function in self._functions}
        for function in self._functions:
            function.apply = self._apply_of(function)
        try:
            yield self
        finally:
            for function, apply in own.items():
                if apply is None:
                    del function.apply
                else:
                    function.apply = apply

    def _apply_of(self, function):
        def apply(*args):
            name = f"{function.__name__}_{next(_NUMBERS)}"
            tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]

            def forward(*given):
                rest = iter(given)
                return function.forward(_Context(), *(next(rest) if isinstance(a, torch.Tensor) else a for a in args))

            results = forward(*tensors)
            count = len(results) if isinstance(results, tuple) else 1
            self._calls[name] = (function, [_TENSOR if isinstance(arg, torch.Tensor) else arg for arg in args], count)
            returned = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
            parameters = ", ".join(f"Tensor x{i}" for i in range(len(tensors)))
            library = _library()
            library.define(f"{name}({parameters}) -> {returned}")
            library.impl(name, forward, "CompositeExplicitAutograd")
            torch.library.register_fake(f"{DOMAIN}::{name}", forward, lib=library)
            return getattr(getattr(torch.ops, DOMAIN), name)(*tensors)

        return staticmethod(apply)


class _Context:
    """Accepts all that forward may do with its context when no gradients are needed."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


class _Value:
    """A value in the graph that `symbolic` writes."""

    def __init__(self, name: str):
        self.name = name

    def setType(self, _):
        return self


class _Graph:
    """The part of PyTorch's graph context that a `symbolic` uses: op(), with attributes as value_t or axis_i."""

    def __init__(self):
        self.nodes, self.domains = [], {""}

    def op(self, kind: str, *inputs, outputs: int = 1, **attributes):
        domain, _, name = kind.rpartition("::")
        domain = "" if domain in ("", "onnx") else domain
        self.domains.add(domain)
        given = [self._name_of(value) for value in inputs]  # may add constants
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        node = helper.make_node(name, given, names, domain=domain)
        node.attribute.extend(_attribute(key, value) for key, value in attributes.items())
        self.nodes.append(node)
        values = [_Value(each) for each in names]
        return values[0] if outputs == 1 else tuple(values)

    def _name_of(self, value) -> str:
        if value is None:
            return ""
        return value.name if isinstance(value, _Value) else self.op("Constant", value_t=torch.as_tensor(value)).name


def _body(name: str, function, args: list, count: int, opset: int) -> onnx.FunctionProto:
    graph = _Graph()
    inputs = [f"x{i}" for i in range(sum(arg is _TENSOR for arg in args))]
    rest = iter(inputs)
    results = function.symbolic(graph, *(_Value(next(rest)) if arg is _TENSOR else arg for arg in args))
    results = results if isinstance(results, tuple) else (results,)
    imports = [helper.make_opsetid(domain, 1 if domain else opset) for domain in sorted(graph.domains)]
    return helper.make_function(DOMAIN, name, inputs, [value.name for value in results[:count]], graph.nodes, imports)


def _attribute(key: str, value) -> onnx.AttributeProto:
    """key: the name and, after its last underscore, the kind: i, f, s or t for integers, floats, strings or a tensor"""
    name, _, kind = key.rpartition("_")
    if kind == "t":
        return helper.make_attribute(name, numpy_helper.from_array(np.asarray(value.detach())))
    convert = {"i": int, "f": float, "s": str}[kind]
    is_list = isinstance(value, (list, tuple))
    return helper.make_attribute(name, [convert(each) for each in value] if is_list else convert(value))
