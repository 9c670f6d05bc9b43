"""The example arguments of an export: their names, and the forms that PyTorch's exporters need."""

import contextlib
import copy
import inspect

import torch

from .errors import ExportError
from .nested import flatten, map_tensors
from .similar import did_you_mean


class Arguments:
    """Arguments as torch.onnx.export takes them: a tensor or a tuple, and a dict of keywords.

    Without `kwargs`, a dict at the end of the tuple holds keywords if forward accepts them.
    """

    def __init__(self, module: torch.nn.Module, args, kwargs=None):
        args = args if isinstance(args, tuple) else (args,)
        self._signature = _signature(module)
        calls = [(args, dict(kwargs or {}))]
        if kwargs is None and args and isinstance(args[-1], dict):
            calls.insert(0, (args[:-1], args[-1]))
        self._positional, keywords = _first_that_fits(self._signature, calls, type(module).__name__)
        in_order = [name for name in self._signature.parameters if name in keywords]
        self._keywords = {name: keywords[name] for name in [*in_order, *keywords]}

    @property
    def by_parameter(self) -> dict:
        """The arguments by name, in the order of forward's parameters. Those of *args are a tuple."""
        result, positional = {}, list(self._positional)
        for name, parameter in self._signature.parameters.items():
            if positional and parameter.kind is parameter.VAR_POSITIONAL:
                result[name], positional = tuple(positional), []
            elif positional:
                result[name] = positional.pop(0)
        return result | self._keywords

    def names(self) -> list[str]:
        """A name for each tensor: its parameter's name or, if a parameter holds several tensors, name_0, name_1, ..."""
        result = []
        for name, value in self.by_parameter.items():
            single = isinstance(value, torch.Tensor)
            result += [name if single else f"{name}_{i}" for i in range(len(flatten(value)))]
        return result

    def tensors(self) -> list[torch.Tensor]:
        """The tensors in the order of names()."""
        return flatten((self._positional, self._keywords))

    def with_tensors(self, tensors: list):
        """Returns a copy with these tensors, in the order of names()."""
        result = copy.copy(self)
        result._positional, result._keywords = self._filled(tensors)
        return result

    def call(self, module: torch.nn.Module):
        """Returns module(...) of copies, so that a module that writes to its inputs does not change the caller's
        tensors."""
        positional, keywords = self._filled(map(_copy, self.tensors()))
        return module(*positional, **keywords)

    @contextlib.contextmanager
    def tensors_alone(self, module: torch.nn.Module):
        """Yields the tensors in a flat tuple, and makes module.forward accept them while the context lasts.

        The module receives all other arguments as they were given, so they become constants in the file. It also
        returns its tensors in a flat tuple. TorchScript cannot be changed in this way and gets its arguments as they
        are.
        """
        if isinstance(module, torch.jit.ScriptModule):
            bound = self._signature.bind(*self._positional, **self._keywords)
            bound.apply_defaults()
            yield map_tensors(bound.args, _copy)
            return
        own = vars(module).get("forward")
        module.forward = self._forward_of_tensors(module.forward)
        try:
            yield tuple(map(_copy, self.tensors()))
        finally:
            del module.forward
            if own is not None:
                module.forward = own

    def _filled(self, tensors) -> tuple:
        """Returns positional arguments and keywords with these tensors."""
        rest = iter(tensors)
        return map_tensors((self._positional, self._keywords), lambda _: next(rest))

    def _forward_of_tensors(self, forward):
        def forward_of_tensors(*tensors):
            positional, keywords = self._filled(tensors)
            return tuple(flatten(forward(*positional, **keywords)))

        return forward_of_tensors


def _first_that_fits(signature: inspect.Signature, calls: list, module: str) -> tuple:
    """Returns the first of the pairs (positional, keywords) that fits a signature."""
    problem = None
    for positional, keywords in calls:
        try:
            signature.bind(*positional, **keywords)
            return positional, keywords
        except TypeError as error:
            problem = problem or _misspelled(signature, positional, keywords) or error
    raise ExportError(f"args do not fit {module}.forward: {problem}")


def _misspelled(signature: inspect.Signature, positional: tuple, keywords: dict) -> str:
    """Returns a message on the first keyword that is not a parameter but similar to one without a value, or ""."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    rest = list(signature.parameters.values())[len(positional) :]
    free = [parameter.name for parameter in rest if parameter.kind in named and parameter.name not in keywords]
    similar = [(name, did_you_mean(name, free)) for name in keywords if name not in signature.parameters]
    return next((f"{name!r} is not a parameter{proposal}" for name, proposal in similar if proposal), "")


def _signature(module: torch.nn.Module) -> inspect.Signature:
    if not isinstance(module, torch.jit.ScriptModule):
        return inspect.signature(module.forward)
    arguments = module.forward.schema.arguments[1:]
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return inspect.Signature(
        [
            inspect.Parameter(a.name, kind, default=a.default_value if a.has_default_value() else empty)
            for a in arguments
        ]
    )


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()
